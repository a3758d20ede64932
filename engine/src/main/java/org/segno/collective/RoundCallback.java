package org.segno.collective;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.operation.Work;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * Call of a handler at the end of each round of a collective, as posted work of a context. Used by the one thread that
 * holds the context.
 */
final class RoundCallback {
    /**
     * Number of calls, one in a pass, in which data that came before a death may still complete a round. A pass takes
     * whatever is in the lanes; the rounds of other members need some passes more.
     */
    private static final int PASSES_AFTER_DEATH = 1000;

    private final Context context;
    private final Collective collective;
    private final Work work = this::poll;
    private @Nullable CollectiveHandler handler;
    private boolean posted;
    private long reported;
    private int passesAfterDeath;

    RoundCallback(Context context, Collective collective) {
        this.context = context;
        this.collective = collective;
    }

    /** Sets the handler of the rounds from the next one on; null removes it. */
    void set(@Nullable CollectiveHandler next) {
        handler = next;
        reported = collective.round();
    }

    /** Prepares for the next round. Returns false while the context's work queue is full. */
    boolean isReady() {
        if (handler != null && !posted) {
            posted = context.post(work) >= 0;
            return posted;
        }
        return true;
    }

    /** Calls the handler for rounds that are complete. Called outside passes. */
    void report() {
        final CollectiveHandler called = handler;
        while (called != null && called.equals(handler) && reported < collective.completeRound()) {
            call(called, null);
        }
    }

    private long poll() {
        boolean isOver = false;
        try {
            final long status = pollRounds();
            posted = status == Status.AGAIN;
            isOver = true;
            return status;
        } finally {
            if (!isOver) {
                // What the handler throws ends the posted work, and the caller of advance receives it. The next round
                // may be queued already, so that no start posts again. If there is no room, the next start or test
                // does.
                posted = reported < collective.round() && context.post(work) >= 0;
            }
        }
    }

    private long pollRounds() {
        final CollectiveHandler called = handler;
        if (called == null || reported == collective.round()) {
            return Status.BUSY;
        }
        if (reported < collective.completeRound()) {
            passesAfterDeath = 0;
            call(called, null);
            return Status.AGAIN;
        }
        final SegnoException failure = collective.failure();
        if (failure == null || ++passesAfterDeath < PASSES_AFTER_DEATH) {
            return Status.AGAIN;
        }
        collective.failed(Deadline.in(0, TimeUnit.NANOSECONDS));
        call(called, failure);
        return Status.AGAIN;
    }

    private void call(CollectiveHandler called, @Nullable SegnoException failure) {
        reported++;
        called.onRound(reported, failure);
    }
}
