package org.segno.engine.landing;

import org.segno.engine.fifo.Lane;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.memory.NodeDimensions;
import org.segno.geometry.Endpoint;
import org.segno.status.Refusal;

/**
 * Lanes of one linked origin and one class, by context, and the credit for them. The origin demands a lane before its
 * first record. The demand travels with the records, so that nothing of a lane is on its way when another lane takes
 * its place. Used only by the engine's thread.
 */
public final class OriginLanes {
    /** Result of {@link #change} and {@link #grant} if no packet to the origin is due. */
    public static final long NOTHING = -1;

    private static final int NO_DEMAND = -1;

    private final Landing landing;
    private final LanePool.Holder[] holders;
    private final int leastBytes;
    private final int mostBytes;

    /** By context, the length of the lane that the origin demands, zero if it gives its lane up, or no demand. */
    private final int[] demanded;

    /** By context, the length of the shortest lane that meets the demand. */
    private final int[] needed;

    /**
     * By context, the charges of records that have been published or refused, and those granted to the origin again.
     */
    private final long[] settled;

    private final long[] granted;

    /** By context, true once the origin was asked for its lane. */
    private final boolean[] asked;

    private final ReceptionFifoProducer none = ReceptionFifoProducer.none();

    /**
     * Creates the lanes of an origin.
     *
     * @param landing writer of the records of this class
     * @param origin rank that sends them
     */
    public OriginLanes(Landing landing, LanePool pool, int origin) {
        this.landing = landing;
        this.mostBytes = pool.mostBytes();
        this.leastBytes = leastBytes(mostBytes);
        this.holders = new LanePool.Holder[landing.contexts()];
        this.demanded = new int[holders.length];
        this.needed = new int[holders.length];
        this.settled = new long[holders.length];
        this.granted = new long[holders.length];
        this.asked = new boolean[holders.length];
        for (int context = 0; context < holders.length; context++) {
            holders[context] = pool.new Holder(landing, context, origin);
            demanded[context] = NO_DEMAND;
        }
    }

    /** Returns the length of the shortest lane of a class, from that of the longest one. */
    public static int leastBytes(int mostBytes) {
        return Math.min(mostBytes, NodeDimensions.MIN_LANE_BYTES);
    }

    /** Returns the number of contexts. */
    public int contexts() {
        return holders.length;
    }

    /**
     * Accepts the demand for a lane of {@code bytes}, or at least {@code least}, in place of the one that the origin
     * has; or for none, with which the origin gives its lane up. Returns a result of {@link Landing}.
     */
    public int demand(int context, long bytes, int least) {
        final boolean isPossible = bytes == 0 || (isLane(bytes) && isLane(least) && least <= bytes);
        if (context < 0 || context >= holders.length || !isPossible || demanded[context] > 0) {
            return Refusal.BAD_PACKET.code();
        }
        demanded[context] = (int) bytes;
        needed[context] = least;
        return Landing.LANDED;
    }

    private boolean isLane(long bytes) {
        return bytes >= leastBytes && bytes <= mostBytes && Long.bitCount(bytes) == 1;
    }

    /**
     * Gives up all empty lanes, because nothing more arrives from the origin; called until none is left. No packet to
     * the origin is due, for which its link may have no room any more.
     */
    public void end() {
        for (int context = 0; context < holders.length; context++) {
            if (holders[context].hasLane() || demanded[context] >= 0) {
                demanded[context] = 0;
                change(context);
            }
        }
    }

    /** Returns true if {@link #change} or {@link #grant} may return a packet for a context. */
    public boolean isDue(int context) {
        return demanded[context] != NO_DEMAND
                || isMuch(context, settled[context])
                || (holders[context].isRecalled() && !asked[context]);
    }

    /** Returns true if these bytes in all are so many more than those granted that a packet for them is due. */
    private boolean isMuch(int context, long bytes) {
        final long more = bytes - granted[context];
        return more != 0 && more >= landing.lane(context).capacity() / 4;
    }

    /**
     * Carries out a demand for a context as far as it can be now.
     *
     * @return the length of the lane, for a LANE packet to the origin; zero to ask the origin for its lane; or
     *     {@link #NOTHING}
     */
    public long change(int context) {
        final int bytes = demanded[context];
        final LanePool.Holder holder = holders[context];
        if (bytes == NO_DEMAND) {
            final boolean isDue = holder.isRecalled() && !asked[context];
            asked[context] |= isDue;
            return isDue ? 0 : NOTHING;
        }
        if (holder.hasLane()) {
            // The end of the lane may have been skipped for a record that was then discarded.
            landing.lane(context).flush();
            if (landing.lane(context).occupied() != 0) {
                return NOTHING;
            }
        }
        final int length = bytes == 0 ? 0 : holder.admitted(bytes, needed[context]);
        if (length != 0 && holder.keeps(length)) {
            restart(context);
            return length;
        }
        if (holder.hasLane() || bytes == 0) {
            holder.leave();
            landing.lane(context, none);
            asked[context] = false;
        }
        final Lane lane = bytes == 0 ? null : holder.take(length);
        if (lane != null) {
            landing.lane(context, ReceptionFifoProducer.to(lane));
            restart(context);
            return length;
        }
        if (bytes == 0) {
            demanded[context] = NO_DEMAND;
        }
        return NOTHING;
    }

    /** Begins the credit for an empty lane, which meets the demand. */
    private void restart(int context) {
        settled[context] = 0;
        granted[context] = 0;
        demanded[context] = NO_DEMAND;
    }

    /**
     * Returns the bytes of charged records that have left the lane of a context, in all, or {@link #NOTHING} if only
     * few have since the last {@link #granted}. What the origin may charge beyond them has room in the lane.
     */
    public long grant(int context) {
        if (!isMuch(context, settled[context])) {
            return NOTHING;
        }
        final long now = settled[context] - landing.lane(context).occupied();
        return isMuch(context, now) ? now : NOTHING;
    }

    /** Records that a packet to the origin has granted these bytes in all for a context. */
    public void granted(int context, long bytes) {
        granted[context] = bytes;
    }

    /** Settles the charge of a record for the context of an id, which was published or refused. */
    void settle(int contextId, int length) {
        final int context = Endpoint.contextOf(contextId);
        if (context < settled.length
                && length >= 0
                && length <= landing.lane(context).maxBodyLength()) {
            settled[context] += LaneRecord.charge(length);
        }
    }
}
