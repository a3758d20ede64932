package org.segno.engine.packet;

import org.agrona.BitUtil;
import org.segno.engine.memory.Memory;
import org.segno.status.Refusal;

/**
 * A packet in a {@link Frame}, viewed in the link's memory: a header, then payload.
 *
 * <p>All access is plain, because a link publishes a whole frame. A packet from another process is validated by the
 * code that lands it.
 *
 * <pre>
 *  offset  length  field        PUT                    SEND                      COUNT
 *       0       1  kind         of {@link PacketKind}
 *       1       1  flags        {@link #FIRST} for the first packet of a message, {@link #AWAITED}, {@link #MORE}
 *       2       2  length       bytes of payload
 *       4       2  source       rank of the sender
 *       6       2  destination  rank of the receiver
 *       8       4  target       counter                2 dispatch, 2 context     counter
 *      12       4  detail       incarnation            length of metadata        incarnation
 *      16       8  offset       from the base          4 in the body, 4 origin   amount
 *      24       8  remaining    bytes from here on     4 whole body, 4 zero      zero
 *      32          LENGTH
 *
 *  offset  length  field        GET             RMW             GET_DATA, RMW_RESULT   REFUSED
 *       8       4  target       counter         counter         request                code
 *      12       4  detail       incarnation     incarnation     -                      stream, or -1
 *      16       8  offset       from base       from base       in the requested data  part refused, or -1
 *      24       8  remaining    4 zero, 4 request               -                      4 zero, 4 number
 *
 *  offset  length  field        ASK_NAME           NAME                                  CREDIT        CONTEXT_STATE
 *       8       4  target       zero               request                               context       context
 *      12       4  detail       zero               kind of the entry, or zero for none   stream        1 if more follow
 *      16       8  offset       zero               zero                                  bytes in all  state
 *      24       8  remaining    4 zero, 4 request  zero                                  zero          zero
 *
 *  offset  length  field        DEMAND         LANE
 *       8       4  target       context        context
 *      12       4  detail       least bytes    stream
 *      16       8  offset       bytes          bytes
 *      24       8  remaining    zero           zero
 * </pre>
 *
 * <p>REFUSED names the refused packet by its stream and its number in that stream, from {@link Frame#FIRST}, modulo
 * 2^32. In the stream {@link Frame#REPLIES}, in which nothing is refused, it names a request. Of a PUTS or SENDS some
 * messages may have landed; the offset has, from its lowest bits on, 4 bytes for the bytes of the others without
 * metadata, 2 for those of metadata, and 2 for their number. Without a stream it reports underflows of a counter, which
 * takes the place of the number, and the offset has how many. The offset of a SEND is that of this part in the body,
 * and above it the origin ({@link org.segno.engine.memory.ContextStates}): the context that sends, in its use and with
 * its client.
 *
 * <p>CREDIT has the charges ({@link org.segno.engine.fifo.LaneRecord}) of records that have left the lane of a context,
 * or were refused, since the lane exists: those of the stream in its detail.
 *
 * <p>DEMAND has the length of the lane that the sender wants for its records to a context, and the least length that
 * does. It travels in the stream of those records. Zero means that the sender no longer needs its lane. When the
 * receiver has an empty lane that is at least as long as the latter and at most as long as the former, it replies with
 * LANE and its length. A LANE of zero asks the sender to give its lane up.
 *
 * <p>The payload of ASK_NAME is the name in the encoding of {@link org.segno.engine.memory.NameDirectory}; that of NAME
 * is id and incarnation in one word, and the length of the entry. The ids of a client's contexts follow, 2 bytes each.
 * CONTEXT_STATE has a word of {@link org.segno.engine.memory.ContextStates}; before its first other reply, a node sends
 * all that are not zero.
 *
 * <p>The payload of GET is its length. The payload of RMW is function, operand and comparand, 8 bytes each. The payload
 * of PUT and NOTIFYING_PUT begins with the number of the message, which every part repeats. The parts of several
 * messages may alternate in a stream; the number tells them apart.
 *
 * <pre>
 *  offset  length  field     meaning
 *       0       4  number    of a message of several packets, among those that the sender has begun; otherwise 0
 *       4       4  reserved  zero
 *       8          {@link #PUT_PREFIX_LENGTH}
 * </pre>
 *
 * <p>PUTS has the header of PUT, with the offset of its first PUT. In place of the remaining bytes it has their number,
 * 4 bytes, and a stride, 4 bytes, signed. Each PUT is a whole message. The payload has no number. If the stride is not
 * zero, it consists of the bytes of all, of equal parts; each lands so far behind the one before. If it is zero, the
 * payload begins with the range of each, then come their bytes without gaps:
 *
 * <pre>
 *  offset  length  field    meaning
 *       0     4 n  offsets  from that of the header, signed
 *     4 n     2 n  lengths  in bytes
 *                  bytes    from {@link #runPrefixLength} on
 * </pre>
 *
 * <p>SENDS has the header of SEND, with zero for the dispatch id and the length of the metadata, and the number of its
 * messages in place of the remaining bytes. Each is a whole message. The payload begins with what SEND has in its
 * header of each, then come the bodies without gaps:
 *
 * <pre>
 *  offset  length  field     meaning
 *       0     2 n  dispatch  ids of the handlers
 *     2 n     2 n  metadata  lengths in bytes
 *     4 n     2 n  lengths   of the whole bodies in bytes
 *                  bodies    from {@link #runPrefixLength} on
 * </pre>
 *
 * <p>NOTIFYING_PUT has the header of PUT. The notice follows the message, and every part repeats it, too:
 *
 * <pre>
 *  offset  length  field         meaning
 *       8       2  dispatch      id of the handler
 *      10       2  context       id of its context
 *      12       4  origin        as in a SEND
 *      16       8  whole offset  of the whole message, from the base
 *      24       8  whole length  of the whole message
 *      32          {@link #NOTICE_PREFIX_LENGTH}
 * </pre>
 */
