package org.segno.multisend;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.operation.Work;
import org.segno.status.ClosedException;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * Call-back of a multisend at the end of each round, which runs within {@code advance} as posted work. Used by the one
 * thread that holds the context.
 */
final class RoundCompletion {
    private final Context context;
    private final RecordedMultisend rounds;
    private final PeerSet peers;
    private final Object multisend;
    private final Work work = this::run;
    private @Nullable Consumer<@Nullable SegnoException> completion;

    /** True while the work is in the queue of the context. */
    private boolean posted;

    private boolean awaiting;

    /** Creates the completion of {@code multisend}, which needs {@code peers}. */
    RoundCompletion(Context context, RecordedMultisend rounds, PeerSet peers, Object multisend) {
        this.context = context;
        this.rounds = rounds;
        this.peers = peers;
        this.multisend = multisend;
    }

    /** Sets the call-back of later rounds, or removes it. */
    void set(@Nullable Consumer<@Nullable SegnoException> callback) {
        completion = callback;
        awaiting &= callback != null;
    }

    /** Returns true while the call-back of the last round has not run: the next round would take its place. */
    boolean isDue() {
        return awaiting;
    }

    /** Prepares for the next round. Returns false while the context's work queue is full. */
    boolean isReady() {
        if (completion != null && !posted) {
            posted = context.post(work) >= 0;
            return posted;
        }
        return true;
    }

    /** Records that a round has started. */
    void started() {
        awaiting = completion != null;
    }

    /** Runs the call-back of a round that is complete, if it has not run. Called outside passes. */
    void report() {
        if (awaiting) {
            poll();
        }
    }

    private long run() {
        // The call-back may start the next round, which posts the work again.
        posted = false;
        final long status = poll();
        posted |= status == Status.AGAIN;
        return status;
    }

    private long poll() {
        final Consumer<@Nullable SegnoException> callback = completion;
        if (!awaiting || callback == null) {
            return Status.BUSY;
        }
        if (!rounds.isExecuted()) {
            return Status.AGAIN;
        }
        SegnoException failure = rounds.failure(multisend);
        if (failure == null && !isComplete()) {
            failure = deadPeer();
            // Data come before death: they may have landed since the check before.
            if (failure == null) {
                return Status.AGAIN;
            }
            failure = isComplete() ? null : failure;
        }
        // The call-back may start the next round.
        awaiting = false;
        callback.accept(failure);
        return 0;
    }

    private boolean isComplete() {
        try {
            return rounds.isComplete();
        } catch (final ClosedException e) {
            // The multisend was closed meanwhile, and its counters with it once this round was complete.
            return true;
        }
    }

    private @Nullable SegnoException deadPeer() {
        try {
            peers.requireAlive(multisend);
            return null;
        } catch (final PeerFailedException dead) {
            return dead;
        }
    }
}
