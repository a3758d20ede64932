package org.segno.engine.descriptor;

/**
 * The operations of the engine's instruction set: the first byte of a {@link Descriptor}.
 *
 * <p>All but one have the layout of the table there. A MULTICAST reads its metadata from a window, at every replay. Its
 * further targets use the fields that a SEND of that kind does not need:
 *
 * <pre>
 *  offset  length  field               MULTICAST
 *       0       1  operation
 *       1       1  flags               {@link Descriptor#METADATA_WINDOW} and those of a SEND's operands
 *       2       2  reserved            0
 *       4       4  rank                of the first target
 *       8       4  target id           2 dispatch, 2 context of the first target
 *      12       4  target detail       1 metadata, 1 targets: 1 to {@link Descriptor#MAX_TARGETS}
 *      16       8  source offset       in the operand
 *      24       4  source operand      id
 *      28       4  injection counter   id or -1
 *      32       8  metadata offset     in the operand
 *      40       4  metadata operand    id
 *      44       4  payload length      bytes
 *      48       4  second target       2 rank, 2 context, as the others
 *      52       4  third target
 *      56       4  fourth target
 *      60       4  fifth target
 *      64          LENGTH
 * </pre>
 */
public final class Operation {
    /** Copy a source window to a counter's base and offset on another node, and count both counters down. */
    public static final int PUT = 1;

    /**
     * Read the range of a counter on another node. Its owner's engine puts the data back, or this engine reads them
     * where they are mapped.
     */
    public static final int REMOTE_GET = 2;

    /** Send a message to the target context's lane. */
    public static final int SEND = 3;

    /** Operate atomically on a 64-bit word of a remote window. */
    public static final int RMW = 4;

    /** Change a remote counter by a signed amount. */
    public static final int COUNT = 5;

    /** Hold this run until a local counter is at or below a value. */
    public static final int WAIT = 6;

    /** Combine a local operand into another, element by element. */
    public static final int COMBINE = 7;

    /** Copy a local operand into another. */
    public static final int COPY = 8;

    /** Add to a local counter, so that a recorded pattern arms itself again. */
    public static final int ARM = 9;

    /** Send the same message to the lanes of several contexts. */
    public static final int MULTICAST = 10;

    private static final String[] NAMES = {
        "none", "PUT", "REMOTE_GET", "SEND", "RMW", "COUNT", "WAIT", "COMBINE", "COPY", "ARM", "MULTICAST"
    };

    private Operation() {}

    /** Returns the name of an operation for messages, or the number of an unknown one. */
    public static String name(int operation) {
        return operation > 0 && operation < NAMES.length ? NAMES[operation] : "unknown(" + operation + ")";
    }
}
