package org.segno.collective;

import org.jspecify.annotations.Nullable;
import org.segno.status.SegnoException;

/** Call-back at the end of the rounds of a collective. */
@FunctionalInterface
public interface CollectiveHandler {
    /**
     * Runs within {@code advance}, {@link Collective#test} or {@link Collective#await}, on the thread that called it,
     * once for each round, in their order. It may start the next round, of this collective or of another one, which
     * throws if a member is known to have died. It can neither wait nor prepare a collective. The caller receives its
     * exception, and the handler is called for later rounds once the next one is started.
     *
     * @param round that is over
     * @param failure null if the round is complete at this member; otherwise the reason why it cannot be
     */
    void onRound(long round, @Nullable SegnoException failure);
}
