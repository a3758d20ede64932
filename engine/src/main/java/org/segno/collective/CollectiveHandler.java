package org.segno.collective;

import org.jspecify.annotations.Nullable;
import org.segno.status.SegnoException;

/** Call-back at the end of the rounds of a collective. */
@FunctionalInterface
public interface CollectiveHandler {
    /**
     * Runs within {@code advance}, on the thread that called it, once for each round, in their order. It may start the
     * next round, of this collective or of another one, but it cannot wait.
     *
     * @param round that is over
     * @param failure null if the round is complete at this member; otherwise the reason why it cannot be
     */
    void onRound(long round, @Nullable SegnoException failure);
}
