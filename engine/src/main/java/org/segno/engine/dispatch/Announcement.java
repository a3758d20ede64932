package org.segno.engine.dispatch;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Announcement of a long message, which the sender makes before it moves any of the payload. It is the payload of a
 * message for {@link #DISPATCH_ID} with the metadata of the long message.
 *
 * <pre>
 *  offset  length  field           meaning
 *       0       4  dispatch id     id of the handler that chooses the landing place
 *       4       4  source counter  of the sender: gives the right to get the payload
 *       8       4  incarnation     of that
 *      12       4  reply counter   of the sender: gives the right to put the reply
 *      16       4  incarnation     of that
 *      20       4  slot            place of the reply: 8 bytes at 8 x slot
 *      24       8  ticket          identifies this use of the slot; part of the reply
 *      32       8  offset          of the payload, from the source counter's base
 *      40       8  length          bytes of the payload
 *      48          LENGTH
 * </pre>
 *
 * <p>None of its fields is trusted; each is validated where it is used. Every announcement has one reply,
 * {@link #reply}, in the word of its slot.
 */
public final class Announcement {
    public static final int LENGTH = 48;

    /** Dispatch id that is reserved for announcements, the highest one. */
    public static final int DISPATCH_ID = DispatchTable.ANNOUNCEMENTS;

    private static final int SOURCE_OFFSET = 4;
    private static final int SOURCE_INCARNATION_OFFSET = 8;
    private static final int REPLY_COUNTER_OFFSET = 12;
    private static final int REPLY_COUNTER_INCARNATION_OFFSET = 16;
    private static final int SLOT_OFFSET = 20;
    private static final int TICKET_OFFSET = 24;
    private static final int OFFSET_OFFSET = 32;
    private static final int LENGTH_OFFSET = 40;

    private Announcement() {}

    public static void put(MutableDirectBuffer buffer, int at, int dispatchId, int slot, long ticket) {
        buffer.putInt(at, dispatchId);
        buffer.putInt(at + SLOT_OFFSET, slot);
        buffer.putLong(at + TICKET_OFFSET, ticket);
    }

    public static void putSource(
            MutableDirectBuffer buffer, int at, int counter, int incarnation, long offset, long length) {
        buffer.putInt(at + SOURCE_OFFSET, counter);
        buffer.putInt(at + SOURCE_INCARNATION_OFFSET, incarnation);
        buffer.putLong(at + OFFSET_OFFSET, offset);
        buffer.putLong(at + LENGTH_OFFSET, length);
    }

    public static void putReplyCounter(MutableDirectBuffer buffer, int at, int counter, int incarnation) {
        buffer.putInt(at + REPLY_COUNTER_OFFSET, counter);
        buffer.putInt(at + REPLY_COUNTER_INCARNATION_OFFSET, incarnation);
    }

    public static int dispatchId(DirectBuffer buffer, int at) {
        return buffer.getInt(at);
    }

    public static int source(DirectBuffer buffer, int at) {
        return buffer.getInt(at + SOURCE_OFFSET);
    }

    public static int sourceIncarnation(DirectBuffer buffer, int at) {
        return buffer.getInt(at + SOURCE_INCARNATION_OFFSET);
    }

    public static int replyCounter(DirectBuffer buffer, int at) {
        return buffer.getInt(at + REPLY_COUNTER_OFFSET);
    }

    public static int replyCounterIncarnation(DirectBuffer buffer, int at) {
        return buffer.getInt(at + REPLY_COUNTER_INCARNATION_OFFSET);
    }

    public static int slot(DirectBuffer buffer, int at) {
        return buffer.getInt(at + SLOT_OFFSET);
    }

    public static long ticket(DirectBuffer buffer, int at) {
        return buffer.getLong(at + TICKET_OFFSET);
    }

    public static long offset(DirectBuffer buffer, int at) {
        return buffer.getLong(at + OFFSET_OFFSET);
    }

    public static long length(DirectBuffer buffer, int at) {
        return buffer.getLong(at + LENGTH_OFFSET);
    }

    /**
     * Returns the word of a reply: the ticket's low half in its low half, and zero or the code of a refusal in its high
     * half.
     */
    public static long reply(long ticket, int code) {
        return (ticket & 0xFFFF_FFFFL) | (long) code << Integer.SIZE;
    }

    /** Returns the code in a reply. */
    public static int code(long reply) {
        return (int) (reply >>> Integer.SIZE);
    }

    /** Returns the ticket in a reply. */
    public static int replyTicket(long reply) {
        return (int) reply;
    }
}