public final class Packet {
    /** Length of the header in bytes. */
    public static final int LENGTH = 32;

    /** Length of the message at the beginning of the payload of a PUT and of a NOTIFYING_PUT. */
    public static final int PUT_PREFIX_LENGTH = 8;

    /** Length of the message and the notice at the beginning of the payload of a NOTIFYING_PUT. */
    public static final int NOTICE_PREFIX_LENGTH = 32;

    /** Number of bytes in a refusal that concerns the whole packet. */
    public static final long ALL = -1;

    /** Stream of a REFUSED that reports an underflow, which refuses no packet. */
    public static final int NO_STREAM = -1;

    /** Flag of the first packet of a message. */
    public static final int FIRST = 0x10;

    /** Flag of a packet whose acknowledgement the sender awaits. */
    public static final int AWAITED = 0x20;

    /** Flag of a packet that the sender follows at once by another one in the same stream. */
    public static final int MORE = 0x40;

    /** All flags. */
    public static final int FLAGS = FIRST | AWAITED | MORE;

    private static final int PART_OPERATIONS_SHIFT = 48;
    private static final int FLAGS_OFFSET = 1;
    private static final int PAYLOAD_LENGTH_OFFSET = 2;
    private static final int SOURCE_OFFSET = 4;
    private static final int DESTINATION_OFFSET = 6;
    private static final int TARGET_OFFSET = 8;
    private static final int CONTEXT_OFFSET = 10;
    private static final int DETAIL_OFFSET = 12;
    private static final int OFFSET_OFFSET = 16;
    private static final int REMAINING_OFFSET = 24;
    private static final int REQUEST_OFFSET = 28;
    private static final int NUMBER_OFFSET = LENGTH;
    private static final int NOTICE_OFFSET = LENGTH + PUT_PREFIX_LENGTH;
    private static final int NOTICE_CONTEXT_OFFSET = NOTICE_OFFSET + 2;
    private static final int NOTICE_ORIGIN_OFFSET = NOTICE_OFFSET + 4;
    private static final int WHOLE_OFFSET_OFFSET = NOTICE_OFFSET + 8;
    private static final int WHOLE_LENGTH_OFFSET = NOTICE_OFFSET + 16;

