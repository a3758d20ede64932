package org.segno.pattern;

import org.jspecify.annotations.Nullable;
import org.segno.memory.ReceptionCounter;

/** Functions of this package's types for the engine's own packages; not for applications. */
public final class PatternAccess {
    private PatternAccess() {}

    /** Returns the number of its descriptors that arm its counters; they are the last ones. */
    public static int arms(Pattern pattern) {
        return pattern.arms();
    }

    /** Returns a counter whose WAIT may hold a round that is not executed yet, or null. */
    public static @Nullable ReceptionCounter heldBy(Pattern pattern, long round) {
        return pattern.heldBy(round);
    }

    /** Returns a counter of a round that is still missing bytes, or null. */
    public static @Nullable ReceptionCounter incomplete(Pattern pattern, long round) {
        return pattern.incomplete(round);
    }

    /** Sets the purpose that the pattern's description contains in parentheses. */
    public static void purpose(Pattern pattern, String text) {
        pattern.purpose(text);
    }

    /** Checks an id chosen by a caller. */
    public static int requireId(int id) {
        return Pattern.requireId(id);
    }
}
