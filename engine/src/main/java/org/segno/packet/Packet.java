package org.segno.packet;

import org.segno.memory.Memory;

/**
 * What travels over a link, viewed where the link keeps it: a header, then payload.
 *
 * <p>All access is plain: a link publishes a packet whole. What comes from another process is checked by whoever lands it.
 *
 * <pre>
 *  offset  length  field        PUT                 SEND                         COUNT         GET                RMW           GET_DATA, RMW_RESULT  REFUSED
 *       0       1  kind         of {@link PacketKind}
 *       1       1  channel      virtual channel in the low 4 bits; {@link #FIRST} for the first packet of a message
 *       2       2  length       bytes of payload, 0 to {@link #PAYLOAD_LIMIT}
 *       4       2  source       rank that sends it
 *       6       2  destination  rank for which it is
 *       8       4  target       counter             2 dispatch, 2 context        counter       counter            counter       request               code
 *      12       4  detail       incarnation         metadata length              incarnation   incarnation        incarnation   -                     1: a request's
 *      16       8  offset       from the base       of this part in the body     amount        from the base      from base     in what was asked for -
 *      24       4  remaining    bytes from here on  bytes of the whole body      -             -                  -             -                     -
 *      28       4  message      injection counter of the sender, or -1           likewise      request            request       -                     counter or request
 *      32          LENGTH
 * </pre>
 *
 * <p>The payload of GET is its length; of RMW function, operand and comparand, 8 bytes each.
 */
public final class Packet {
    /** Bytes of the header. */
    public static final int LENGTH = 32;

    /** Bytes of payload at most. */
    public static final int PAYLOAD_LIMIT = 512;

    /** Virtual channel of what asks for something at the destination. */
    public static final int REQUESTS = 0;

    /** Virtual channel of what was asked for: its receiver can always take it, so that requests may wait for room in it. */
    public static final int REPLIES = 1;

    /** How many virtual channels there are. */
    public static final int CHANNELS = 2;

    /** The first packet of a message. */
    public static final int FIRST = 0x10;

    private static final int CHANNEL_OFFSET = 1;
    private static final int PAYLOAD_LENGTH_OFFSET = 2;
    private static final int SOURCE_OFFSET = 4;
    private static final int DESTINATION_OFFSET = 6;
    private static final int TARGET_OFFSET = 8;
    private static final int DETAIL_OFFSET = 12;
    private static final int OFFSET_OFFSET = 16;
    private static final int REMAINING_OFFSET = 24;
    private static final int MESSAGE_OFFSET = 28;

    private final Memory memory;
    private long offset;

    /** A view of packets in {@code memory}; wrap before use. */
    public Packet(Memory memory) {
        this.memory = memory;
    }

    public Packet wrap(long newOffset) {
        this.offset = newOffset;
        return this;
    }

    /** Writes the words that every packet has. */
    public Packet head(int kind, int flags, int source, int destination) {
        memory.putByte(offset, (byte) kind);
        memory.putByte(offset + CHANNEL_OFFSET, (byte) (PacketKind.channel(kind) | flags));
        memory.putShort(offset + PAYLOAD_LENGTH_OFFSET, (short) 0);
        memory.putShort(offset + SOURCE_OFFSET, (short) source);
        memory.putShort(offset + DESTINATION_OFFSET, (short) destination);
        memory.putInt(offset + REMAINING_OFFSET, 0);
        return this;
    }

    /** Writes what is reached. */
    public Packet target(int target, int detail, long newOffset) {
        memory.putInt(offset + TARGET_OFFSET, target);
        memory.putInt(offset + DETAIL_OFFSET, detail);
        memory.putLong(offset + OFFSET_OFFSET, newOffset);
        return this;
    }

    /** Writes whose it is at its sender. */
    public Packet message(int message) {
        memory.putInt(offset + MESSAGE_OFFSET, message);
        return this;
    }

    /** Writes how many bytes there are; more than a word holds are written as that. */
    public Packet remaining(long bytes) {
        memory.putInt(offset + REMAINING_OFFSET, (int) Math.min(bytes, Integer.MAX_VALUE));
        return this;
    }

    public Packet payloadLength(int bytes) {
        memory.putShort(offset + PAYLOAD_LENGTH_OFFSET, (short) bytes);
        return this;
    }

    public int kind() {
        return memory.getByte(offset) & 0xFF;
    }

    public int channel() {
        return memory.getByte(offset + CHANNEL_OFFSET) & 0xF;
    }

    public boolean isFirst() {
        return (memory.getByte(offset + CHANNEL_OFFSET) & FIRST) != 0;
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

    public int detail() {
        return memory.getInt(offset + DETAIL_OFFSET);
    }

    /** From a base, or within a message; the amount of COUNT. */
    public long offset() {
        return memory.getLong(offset + OFFSET_OFFSET);
    }

    public int remaining() {
        return memory.getInt(offset + REMAINING_OFFSET);
    }

    public int message() {
        return memory.getInt(offset + MESSAGE_OFFSET);
    }

    /** Where the packets lie. */
    public Memory memory() {
        return memory;
    }

    /** Where the payload begins in {@link #memory}. */
    public long payload() {
        return offset + LENGTH;
    }

    @Override
    public String toString() {
        return PacketKind.name(kind()) + " of rank " + source() + " for rank " + destination() + " target " + target()
                + " detail " + detail() + " offset " + offset() + " payload " + payloadLength();
    }
}
