package org.segno.transport.aeron;

import static io.aeron.logbuffer.FrameDescriptor.FRAME_ALIGNMENT;

import io.aeron.protocol.DataHeaderFlyweight;
import org.agrona.BitUtil;
import org.segno.engine.packet.Frame;

/**
 * Sizes of a link, which both ends derive from the longest datagram.
 *
 * <p>A frame is an Aeron message that fits one datagram: Aeron's fragmentation is not used. A stream's log has three
 * terms at either end, and its window, the bytes that are under way, is half a term. Short terms stay in the cache and
 * cost little memory. A quarter of a mebibyte is as fast as four mebibytes if a window holds many datagrams, and
 * carries the longest message of the longest lane; longer datagrams need longer terms for the same reason. Handlers
 * send short messages, so their stream has shorter terms.
 *
 * @param mtu bytes of the longest datagram's payload
 * @param windowLimit maximum of a window in bytes, which the socket's receive buffer limits
 */
record LinkSizes(int mtu, int windowLimit) {
    /** Longest payload of a UDP datagram that Aeron sends. */
    static final int MAX_MTU = 65_504;

    /** Shortest such payload: a frame has room for each packet. */
    static final int MIN_MTU = BitUtil.align(Frame.MIN_LIMIT + DataHeaderFlyweight.HEADER_LENGTH, FRAME_ALIGNMENT);

    private static final int SHORT_MTU = 1_500;
    private static final int SHORT_TERM = 256 * 1024;
    private static final int LONG_TERM = 1024 * 1024;

    /** Length of the shortest term. */
    static final int MIN_TERM = 64 * 1024;

    /** Datagrams that each window holds at least, so that an empty stream has room for a frame wherever a term ends. */
    private static final int MIN_WINDOW = 3;

    LinkSizes {
        if (mtu < MIN_MTU || mtu > MAX_MTU || mtu % FRAME_ALIGNMENT != 0) {
            throw new IllegalArgumentException("mtu must be a multiple of " + FRAME_ALIGNMENT + " from " + MIN_MTU
                    + " to " + MAX_MTU + ": mtu=" + mtu);
        }
        if (windowLimit < MIN_WINDOW * mtu) {
            throw new IllegalArgumentException("the receive buffer of a socket must hold " + MIN_WINDOW
                    + " datagrams: bytes=" + windowLimit + " mtu=" + mtu
                    + "; increase net.core.rmem_max or reduce the mtu");
        }
    }

    /** Returns the length of the longest frame. */
    int frameLimit() {
        return mtu - DataHeaderFlyweight.HEADER_LENGTH;
    }

    /**
     * Returns true if datagrams are so short that to encode one takes less time than to send it. To send each at once
     * would then only make what is under way twice as long.
     */
    boolean isShort() {
        return mtu <= SHORT_MTU;
    }

    /** Returns the length of each of the terms of a stream. */
    int termLength(int stream) {
        final int longest = isShort() ? SHORT_TERM : LONG_TERM;
        final int holding = BitUtil.findNextPositivePowerOfTwo(2 * MIN_WINDOW * mtu);
        return stream == Frame.HANDLER_REPLIES ? Math.max(Math.max(longest / 4, MIN_TERM), holding) : longest;
    }

    /** Returns the bytes of a stream that may be under way. */
    int window(int stream) {
        return Math.min(termLength(stream) / 2, windowLimit);
    }

    /**
     * Returns a lower bound of the room of an empty stream. A receiver reports what it has taken when that is more than
     * a quarter of the window. Then a frame of maximum length may not fit the end of a term.
     */
    long capacity(int stream) {
        final int reported = window(stream) - window(stream) / 4;
        return (reported / mtu - 1L) * frameLimit();
    }

    /**
     * Returns the bytes of frames that fit, all of maximum length but the last one.
     *
     * @param free bytes that the window admits
     * @param end bytes to the end of the term, which no frame crosses
     */
    long room(long free, long end) {
        if (free <= end) {
            return frames(free);
        }
        final long wrapped = free - end;
        final long before = end / mtu;
        final long after = wrapped / mtu;
        // A shorter frame lies behind the last of maximum length. It may still lie at the end if none is at the start.
        final long rest = after == 0 ? Math.max(end % mtu, wrapped) : wrapped % mtu;
        return (before + after) * frameLimit() + payload(rest);
    }

    private long frames(long contiguous) {
        return contiguous / mtu * frameLimit() + payload(contiguous % mtu);
    }

    private static long payload(long bytes) {
        return Math.max(0, (bytes & -FRAME_ALIGNMENT) - DataHeaderFlyweight.HEADER_LENGTH);
    }

    /** Returns the bytes that a frame takes in a log. */
    static int logged(int length) {
        return BitUtil.align(DataHeaderFlyweight.HEADER_LENGTH + length, FRAME_ALIGNMENT);
    }
}
