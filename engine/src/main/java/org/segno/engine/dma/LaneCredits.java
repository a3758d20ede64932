package org.segno.engine.dma;

import org.agrona.BitUtil;
import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.landing.OriginLanes;
import org.segno.geometry.Endpoint;

/**
 * Credit for records in the lanes of a peer's contexts, of one stream. Every record is charged before its first packet
 * leaves, so that a lane without room keeps nothing in the link. The peer provides a lane when it is demanded: before
 * the first record, and in place of one that is too short. Used only by the engine's thread.
 *
 * <p>A quarter of a lane is never charged: as much as a pad at its end may take, because no record is longer.
 *
 * <p>The first lane is short. A sender that finds it full of records on their way demands a longer one once, so that
 * the time until credit returns does not limit its rate. The peer may keep the short one.
 */
final class LaneCredits {
    /** Length of a lane that holds what a fast link carries until its credit returns. */
    private static final int STREAM_BYTES = 1 << 18;

    private final int mostBytes;
    private final int leastBytes;
    private final int streamBytes;

    /** Lengths of the lanes by context; zero for none. */
    private final int[] laneBytes;

    /** Lengths of the lanes to demand, by context; zero for none. */
    private final int[] wanted;

    /** Lengths of the shortest lanes that meet these demands. */
    private final int[] needed;

    /** By context, true once the peer has kept a lane that is shorter than the wanted one. */
    private final boolean[] isKept;

    /** By context, the demanded length until the peer has a lane, otherwise zero. Nothing is charged meanwhile. */
    private final int[] demanded;

    /** By context, the number of begun PUTs that have charged a notice for their end. They need the present lane. */
    private final int[] unfinished;

    private final long[] charged;

    /** Charged bytes that the peer's contexts have taken from their lanes, or that were refused, as the peer grants. */
    private final long[] granted;

    /** FIFOs that wait for credit of each context; null before the first one. */
    private final @Nullable DemandQueue[] demands;

    /** Bits of the contexts for which the peer wants its lane back. The reply is not sent yet. */
    private long recalled;

    /**
     * Creates the credits.
     *
     * @param contexts contexts of the peer
     * @param mostBytes length of the peer's longest lane
     */
    LaneCredits(int contexts, int mostBytes) {
        this.mostBytes = mostBytes;
        this.leastBytes = OriginLanes.leastBytes(mostBytes);
        this.streamBytes = Math.min(mostBytes, STREAM_BYTES);
        this.laneBytes = new int[contexts];
        this.wanted = new int[contexts];
        this.needed = new int[contexts];
        this.isKept = new boolean[contexts];
        this.demanded = new int[contexts];
        this.unfinished = new int[contexts];
        this.charged = new long[contexts];
        this.granted = new long[contexts];
        this.demands = new DemandQueue[contexts];
    }

    /**
     * Charges a record with a body of this length for the context of an id. Returns false while that has no credit for
     * it; a lane may be {@link #wanted} then. A record for no context, or one that no lane can hold, is not charged:
     * the peer refuses it.
     */
    boolean charge(int contextId, long bodyLength, InjectionFifoConsumer fifo) {
        final int context = Endpoint.contextOf(contextId);
        if (!canHold(contextId, bodyLength)) {
            return true;
        }
        final int bytes = LaneRecord.charge((int) bodyLength);
        final int lane = laneBytes[context];
        final DemandQueue queue = demands[context];
        final boolean isTurn = queue == null || queue.isTurn(fifo);
        final boolean fits = bodyLength <= LaneRecord.maxBodyLength(lane);
        if (isTurn && fits && charged[context] - granted[context] + bytes <= lane - lane / 4) {
            charged[context] += bytes;
            if (queue != null) {
                queue.served(fifo);
            }
            return true;
        }
        demand(context).await(fifo);
        if (isTurn && demanded[context] == 0) {
            want(context, (int) bodyLength, fits);
        }
        return false;
    }

