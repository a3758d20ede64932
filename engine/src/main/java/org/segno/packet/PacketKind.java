package org.segno.packet;

/** The kinds of packets: the first byte of a {@link Packet}. Requests travel in one virtual channel, replies in another. */
public final class PacketKind {
    /** Bytes for a reception counter's range. */
    public static final int PUT = 1;

    /** A message, or a part of one, for a context's lane. */
    public static final int SEND = 2;

    /** A change of a reception counter. */
    public static final int COUNT = 3;

    /** Asks for a PUT back to the sender, whose bytes come as {@link #GET_DATA}. */
    public static final int GET = 4;

    /** Asks for an atomic change of a word, whose old value comes as {@link #RMW_RESULT}. */
    public static final int RMW = 5;

    /** Reply: bytes that a {@link #GET} asked for. */
    public static final int GET_DATA = 6;

    /** Reply: what the word of an {@link #RMW} held before. */
    public static final int RMW_RESULT = 7;

    /** Reply: a message or a request was refused. */
    public static final int REFUSED = 8;

    private static final String[] NAMES = {
        "none", "PUT", "SEND", "COUNT", "GET", "RMW", "GET_DATA", "RMW_RESULT", "REFUSED"
    };

    private PacketKind() {}

    /** The channel in which packets of a kind travel; -1 for a kind that there is not. */
    public static int channel(int kind) {
        if (kind < PUT || kind > REFUSED) {
            return -1;
        }
        return kind < GET_DATA ? Packet.REQUESTS : Packet.REPLIES;
    }

    /** Name of a kind, for messages; the number of one that is unknown. */
    public static String name(int kind) {
        return kind > 0 && kind < NAMES.length ? NAMES[kind] : "unknown(" + kind + ")";
    }
}
