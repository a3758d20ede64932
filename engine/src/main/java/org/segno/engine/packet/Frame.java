package org.segno.engine.packet;

import org.agrona.BitUtil;
import org.segno.engine.memory.Memory;

/**
 * A frame on a link, viewed in the link's memory: a header, then packets, each padded to {@link #ALIGNMENT} bytes. It is
 * the unit that a link carries.
 *
 * <p>All access is plain, because a link publishes a whole frame. Receivers ignore the bytes behind the last packet.
 *
 * <pre>
 *  offset  length  field           meaning
 *       0       4  requests        packets of {@link #REQUESTS} that the sender has landed or refused, modulo 2^32
 *       4       4  handlerReplies  those of {@link #HANDLER_REPLIES}
 *       8       4  hits            counters that these packets have brought to zero or below, modulo 2^32
 *      12       2  packets         number of packets; 0 is allowed
 *      14       2  replies         packets that the sender has sent in {@link #REPLIES}, modulo 2^16
 *      16          LENGTH
 * </pre>
 *
 * <p>The counts of a link begin at {@link #FIRST}. The first two acknowledge packets. They hold once the receiver has
 * processed as many replies as the sender had sent: refusals of acknowledged packets are among those. In one stream no
 * count runs backwards; one of another stream may arrive late. A frame without packets is sent for its counts.
 */
public final class Frame {
    /**
     * Number of the first packet of each stream, and beginning of all counts, at both ends of each link. It is shortly
     * below the largest number, so that every job, test and simulation passes the wrap in its first moments, and not
     * only a job that has sent 2^31 packets.
     */
    public static final int FIRST = Integer.MAX_VALUE - 15;

    /** Length of the header in bytes. */
    public static final int LENGTH = 16;

    /** Alignment of packets and of the lengths of frames. */
    public static final int ALIGNMENT = Long.BYTES;

    /** Stream of the requests of applications. */
    public static final int REQUESTS = 0;

    /**
     * Stream of the replies of engines: data, results and refusals. Its receiver can always accept them, so that
     * requests may wait for room in this stream.
     */
    public static final int REPLIES = 1;

    /**
     * Stream of what handlers send. Its messages land in lanes of their own, from which handlers that cannot send are
     * called. Requests may therefore wait for handlers that wait for room in this stream.
     */
    public static final int HANDLER_REPLIES = 2;

    /** Number of streams. */
    public static final int STREAMS = 3;

    /** Minimum of the longest frame of a link. */
    public static final int MIN_LIMIT = 256;

    /** Maximum of the longest frame of a link, so that the length of a payload fits its field. */
    public static final int MAX_LIMIT = 1 << 16;

    private static final int HANDLER_REPLIES_OFFSET = 4;
    private static final int HITS_OFFSET = 8;
    private static final int PACKETS_OFFSET = 12;
    private static final int REPLIES_OFFSET = 14;

    private Frame() {}

    /**
     * Writes the counts of landed or refused packets, and of hits among them.
     *
     * @see #head
     */
    public static void counts(Memory memory, long offset, int requests, int handlerReplies, int hits) {
        memory.putInt(offset, requests);
        memory.putInt(offset + HANDLER_REPLIES_OFFSET, handlerReplies);
        memory.putInt(offset + HITS_OFFSET, hits);
    }

    /** Writes the rest of the header of a frame: its number of packets, and that of the sender's replies. */
    public static void head(Memory memory, long offset, int packets, int replies) {
        memory.putInt(offset + PACKETS_OFFSET, (packets & 0xFFFF) | replies << Short.SIZE);
    }

    /** Returns the count of processed packets of {@link #REQUESTS}. The value is not validated. */
    public static int requests(Memory memory, long offset) {
        return memory.getInt(offset);
    }

    /** Returns the count of processed packets of {@link #HANDLER_REPLIES}. The value is not validated. */
    public static int handlerReplies(Memory memory, long offset) {
        return memory.getInt(offset + HANDLER_REPLIES_OFFSET);
    }

    /** Returns the count of hits. The value is not validated. */
    public static int hits(Memory memory, long offset) {
        return memory.getInt(offset + HITS_OFFSET);
    }

    /** Returns the number of packets. The value is not validated. */
    public static int packets(Memory memory, long offset) {
        return memory.getShort(offset + PACKETS_OFFSET) & 0xFFFF;
    }

    /**
     * Returns how many more replies the sender of a frame had sent than {@code processed}, modulo 2^16; negative if the
     * receiver has processed later ones.
     */
    public static int missingReplies(Memory memory, long offset, int processed) {
        return (short) (memory.getShort(offset + REPLIES_OFFSET) - processed);
    }

    /** Returns the length of a packet with this many bytes of payload, padded as in a frame. */
    public static int packetLength(int payloadLength) {
        return BitUtil.align(Packet.LENGTH + payloadLength, ALIGNMENT);
    }

    /** Returns the longest payload of a packet in a frame of {@code frameLimit} bytes. */
    public static int payloadLimit(int frameLimit) {
        return frameLimit - LENGTH - Packet.LENGTH;
    }
}