    /**
     * Charges up to {@code most} records with bodies of this length, as far as there is credit. Returns their number:
     * none while another FIFO has its turn, or if there is no such context, or no lane that can hold such a record.
     */
    int chargeSome(int contextId, long bodyLength, int most, InjectionFifoConsumer fifo) {
        final int context = Endpoint.contextOf(contextId);
        if (context >= charged.length) {
            return 0;
        }
        final DemandQueue queue = demands[context];
        if (queue != null && !queue.isTurn(fifo)) {
            return 0;
        }
        final int lane = laneBytes[context];
        if (bodyLength > LaneRecord.maxBodyLength(lane)) {
            return 0;
        }
        final int bytes = LaneRecord.charge((int) bodyLength);
        final long left = lane - lane / 4 - (charged[context] - granted[context]);
        final int some = (int) Math.max(0, Math.min(most, left / bytes));
        charged[context] += (long) some * bytes;
        return some;
    }

    /** Wants a lane that holds a body of this length; if the present one does but is full, a longer one. */
    private void want(int context, int bodyLength, boolean fits) {
        if (!fits) {
            wanted[context] = laneFor(bodyLength);
            needed[context] = wanted[context];
        } else if (laneBytes[context] < streamBytes && !isKept[context]) {
            wanted[context] = streamBytes;
            needed[context] = laneBytes[context];
        }
    }

    /** Returns true if a lane of the context of an id can hold a record with a body of this length. */
    boolean canHold(int contextId, long bodyLength) {
        return Endpoint.contextOf(contextId) < charged.length && bodyLength <= LaneRecord.maxBodyLength(mostBytes);
    }

    /** Returns the length of the shortest lane that holds a body of this length. */
    private int laneFor(int bodyLength) {
        return Math.max(leastBytes, BitUtil.findNextPositivePowerOfTwo(4 * (bodyLength + LaneRecord.HEADER_LENGTH)));
    }

    private DemandQueue demand(int context) {
        DemandQueue queue = demands[context];
        if (queue == null) {
            queue = new DemandQueue();
            demands[context] = queue;
        }
        return queue;
    }

    /** Returns the length of the lane to demand now for the context of an id, or zero. */
    int wanted(int contextId) {
        final int context = Endpoint.contextOf(contextId);
        return context < wanted.length && unfinished[context] == 0 ? wanted[context] : 0;
    }

    /** Returns the length of the shortest lane that meets the demand for the context of an id. */
    int needed(int contextId) {
        return needed[Endpoint.contextOf(contextId)];
    }

    /** Records that a PUT of several packets begins. Its notice is charged now and sent with the last packet. */
    void begun(int contextId) {
        count(contextId, 1);
    }

    private void count(int contextId, int change) {
        final int context = Endpoint.contextOf(contextId);
        if (context < unfinished.length) {
            unfinished[context] += change;
        }
    }

    /** Records that such a PUT has ended. */
    void finished(int contextId) {
        count(contextId, -1);
    }

    /** Records that the wanted lane of a context is demanded. Nothing is charged for the present one any more. */
    void demanded(int contextId) {
        final int context = Endpoint.contextOf(contextId);
        demanded[context] = wanted[context];
        wanted[context] = 0;
        laneBytes[context] = 0;
        recalled &= ~(1L << context);
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

    /**
     * Accepts a lane of a context, or with zero bytes the wish of the peer to have its lane back. Returns false if that
     * is impossible.
     */
    boolean lane(int context, long bytes) {
        if (context < 0 || context >= laneBytes.length) {
            return false;
        }
        if (bytes == 0) {
            // A lane that is demanded in its place gives it back, too.
            recalled |= laneBytes[context] == 0 ? 0 : 1L << context;
            return true;
        }
        if (demanded[context] == 0 || bytes < leastBytes || bytes > mostBytes) {
            return false;
        }
        isKept[context] = bytes < demanded[context];
        demanded[context] = 0;
        laneBytes[context] = (int) bytes;
        charged[context] = 0;
        granted[context] = 0;
        return true;
    }

    /** Returns a context for which the lane is to be given up now, because no notice needs it, or -1. */
    int recalled() {
        for (long left = recalled; left != 0; left &= left - 1) {
            final int context = Long.numberOfTrailingZeros(left);
            if (unfinished[context] == 0) {
                return context;
            }
        }
        return -1;
    }

    /** Records that the lane of a context was given up by a packet to the peer. */
    void gaveUp(int context) {
        laneBytes[context] = 0;
        recalled &= ~(1L << context);
    }
}
