package org.segno.engine.memory;

import org.segno.geometry.Endpoint;

/**
 * State of each context of a node: the number of its present use, the client that has it, and whether that client is
 * being closed. Engines that send to the context compare the use once for a run of messages.
 *
 * <p>All words are zero at first: the first use, by the node's own client. Only the owner writes them.
 *
 * <pre>
 *  offset  length  field     meaning                                                     written by    access
 *       0       2  use       number of clients that had the context and were closed      application   release,
 *       2       1  client    number of the client within the node, 0 is the node's own                    as one word
 *       3       1  offset    number of the context within that client; 0 for the own
 *       4       4  barriers  bit 0: the client is being closed, no message is admitted;
 *                            above it: barriers that the last closed client entered
 *       8          CONTEXT_STATE_LENGTH
 * </pre>
 *
 * <p>The <em>origin</em> of a message is the identity of the context that sends it: 6 bits number, 10 bits use, 6 bits
 * client, 6 bits offset.
 */
public final class ContextStates {
    /** Number of bits of an origin. A word with a bit above them is invalid. */
    public static final int ORIGIN_BITS = 28;

    /**
     * Use in the mirror of a linked peer that has not introduced itself, and in ids that were made from it. It stands
     * for the use in which the engine first reaches the context.
     */
    public static final int UNKNOWN_USE = Endpoint.USES;

    private static final int USE_MASK = 0x3FF;
    private static final int CLIENT_SHIFT = 16;
    private static final int OFFSET_SHIFT = 24;
    private static final int ORIGIN_OFFSET_SHIFT = 22;
    private static final int BARRIERS_SHIFT = 33;
    private static final int ID_BITS = 0xFFFF;
    private static final int SIX_BITS = Endpoint.CONTEXTS - 1;
    private static final long CLOSING = 1L << 32;

    /** Bits that decide whether a message is admitted. */
    private static final long ADMISSION = CLOSING | ID_BITS;

    private static final long BARRIERS = -1L << BARRIERS_SHIFT;

    private final Memory memory;
    private final long base;

    public ContextStates(NodeMemory node) {
        this(node.owner(), node.contextStateOffset(0));
    }

    /** Creates a view of states, of the node or in a mirror of another, from {@code base} on. */
    ContextStates(Memory memory, long base) {
        this.memory = memory;
        this.base = base;
    }

    /** Returns the state of a context, which must exist. */
    public long stateAcquire(int context) {
        return memory.getLongAcquire(base + (long) context * NodeLayout.CONTEXT_STATE_LENGTH);
    }

    /** Returns true if a state admits messages to this id of its context. */
    public static boolean admits(long state, int contextId) {
        return (state & ADMISSION) == Endpoint.useOf(contextId);
    }

    /** Returns true if a state admits messages to no id, because the context's client is being closed. */
    public static boolean isClosing(long state) {
        return (state & CLOSING) != 0;
    }

    /** Returns the number of the client that has the context; 0 is the node's own. */
    public static int client(long state) {
        return (int) (state >>> CLIENT_SHIFT) & SIX_BITS;
    }

    /** Returns the number of the present use, which is not above {@link #UNKNOWN_USE}, whatever the word. */
    public static int use(long state) {
        return (int) state & USE_MASK;
    }

    /**
     * Returns true if the last closed client of the context had entered fewer than {@code rounds} barriers. Numbers of
     * rounds are compared by their lower 31 bits.
     */
    public static boolean isBehind(long state, int rounds) {
        return (((int) (state >>> BARRIERS_SHIFT) - rounds) << 1) < 0;
    }

    /** Returns the origin of messages from a context with this state. */
    public static int origin(int context, long state) {
        final int client = client(state);
        final int offset = client == 0 ? context : (int) (state >>> OFFSET_SHIFT) & SIX_BITS;
        return Endpoint.idOf(context, use(state)) | client << CLIENT_SHIFT | offset << ORIGIN_OFFSET_SHIFT;
    }

    /** Returns the origin of messages from a context that only the node's own client has had so far. */
    public static int origin(int context) {
        return context | context << ORIGIN_OFFSET_SHIFT;
    }

    /** Returns an origin from its parts. */
    public static int origin(int contextId, int client, int offset) {
        return contextId | client << CLIENT_SHIFT | offset << ORIGIN_OFFSET_SHIFT;
    }

    /** Returns the id of the context of an origin. */
    public static int originId(int origin) {
        return origin & ID_BITS;
    }

    /** Returns the number of the context of an origin. */
    public static int originContext(int origin) {
        return origin & SIX_BITS;
    }

    /** Returns the client of an origin. */
    public static int originClient(int origin) {
        return origin >>> CLIENT_SHIFT & SIX_BITS;
    }

    /** Returns the number of the context within its client, of an origin. */
    public static int originOffset(int origin) {
        return origin >>> ORIGIN_OFFSET_SHIFT & SIX_BITS;
    }

    /** Returns the endpoint of an origin at {@code rank}. */
    public static long endpoint(int rank, int origin) {
        return Endpoint.of(
                rank,
                originClient(origin),
                originOffset(origin),
                originContext(origin),
                Endpoint.useOf(originId(origin)));
    }

    /** Assigns a context to a client that is being opened. Called by the owner. */
    public void open(int context, int client, int offset) {
        final long before = stateAcquire(context);
        release(
                context,
                (before & BARRIERS) | use(before) | (long) client << CLIENT_SHIFT | (long) offset << OFFSET_SHIFT);
    }

    /**
     * Refuses messages to a context from now on.
     *
     * @param barriers that its client has entered there
     */
    public void close(int context, int barriers) {
        final long before = stateAcquire(context) & ~BARRIERS;
        release(context, before | CLOSING | (long) barriers << BARRIERS_SHIFT);
    }

    /** Returns true if a context has a further use. */
    public boolean hasNextUse(int context) {
        return use(stateAcquire(context)) < Endpoint.USES - 1;
    }

    /**
     * Begins the next use of a context that was closed, by the node's own client. From then on, other ranks send and
     * count to it.
     */
    public void reopen(int context) {
        final long before = stateAcquire(context);
        release(context, (before & BARRIERS) | (use(before) + 1));
    }

    /** Returns the incarnation of the barrier counter of a context in a use: both change together, from 1 on. */
    public static int barrierIncarnation(int use) {
        return use + 1;
    }

    /** Returns true if an id was made before the node of its context introduced itself. */
    public static boolean isUnknown(int contextId) {
        return Endpoint.useOf(contextId) == UNKNOWN_USE;
    }

    /** Stores the state of another node's context in the mirror of that node. Called by the engine that received it. */
    public void mirror(int context, long state) {
        release(context, state);
    }

    private void release(int context, long state) {
        memory.putLongRelease(base + (long) context * NodeLayout.CONTEXT_STATE_LENGTH, state);
    }
}
