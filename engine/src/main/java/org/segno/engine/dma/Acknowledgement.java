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
 * <p>If the application runs the engine, packets are acknowledged in the pass that receives them, because the next pass
 * may be late. There is one exception. If this rank has sent a packet to the peer within {@value #WAIT_NS} ns after
 * each of the last {@value #ANSWERS} arrivals, it will probably do so again. That packet carries the acknowledgement, so
 * no frame is sent for it alone unless this time passes. A packet with the flag {@link Packet#AWAITED} is always
 * acknowledged without this delay.
 */
final class Acknowledgement {
    /**
     * Number of processed packets that are acknowledged while there is work: a small part of what the peer may send, so
     * that a FIFO with few slots goes on, too.
     */
    static final int PACKETS = 32;

    /** Maximum time for which an acknowledgement is delayed, counted from the arrival. */
    static final long WAIT_NS = 20_000;

    /** Number of successive arrivals, each followed by a packet to the peer in time, after which one is delayed. */
    static final int ANSWERS = 4;

    /** Number of packets from which they are acknowledged in a pass with work. */
    private final int most;

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

    /** Packets that had been processed at the end of the last pass. */
    private int seen;

    /** True after an arrival, until a packet is sent to the peer. */
    private boolean isUnanswered;

    private long arrivedNs;

    /** Number of successive arrivals that were followed by a packet to the peer in time, at most {@link #ANSWERS}. */
    private int answers;

    private boolean isWaiting;

    /**
     * Creates the counts of a link.
     *
     * @param isInvoked true if the application runs the engine, so that any pass may be the last for long
     */
    Acknowledgement(boolean isInvoked) {
        this.most = isInvoked ? 1 : PACKETS;
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

    /** Records that the peer awaits the acknowledgement of a processed packet. */
    void awaited() {
        isAwaited = true;
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
        if (isUnanswered && packets != 0) {
            answers = isLate() ? 0 : Math.min(answers + 1, ANSWERS);
            isUnanswered = false;
        }
    }

    private boolean isLate() {
        return Deadline.nowNs() - arrivedNs > WAIT_NS;
    }

    /**
     * Ends the reception of a pass. Returns true if a frame must be sent for the counts now.
     *
     * @param isIdle true if nothing was received
     */
    boolean isDue(boolean isIdle) {
        noteArrivals();
        final int open = both(processed) - both(carried);
        isWaiting = open != 0 && open < PACKETS && answers == ANSWERS && !isAwaited;
        if (isWaiting && isLate()) {
            isWaiting = false;
            answers = 0;
            return true;
        }
        return !isWaiting && open >= (isIdle ? 1 : most);
    }

    /** Returns true if an acknowledgement was delayed at the end of the last pass. */
    boolean isWaiting() {
        return isWaiting;
    }

    private void noteArrivals() {
        final int now = both(processed);
        if (now != seen) {
            seen = now;
            final boolean isLate = isUnanswered && isLate();
            answers = isLate ? 0 : answers;
            if (isLate || !isUnanswered) {
                arrivedNs = Deadline.nowNs();
                isUnanswered = true;
            }
        }
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
