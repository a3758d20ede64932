package org.segno.engine.fifo;

import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.memory.ContextStates;
import org.segno.engine.memory.NodeDimensions;
import org.segno.geometry.Endpoint;

/**
 * Record in a reception lane: a header word, then metadata, then payload. Records start at multiples of 16 bytes.
 *
 * <p>The header is one word, and storing it publishes the record. A header of zero means that there is no record. The
 * producer zeroes the next header before it publishes this one, so that the consumer has nothing to clear.
 *
 * <pre>
 *  offset  length  field             meaning                                                   written by   access
 *       0       4  length, kind      28 bits: bytes from here to the end of the payload, 8 or  producer     release,
 *                                    more; 4 bits: {@link #MESSAGE} to {@link #ORIGIN}                        as one
 *       4       2  id                dispatch id, or counter or FIFO of an event               producer       word
 *       6       1  metadata length   0 to 128                                                  producer
 *       7       1  origin context    of a message: the context that sent it                    producer
 *       8       m  metadata                                                                    producer     plain
 *     8+m       p  payload                                                                     producer     plain
 * </pre>
 *
 * <p>The rank of the origin follows from the lane. Its client, its offset there and its use follow from the last record
 * of kind {@link #ORIGIN} for that context in the lane, which comes before its first message in that use. Until there
 * is one, the origin is that of {@link ContextStates#origin(int)}. Such a record has no body; its id is that of the
 * context, and the client and the offset are in the places of the metadata length and of the origin context.
 *
 * <p>The notice of a PUT is a message with three words of metadata and no payload: the id of the reception counter at
 * which it landed, the offset from that counter's base, and the number of landed bytes.
 */
public final class LaneRecord {
    /** Bytes before the metadata. */
    public static final int HEADER_LENGTH = 8;

    /** Alignment of the start and the end of a record, in bytes. */
    public static final int ALIGNMENT = 16;

    /** Kind of a message for the handler of its dispatch id. */
    public static final int MESSAGE = 1;

    /** Kind of the padding at the end of a lane, where the next record does not fit. */
    public static final int PAD = 2;

    /** Kind of an event: a counter of the lane's owner was hit. */
    public static final int EVENT = 3;

    /**
     * Kind of an event: the fill of an injection FIFO of the lane's owner fell below its threshold, or with
     * {@link #FREE_EVENT} its number of free slots reached one.
     */
    public static final int FIFO_EVENT = 4;

    /** Kind of a record that names the client and the use of a context, for the messages of that context behind it. */
    public static final int ORIGIN = 5;

    /** Flag beside the number of a FIFO in the id of its event: the event is that of the free slots. */
    public static final int FREE_EVENT = NodeDimensions.MAX_FIFOS;

    /** Length of the metadata of a notice in bytes. */
    public static final int NOTICE_LENGTH = 24;

    public static final int NOTICE_COUNTER_OFFSET = 0;
    public static final int NOTICE_OFFSET_OFFSET = 8;
    public static final int NOTICE_BYTES_OFFSET = 16;

    private static final int KIND_SHIFT = 28;
    private static final int LENGTH_BITS = (1 << KIND_SHIFT) - 1;
    private static final int ORIGIN_SHIFT = 56;

    private LaneRecord() {}

    static long header(int length, int id, int metadataLength, int kind) {
        return (length | (long) kind << KIND_SHIFT) | (id & 0xFFFFL) << 32 | (long) metadataLength << 48;
    }

    /** Returns the bits in the header of a message that name the context of its origin. */
    static long origin(int context) {
        return (long) context << ORIGIN_SHIFT;
    }

    /** Returns the header of a record of kind {@link #ORIGIN}. */
    static long originHeader(int origin) {
        return header(HEADER_LENGTH, ContextStates.originId(origin), ContextStates.originClient(origin), ORIGIN)
                | origin(ContextStates.originOffset(origin));
    }

    /** Returns the origin that a record of kind {@link #ORIGIN} names. */
    static int originOf(long header) {
        return ContextStates.origin(id(header), metadataLength(header), originContext(header));
    }

    /** Returns the length of a record in bytes, including its header. The value is not validated. */
    public static int length(long header) {
        return (int) header & LENGTH_BITS;
    }

    /** Returns the dispatch id, or the counter or FIFO of an event. */
    public static int id(long header) {
        return (int) (header >>> 32) & 0xFFFF;
    }

    /** Returns the length of the metadata in bytes. */
    public static int metadataLength(long header) {
        return (int) (header >>> 48) & 0xFF;
    }

    /** Returns the kind of the record: {@link #MESSAGE} to {@link #ORIGIN}, or an impossible one. */
    public static int kind(long header) {
        return (int) header >>> KIND_SHIFT;
    }

    /**
     * Returns true if a header other than that of a pad can be one: its kind, and the lengths and numbers that follow
     * from it. The room in the lane is not checked.
     */
    public static boolean isPossible(long header) {
        final int kind = kind(header);
        final int metadataLength = metadataLength(header);
        if (kind == ORIGIN) {
            return length(header) == HEADER_LENGTH
                    && metadataLength < Endpoint.CONTEXTS
                    && originContext(header) < Endpoint.CONTEXTS;
        }
        return kind >= MESSAGE
                && kind <= FIFO_EVENT
                && metadataLength <= Descriptor.MAX_METADATA_LENGTH
                && originContext(header) < Endpoint.CONTEXTS
                && length(header) >= HEADER_LENGTH + metadataLength;
    }

    /** Returns the context that sent a message. The value is not validated. */
    public static int originContext(long header) {
        return (int) (header >>> ORIGIN_SHIFT);
    }

    /** Returns the number of bytes that a record occupies in its lane. */
    public static int alignedLength(int length) {
        return (length + (ALIGNMENT - 1)) & -ALIGNMENT;
    }

    /** Returns true for a position at which a record can start. */
    public static boolean isAligned(long position) {
        return (position & (ALIGNMENT - 1)) == 0;
    }

    /** Returns the position at or before {@code position} at which a record can start. */
    public static int alignedBefore(int position) {
        return position & -ALIGNMENT;
    }

    /**
     * Returns the bytes of a lane that a record with a body of this length takes at most: its own, and those of a
     * record of its origin before it.
     */
    public static int charge(int bodyLength) {
        return alignedLength(HEADER_LENGTH + bodyLength) + ALIGNMENT;
    }

    /** Returns the maximum length of metadata and payload together in one record of a lane. */
    public static int maxBodyLength(int laneBytes) {
        return laneBytes / 4 - HEADER_LENGTH;
    }
}
