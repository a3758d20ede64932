package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.fifo.LaneRecord;

/**
 * Credit for records in the lanes of a peer's contexts, of one stream. Every record is charged before its first packet
 * leaves, so that a lane without room keeps nothing in the link. Used only by the engine's thread.
 *
 * <p>A quarter of a lane is never charged: as much as a pad at its end may take, because no record is longer.
 */
final class LaneCredits {
    private final int laneBytes;
    private final long[] charged;

    /** Charged bytes that the peer's contexts have taken from their lanes, or that were refused, as the peer grants. */
    private final long[] granted;

    /** FIFOs that wait for credit of each context; null before the first one. */
    private final @Nullable DemandQueue[] demands;

    LaneCredits(int contexts, int laneBytes) {
        this.laneBytes = laneBytes;
        this.charged = new long[contexts];
        this.granted = new long[contexts];
        this.demands = new DemandQueue[contexts];
    }

    /**
     * Charges a record with a body of this length. Returns false while a context has no credit for it. A record for no
     * context, or one that no lane can hold, is not charged: the peer refuses it.
     */
    boolean charge(int context, long bodyLength, InjectionFifoConsumer fifo) {
        if (context >= charged.length || bodyLength > LaneRecord.maxBodyLength(laneBytes)) {
            return true;
        }
        final int bytes = LaneRecord.charge((int) bodyLength);
        final DemandQueue queue = demands[context];
        final boolean isTurn = queue == null || queue.isTurn(fifo);
        if (isTurn && charged[context] - granted[context] + bytes <= laneBytes - laneBytes / 4) {
            charged[context] += bytes;
            if (queue != null) {
                queue.served(fifo);
            }
            return true;
        }
        demand(context).await(fifo);
        return false;
    }

    private DemandQueue demand(int context) {
        DemandQueue queue = demands[context];
        if (queue == null) {
            queue = new DemandQueue();
            demands[context] = queue;
        }
        return queue;
    }

    /**
     * Accepts what the peer grants for a context in all. Returns false for a context or a number that is impossible.
     */
    boolean grant(int context, long bytes) {
        if (context < 0 || context >= granted.length || bytes < 0 || bytes > charged[context]) {
            return false;
        }
        granted[context] = Math.max(granted[context], bytes);
        return true;
    }
}
