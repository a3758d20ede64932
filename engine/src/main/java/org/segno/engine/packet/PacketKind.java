package org.segno.engine.packet;

/**
 * The kinds of packets: the first byte of a {@link Packet}. The requests of applications, those of their handlers, and
 * the replies of engines travel in different streams.
 */
public final class PacketKind {
    /** Bytes for a reception counter's range. */
    public static final int PUT = 1;

    /** A message, or a part of one, for a context's lane. */
    public static final int SEND = 2;

    /** A change of a reception counter. */
    public static final int COUNT = 3;

    /** Request for a PUT back to the sender. The bytes arrive as {@link #GET_DATA}. */
    public static final int GET = 4;

    /** Request for an atomic change of a word. Its old value arrives as {@link #RMW_RESULT}. */
    public static final int RMW = 5;

    /** Bytes for a reception counter's range, the last of which notify a handler. */
    public static final int NOTIFYING_PUT = 6;

    /** Question for the entry of a name in the receiver's directory. It arrives as {@link #NAME}. */
    public static final int ASK_NAME = 7;

    /** Several short PUTs to one reception counter. */
    public static final int PUTS = 8;

    /** Demand for a lane for the sender's records, or the end of its use of one. It arrives as {@link #LANE}. */
    public static final int DEMAND = 9;

    /** Several short messages for one context's lane. */
    public static final int SENDS = 10;

    /** Reply with bytes that a {@link #GET} requested. */
    public static final int GET_DATA = 11;

    /** Reply with the old value of the word of an {@link #RMW}. */
    public static final int RMW_RESULT = 12;

    /** Reply that a message or a request was refused. */
    public static final int REFUSED = 13;

    /** Reply with the entry that an {@link #ASK_NAME} looked for, or that there is none. */
    public static final int NAME = 14;

    /** Grant of credit for records in the lane of one of the sender's contexts. */
    public static final int CREDIT = 15;

    /** State of one of the sender's contexts, for the receiver's mirror. */
    public static final int CONTEXT_STATE = 16;

    /** Reply that the receiver has a lane for its records, or is asked to give one up. */
    public static final int LANE = 17;

    private static final String[] NAMES = {
        "none",
        "PUT",
        "SEND",
        "COUNT",
        "GET",
        "RMW",
        "NOTIFYING_PUT",
        "ASK_NAME",
        "PUTS",
        "DEMAND",
        "SENDS",
        "GET_DATA",
        "RMW_RESULT",
        "REFUSED",
        "NAME",
        "CREDIT",
        "CONTEXT_STATE",
        "LANE"
    };

    private PacketKind() {}

    /** Returns true if a kind is PUT or NOTIFYING_PUT: a message of them may have several packets. */
    public static boolean isPut(int kind) {
        return kind == PUT || kind == NOTIFYING_PUT;
    }

    /** Returns true if a packet of a kind has several messages, of which a part may be refused. */
    public static boolean isRun(int kind) {
        return kind == PUTS || kind == SENDS;
    }

    /** Returns true if packets of a kind put records into a context's lane. */
    public static boolean isMessage(int kind) {
        return kind == SEND || kind == SENDS || kind == NOTIFYING_PUT;
    }

    /** Returns true if a packet of a kind is a request with a number of its own, which its reply or refusal names. */
    public static boolean isRequest(int kind) {
        return kind == GET || kind == RMW || kind == ASK_NAME;
    }

    /** Returns true if packets of a kind may travel in a stream. */
    public static boolean isIn(int kind, int stream) {
        final int first = stream(kind);
        return first == stream || (first == Frame.REQUESTS && stream == Frame.HANDLER_REPLIES);
    }

    /**
     * Returns the stream in which packets of a kind travel, {@link Frame#REQUESTS} for those that handlers send, too,
     * or -1 for an unknown kind.
     */
    public static int stream(int kind) {
        if (kind < PUT || kind > LANE) {
            return -1;
        }
        return kind < GET_DATA ? Frame.REQUESTS : Frame.REPLIES;
    }

    /** Returns the name of a kind for messages, or the number of an unknown one. */
    public static String name(int kind) {
        return kind > 0 && kind < NAMES.length ? NAMES[kind] : "unknown(" + kind + ")";
    }
}
