package org.segno.engine.dma;

import java.util.Arrays;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.status.Deadline;

/**
 * Counts of a peer's packets that this engine has landed or refused, and the rule of when they leave. Every frame to
 * the peer carries them. A frame of its own is sent for them if no other does in time.
 *
 * <p>A pass acknowledges at once a packet with the flag {@link Packet#AWAITED}, and {@value #PACKETS} packets. A pass
 * that receives nothing acknowledges what was received before. So does a pass that receives, if the application runs
 * the engine, because the next pass may be late. There are three exceptions:
 *
 * <ul>
 *   <li>More: the last packet has the flag {@link Packet#MORE}. What its sender waits for needs the next packet, too.
 *   <li>A stream: each of the last {@value #ARRIVALS} arrivals came soon after the previous one, so that the next one
 *       probably does. Soon is within {@value #WAIT_NS} ns and the time in which a fast link carries the bytes of both,
 *       at most {@value #STREAM_NS} ns: a pass that receives many datagrams takes that long, and so does a peer that
 *       sends long ones. A pass that receives nothing acknowledges once such a time has passed without an arrival.
 *   <li>A conversation: within the same time after each of the last {@value #ARRIVALS} arrivals this rank has ended
 *       the receptions of a pass with which a packet to the peer left, and will probably do so again. That packet
 *       carries the acknowledgement. No frame is sent for it alone unless this time passes, even if a pass receives
 *       nothing.
 * </ul>
 */
final class Acknowledgement {
    /**
     * Number of processed packets that are acknowledged while there is work: a part of what the peer may send. Where a
     * FIFO has fewer slots, the peer awaits the acknowledgement of one of them.
     */
    static final int PACKETS = Unlanded.LIMIT / 8;

    /** Maximum time for which an acknowledgement is delayed, counted from the arrival, except in a stream. */
    static final long WAIT_NS = 20_000;

    /** The same in a stream, in which the bytes of the arrival extend the time: a fast link carries one in 1 ns. */
    static final long STREAM_NS = 100_000;

    /** Number of successive arrivals that make a stream or a conversation. */
    static final int ARRIVALS = 4;

    private final boolean isInvoked;

    /** By stream, the number of the packet that is processed next. */
    private final int[] processed = new int[Frame.STREAMS];

    /** The same as some frame has carried it, and as a frame of {@link Frame#REPLIES} has. */
    private final int[] carried = new int[Frame.STREAMS];

    private final int[] confirmed = new int[Frame.STREAMS];

    /** Packets sent in {@link Frame#REPLIES}. */
    private int replies = Frame.FIRST;

    /** True once there was a frame of replies. The first one introduces this node, and the peer may wait for it. */
    private boolean hasReplied;

    /** True if one of the packets that no frame has acknowledged is awaited. */
    private boolean isAwaited;

    /** True if the packet processed last is followed by another one at once. */
    private boolean hasMore;

    /** Packets that had been processed at the end of the last pass. */
    private int seen;

    /** Time of the last arrival, and the number of successive ones that came soon, at most {@link #ARRIVALS}. */
    private long arrivedNs;

    private int arrivals;

    /** Bytes of the frames of the last arrival, and of those that were received since. */
    private long arrivedBytes;

    private long receivedBytes;

    /** True after an arrival, until a packet is sent to the peer; and the time of that arrival. */
    private boolean isUnanswered;

    private long unansweredNs;

    /** True if such a packet was sent, and the time of that is not known yet. */
    private boolean isAnswered;

    /** Number of successive arrivals that were followed by a packet to the peer in time, at most {@link #ARRIVALS}. */
    private int answers;

    /**
     * Creates the counts of a link.
     *
     * @param isInvoked true if the application runs the engine, so that any pass may be the last for long
     */
    Acknowledgement(boolean isInvoked) {
        this.isInvoked = isInvoked;
        // Long ago, so that the first arrival does not come soon after another.
        this.arrivedNs = Deadline.nowNs() - WAIT_NS - 1;
        Arrays.fill(processed, Frame.FIRST);
        Arrays.fill(carried, Frame.FIRST);
        Arrays.fill(confirmed, Frame.FIRST);
        this.seen = both(processed);
    }

