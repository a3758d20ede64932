package org.segno.multisend;

import org.segno.context.Context;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/** Functions of this package's types for the engine's own packages; not for applications. */
public final class MultisendAccess {
    private MultisendAccess() {}

    /**
     * Records the operations and expectations of {@code body} through any of {@code contexts}, without sending, as
     * {@link Context#prepare(Rounds, Runnable)} does for one. Each context has a part.
     *
     * @param purpose of the pattern, for messages
     */
    public static JointPattern prepare(Rounds rounds, String purpose, Runnable body, Context... contexts) {
        return JointPattern.prepare(rounds, purpose, body, contexts);
    }

    /** Checks that contexts can have parts of one pattern, and returns them. */
    public static Context[] requireContexts(Context[] contexts) {
        JointPattern.requireContexts(contexts);
        return contexts;
    }

    /** Returns true if the next round was started in some of the contexts, and not yet in the others. */
    public static boolean isPartlyStarted(JointPattern pattern) {
        return pattern.isPartlyStarted();
    }

    /** Returns the part of the context of an index. */
    public static Pattern part(JointPattern pattern, int index) {
        return pattern.part(index);
    }
}