    private Memory memory;
    private long offset;

    /** Creates a view of packets in {@code memory}, which must be wrapped before use. */
    public Packet(Memory memory) {
        this.memory = memory;
    }

    public Packet wrap(long newOffset) {
        this.offset = newOffset;
        return this;
    }

    public Packet wrap(Memory newMemory, long newOffset) {
        this.memory = newMemory;
        this.offset = newOffset;
        return this;
    }

    /** Writes the words that every packet has. */
    public Packet head(int kind, int flags, int source, int destination) {
        memory.putByte(offset, (byte) kind);
        memory.putByte(offset + FLAGS_OFFSET, (byte) flags);
        memory.putShort(offset + PAYLOAD_LENGTH_OFFSET, (short) 0);
        memory.putShort(offset + SOURCE_OFFSET, (short) source);
        memory.putShort(offset + DESTINATION_OFFSET, (short) destination);
        memory.putLong(offset + REMAINING_OFFSET, 0);
        return this;
    }

    /** Writes the target, its detail and the offset. */
    public Packet target(int target, int detail, long newOffset) {
        memory.putInt(offset + TARGET_OFFSET, target);
        memory.putInt(offset + DETAIL_OFFSET, detail);
        memory.putLong(offset + OFFSET_OFFSET, newOffset);
        return this;
    }

    /**
     * Writes the target of a SEND and the length of its metadata, with 0 for the offset of this part in the body and
     * the origin. {@link #part} follows.
     */
    public Packet body(int dispatchId, int context, int metadataLength) {
        return target((dispatchId & 0xFFFF) | context << Short.SIZE, metadataLength, 0);
    }

    /** Writes the offset of this part in the body of a SEND, and the origin. */
    public Packet part(int newOffset, int origin) {
        memory.putLong(offset + OFFSET_OFFSET, (newOffset & 0xFFFF_FFFFL) | (long) origin << Integer.SIZE);
        return this;
    }

    /** Writes the sender's number of a request. */
    public Packet request(int request) {
        memory.putInt(offset + REQUEST_OFFSET, request);
        return this;
    }

    /**
     * Writes the reason of a refusal, and the stream and the number of the refused packet, or of the request.
     *
     * @param part the part of the packet that has not landed, as {@link #refusedPart} returns it, or {@link #ALL}
     */
    public Packet refused(int code, int stream, int number, long part) {
        return target(code, stream, part).request(number);
    }

    /** Returns the part of a packet with these numbers of operations and bytes, for {@link #refused}. */
    public static long refusedPart(int operations, int metadataBytes, int bytes) {
        return (long) operations << PART_OPERATIONS_SHIFT | (long) metadataBytes << Integer.SIZE | bytes;
    }

    /** Returns the operations in a part of a packet. */
    public static int partOperations(long part) {
        return (int) (part >>> PART_OPERATIONS_SHIFT);
    }

    /** Returns the bytes of metadata in a part of a packet. */
    public static int partMetadataBytes(long part) {
        return (int) (part >>> Integer.SIZE) & 0xFFFF;
    }

    /** Returns the other bytes in a part of a packet; below zero if they are not possible. */
    public static int partBytes(long part) {
        return (int) part;
    }

    /**
     * Writes that a peer's message has counted a reception counter below zero, which it forbids.
     *
     * @param times how often, since this was written last
     */
    public Packet underflow(int counter, int times) {
        return target(Refusal.UNDERFLOW.code(), NO_STREAM, times).request(counter);
    }

    /** Returns the length of the fields before the bytes in the payload of PUTS or SENDS of {@code count} messages. */
    public static int runPrefixLength(int count) {
        return BitUtil.align(count * (Integer.BYTES + Short.BYTES), Frame.ALIGNMENT);
    }

