package org.segno.descriptor;

/** The operations of the engine's instruction set: the first byte of a {@link Descriptor}. */
public final class Operation {
    /** Copy a source window to a counter's base and offset on another node; count both counters down. */
    public static final int PUT = 1;

    /** Read what a counter on another node stands over: its owner's engine puts it back to us, or we read it where it is mapped. */
    public static final int REMOTE_GET = 2;

    /** A message into the target context's lane. */
    public static final int SEND = 3;

    /** Atomic operation on a 64-bit word of a remote window. */
    public static final int RMW = 4;

    /** Change a remote counter by a signed amount. */
    public static final int COUNT = 5;

    /** Hold this run until a local counter is at or below a value. */
    public static final int WAIT = 6;

    /** Reduce a local window into another, element by element. */
    public static final int COMBINE = 7;

    /** Copy a local window into another. */
    public static final int COPY = 8;

    /** Add to a local counter, so that a recorded pattern arms itself again. */
    public static final int ARM = 9;

    /**
     * The same message into the lanes of several contexts. Its metadata lie in a window, and are read at every replay; to whom it goes
     * stands in what a SEND of that kind leaves over.
     *
     * <pre>
     *  offset  length  field               meaning
     *       0       4  operation, flags    0, channel and mask over links
     *       4       4  rank                of the first target
     *       8       4  target id           2 dispatch, 2 context of the first target
     *      12       4  target detail       1 metadata, 1 targets: 1 to {@link Descriptor#MAX_TARGETS}
     *      16      16  source, counter     as of SEND
     *      32       8  metadata offset     in the window
     *      40       4  metadata window     id
     *      44       4  length              bytes
     *      48      16  further targets     2 rank, 2 context each
     * </pre>
     */
    public static final int MULTICAST = 10;

    private static final String[] NAMES = {
        "none", "PUT", "REMOTE_GET", "SEND", "RMW", "COUNT", "WAIT", "COMBINE", "COPY", "ARM", "MULTICAST"
    };

    private Operation() {}

    /** Name of an operation, for messages; the number of one that is unknown. */
    public static String name(int operation) {
        return operation > 0 && operation < NAMES.length ? NAMES[operation] : "unknown(" + operation + ")";
    }
}