    /** Returns the number of the packet of a stream that is processed next. */
    int processed(int stream) {
        return processed[stream];
    }

    /** Records that packets of a stream have been landed or refused. */
    void processed(int stream, int packets) {
        processed[stream] += packets;
    }

    /** Records that a frame with packets to acknowledge was received. */
    void received(int bytes) {
        receivedBytes += bytes;
    }

    /** Records the flags of a processed packet. */
    void flags(int flags) {
        isAwaited |= (flags & Packet.AWAITED) != 0;
        hasMore = (flags & Packet.MORE) != 0;
    }

    /** Writes the header of a frame, with the counts. */
    void write(Memory memory, long frame, int packets, int hits) {
        Frame.counts(memory, frame, processed[Frame.REQUESTS], processed[Frame.HANDLER_REPLIES], hits);
        Frame.head(memory, frame, packets, replies);
    }

    /** Records that a frame with the counts has left. */
    void sent(int stream, int packets) {
        if (stream == Frame.REPLIES) {
            System.arraycopy(processed, 0, confirmed, 0, Frame.STREAMS);
            replies += packets;
            hasReplied = true;
        }
        if (hasReplied) {
            System.arraycopy(processed, 0, carried, 0, Frame.STREAMS);
            isAwaited = false;
        }
        // The clock is read when this pass, or the next one, has received: the frame has left then.
        isAnswered = isUnanswered && (isAnswered || packets != 0);
    }

    /** Returns true if the first unanswered arrival is more than {@value #WAIT_NS} ns ago. */
    private boolean isLate(long nowNs) {
        return nowNs - unansweredNs > WAIT_NS;
    }

    /**
     * Ends the reception of a pass. Returns true if a frame must be sent for the counts now.
     *
     * @param isIdle true if nothing was received
     */
    boolean isDue(boolean isIdle) {
        final int now = both(processed);
        final int open = now - both(carried);
        if (open == 0 && now == seen && !isAnswered) {
            return false;
        }
        final long nowNs = Deadline.nowNs();
        noteAnswer(nowNs);
        noteArrivals(now, nowNs);
        if (open == 0 || open >= PACKETS || isAwaited) {
            return open != 0;
        }
        if (answers == ARRIVALS) {
            return endsLate(nowNs);
        }
        if (arrivals == ARRIVALS) {
            return isIdle && nowNs - arrivedNs > soonNs(arrivedBytes);
        }
        return isIdle || (isInvoked && !hasMore);
    }

    /**
     * Checks whether the expected answer, which would carry the acknowledgement, is late. If so, no more answers are
     * expected. Returns true if it is late.
     */
    private boolean endsLate(long nowNs) {
        final boolean isLate = isLate(nowNs);
        answers = isLate ? 0 : answers;
        return isLate;
    }

    private void noteAnswer(long nowNs) {
        if (isAnswered) {
            answers = isLate(nowNs) ? 0 : Math.min(answers + 1, ARRIVALS);
            isUnanswered = false;
            isAnswered = false;
        }
    }

    private void noteArrivals(int now, long nowNs) {
        if (now != seen) {
            seen = now;
            final boolean isSoon = nowNs - arrivedNs <= soonNs(arrivedBytes + receivedBytes);
            arrivals = isSoon ? Math.min(arrivals + 1, ARRIVALS) : 0;
            arrivedNs = nowNs;
            arrivedBytes = receivedBytes;
            receivedBytes = 0;
            final boolean isLate = isUnanswered && isLate(nowNs);
            answers = isLate ? 0 : answers;
            if (isLate || !isUnanswered) {
                unansweredNs = nowNs;
                isUnanswered = true;
            }
        }
    }

    private static long soonNs(long bytes) {
        return Math.min(WAIT_NS + bytes, STREAM_NS);
    }

    /** Returns true until a frame of {@link Frame#REPLIES}, which nothing can block, has carried all counts. */
    boolean isUnconfirmed() {
        return both(processed) != both(confirmed);
    }

    /** Returns the packets of both streams that are acknowledged. */
    private static int both(int[] counts) {
        return counts[Frame.REQUESTS] + counts[Frame.HANDLER_REPLIES];
    }
}