    /** Writes the range of a PUT among {@code count} of a PUTS. */
    public void put(int count, int index, int offsetFromFirst, int length) {
        memory.putInt(payload() + (long) index * Integer.BYTES, offsetFromFirst);
        memory.putShort(lengthAt(count, index), (short) length);
    }

    private long lengthAt(int count, int index) {
        return payload() + (long) count * Integer.BYTES + (long) index * Short.BYTES;
    }

    /** Returns the offset from the base of a PUT of a PUTS. The value is not validated. */
    public long putOffset(int index) {
        return offset() + memory.getInt(payload() + (long) index * Integer.BYTES);
    }

    /** Returns the length of a PUT among {@code count} of a PUTS. The payload must contain the ranges. */
    public int putLength(int count, int index) {
        return memory.getShort(lengthAt(count, index)) & 0xFFFF;
    }

    /** Writes the handler and the lengths of metadata and body of a message among {@code count} of a SENDS. */
    public void send(int count, int index, int dispatchId, int metadataLength, int bodyLength) {
        memory.putShort(sendAt(count, index, 0), (short) dispatchId);
        memory.putShort(sendAt(count, index, 1), (short) metadataLength);
        memory.putShort(sendAt(count, index, 2), (short) bodyLength);
    }

    private long sendAt(int count, int index, int field) {
        return payload() + ((long) field * count + index) * Short.BYTES;
    }

    /** Returns the handler of a message among {@code count} of a SENDS. The payload must contain the prefix. */
    public int sendDispatchId(int count, int index) {
        return memory.getShort(sendAt(count, index, 0)) & 0xFFFF;
    }

    /** Returns the length of its metadata. The value is not validated. */
    public int sendMetadataLength(int count, int index) {
        return memory.getShort(sendAt(count, index, 1)) & 0xFFFF;
    }

    /** Returns the length of its whole body. The value is not validated. */
    public int sendLength(int count, int index) {
        return memory.getShort(sendAt(count, index, 2)) & 0xFFFF;
    }

    /** Writes the number of the message of a PUT or a NOTIFYING_PUT, in the payload. */
    public Packet number(int number) {
        memory.putLong(offset + NUMBER_OFFSET, number & 0xFFFF_FFFFL);
        return this;
    }

    /**
     * Writes the bytes of a PUT or a NOTIFYING_PUT from this packet on, or the number of messages of a SENDS, or of a
     * PUTS with listed ranges.
     */
    public Packet remaining(long bytes) {
        memory.putLong(offset + REMAINING_OFFSET, bytes);
        return this;
    }

    /** Writes the number of the PUTs of a PUTS, and the distance from the offset of each to that of the next. */
    public Packet strided(int count, int stride) {
        return remaining((count & 0xFFFF_FFFFL) | (long) stride << Integer.SIZE);
    }

    /** Returns the number of the PUTs of a PUTS. The value is not validated. */
    public int puts() {
        return (int) remaining();
    }

    /** Returns the distance from the offset of each PUT of a PUTS to that of the next, or zero for listed ranges. */
    public int stride() {
        return (int) (remaining() >>> Integer.SIZE);
    }

    /** Writes the length of the whole body of a SEND. */
    public Packet bodyLength(int bytes) {
        memory.putInt(offset + REMAINING_OFFSET, bytes);
        return this;
    }

    /** Writes the notice of a NOTIFYING_PUT: its handler, the origin, and the range of the whole message. */
    public Packet notice(int handler, int origin, long wholeOffset, long wholeLength) {
        memory.putInt(offset + NOTICE_OFFSET, handler);
        memory.putInt(offset + NOTICE_ORIGIN_OFFSET, origin);
        memory.putLong(offset + WHOLE_OFFSET_OFFSET, wholeOffset);
        memory.putLong(offset + WHOLE_LENGTH_OFFSET, wholeLength);
        return this;
    }

