package org.segno.multisend;

import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/**
 * A multisend that records itself: its section is prepared when it is first sent and replayed from then on, until its arguments change.
 * One thread, the one that holds the context.
 */
final class Repeated {
    private final Context context;
    private final Rounds rounds;
    private final Runnable recorded;
    private @Nullable Pattern pattern;

    /** The one replayed last: also when its arguments are forgotten, what it names belongs to the engine until it is carried out. */
    private @Nullable Pattern last;

    /** {@code recorded} injects and expects what one round is made of. */
    Repeated(Context context, Rounds rounds, Runnable recorded) {
        this.context = context;
        this.rounds = rounds;
        this.recorded = recorded;
    }

    /** Sends as {@code round}; answers it, or what {@link Context#replay} answers that could not start. */
    long replay(long round) {
        Pattern known = pattern;
        if (known == null) {
            known = context.prepare(rounds, recorded);
            pattern = known;
        }
        last = known;
        return context.replay(known, round);
    }

    /** What has been replayed is executed, and everything that it expects has come. */
    boolean isComplete() {
        final Pattern replayed = last;
        return replayed == null || replayed.isComplete();
    }

    /** True if {@code round} was replayed, and not injected. */
    boolean hasReplayed(long round) {
        final Pattern replayed = last;
        return replayed != null && replayed.generation() == round;
    }

    /** Waits for a round that {@link #hasReplayed}. */
    void await(long round, long deadlineNs) {
        final Pattern replayed = last;
        if (replayed != null) {
            context.await(replayed, round, deadlineNs);
        }
    }

    /** The arguments are others now: what is under way finishes, and the next round is recorded anew. */
    void forget() {
        final Pattern known = pattern;
        if (known != null) {
            known.close();
            pattern = null;
        }
    }
}
