package org.segno.multisend;

import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternAccess;
import org.segno.pattern.Rounds;
import org.segno.status.SegnoException;

/**
 * A multisend that records itself. Its section is prepared at the first send and replayed from then on, until its
 * arguments change. Used by the one thread that holds the context.
 */
final class RecordedMultisend {
    private final Context context;
    private final Rounds rounds;
    private final Runnable recorded;
    private @Nullable Pattern pattern;

    /**
     * Pattern that was replayed last. Its windows belong to the engine until it is carried out, even after its
     * arguments have changed.
     */
    private @Nullable Pattern last;

    /** Creates a multisend; {@code recorded} injects and expects the operations of one round. */
    RecordedMultisend(Context context, Rounds rounds, Runnable recorded) {
        this.context = context;
        this.rounds = rounds;
        this.recorded = recorded;
    }

    /** Sends as {@code round} and returns it, or the status of {@link Context#replay} if it could not start. */
    long replay(long round) {
        Pattern known = pattern;
        if (known == null) {
            known = context.prepare(rounds, recorded);
            pattern = known;
        }
        last = known;
        return context.replay(known, round);
    }

    /** Returns true if the last replay is executed and everything that it expects has arrived. */
    boolean isComplete() {
        final Pattern replayed = last;
        return replayed == null || replayed.isComplete();
    }

    /** Returns true if the engine has executed the last replay: its sources may be overwritten. */
    boolean isExecuted() {
        final Pattern replayed = last;
        return replayed == null || replayed.executedAcquire() >= replayed.generation();
    }

    /** Returns the refusal or death that the last replay met, or null. */
    @Nullable
    SegnoException failure(Object whose) {
        final Pattern replayed = last;
        return replayed == null ? null : PatternAccess.failure(replayed, whose);
    }

    /** Waits for the round that was started last. Returns at once if there is none. */
    void await(long round, long deadlineNs) {
        final Pattern replayed = last;
        // A new recording that had no room has not started a round. That of its predecessor was complete before.
        if (replayed != null && replayed.generation() == round) {
            context.await(replayed, round, deadlineNs);
        }
    }

    /**
     * Discards the recording, because the arguments change. A round in progress finishes, and the next one is recorded
     * again.
     */
    void forget() {
        final Pattern known = pattern;
        if (known != null) {
            known.close();
            pattern = null;
        }
    }
}