    public Packet payloadLength(int bytes) {
        memory.putShort(offset + PAYLOAD_LENGTH_OFFSET, (short) bytes);
        return this;
    }

    public int kind() {
        return memory.getByte(offset) & 0xFF;
    }

    public boolean isFirst() {
        return (flags() & FIRST) != 0;
    }

    /** Returns the flags. The value is not validated. */
    public int flags() {
        return memory.getByte(offset + FLAGS_OFFSET) & 0xFF;
    }

    public int payloadLength() {
        return memory.getShort(offset + PAYLOAD_LENGTH_OFFSET) & 0xFFFF;
    }

    public int source() {
        return memory.getShort(offset + SOURCE_OFFSET) & 0xFFFF;
    }

    public int destination() {
        return memory.getShort(offset + DESTINATION_OFFSET) & 0xFFFF;
    }

    public int target() {
        return memory.getInt(offset + TARGET_OFFSET);
    }

    /** Returns the handler of a SEND. */
    public int dispatchId() {
        return memory.getShort(offset + TARGET_OFFSET) & 0xFFFF;
    }

    /** Returns the id of the target context of a SEND. */
    public int context() {
        return memory.getShort(offset + CONTEXT_OFFSET) & 0xFFFF;
    }

    public int detail() {
        return memory.getInt(offset + DETAIL_OFFSET);
    }

    /** Returns the length of the metadata of a SEND. The value is not validated. */
    public int metadataLength() {
        return detail();
    }

    /** Returns the origin of a SEND. The value is not validated. */
    public int origin() {
        return (int) (memory.getLong(offset + OFFSET_OFFSET) >>> Integer.SIZE);
    }

    /** Returns the offset of this part in the body of a SEND. */
    public int partOffset() {
        return memory.getInt(offset + OFFSET_OFFSET);
    }

    /** Returns the offset from a base or in requested data, or the amount of COUNT. */
    public long offset() {
        return memory.getLong(offset + OFFSET_OFFSET);
    }

    /** Returns what {@link #remaining(long)} has written. The value is not validated. */
    public long remaining() {
        return memory.getLong(offset + REMAINING_OFFSET);
    }

    /** Returns the length of the whole body of a SEND. The value is not validated. */
    public int bodyLength() {
        return memory.getInt(offset + REMAINING_OFFSET);
    }

    /** Returns the sender's number of a request, or the number in a refusal. The value is not validated. */
    public int request() {
        return memory.getInt(offset + REQUEST_OFFSET);
    }

    /** Returns the number of the message of a PUT or a NOTIFYING_PUT, whose payload must contain it. */
    public int number() {
        return memory.getInt(offset + NUMBER_OFFSET);
    }

    /** Returns the handler of a notice. */
    public int noticeDispatchId() {
        return memory.getShort(offset + NOTICE_OFFSET) & 0xFFFF;
    }

    /** Returns the id of the context of a notice. */
    public int noticeContext() {
        return memory.getShort(offset + NOTICE_CONTEXT_OFFSET) & 0xFFFF;
    }

    /** Returns the origin of a notice. The value is not validated. */
    public int noticeOrigin() {
        return memory.getInt(offset + NOTICE_ORIGIN_OFFSET);
    }

    /** Returns the offset of the whole message of a notice. The value is not validated. */
    public long wholeOffset() {
        return memory.getLong(offset + WHOLE_OFFSET_OFFSET);
    }

    /** Returns the length of the whole message of a notice. The value is not validated. */
    public long wholeLength() {
        return memory.getLong(offset + WHOLE_LENGTH_OFFSET);
    }

    /** Returns the memory of the packets. */
    public Memory memory() {
        return memory;
    }

    /** Returns the offset of the payload in {@link #memory}. */
    public long payload() {
        return offset + LENGTH;
    }

    @Override
    public String toString() {
        return PacketKind.name(kind()) + " of rank " + source() + " for rank " + destination() + " target " + target()
                + " detail " + detail() + " offset " + offset() + " payload " + payloadLength();
    }
}
