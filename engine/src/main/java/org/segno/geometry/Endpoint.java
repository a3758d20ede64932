package org.segno.geometry;

/**
 * Destination of messages: a context of a client of a rank. It is one plain {@code long}, so that arrays, windows and
 * messages contain endpoints directly. {@code Client.endpoint} returns them. An endpoint is valid at every rank of the
 * job until its client is closed. A message to it is refused from then on, also when other clients use the context.
 *
 * <pre>
 *  offset  length  field     meaning, in little-endian memory
 *       0       4  task      rank
 *       4       2  context   6 bits: number of the context among all of its node; 10 bits: number of its use
 *       6       1  offset    number of the context within its client
 *       7       1  client    number of the client within its node, 0 is the node's own
 *       8          LENGTH
 * </pre>
 *
 * <p>The <em>use</em> of a context counts the clients that had it and were closed. Number and use together are the id
 * of a context, by which messages name their target.
 *
 * <p>Two endpoints are the same if their numbers are equal.
 */
public final class Endpoint {
    /** Length of an endpoint in bytes. */
    public static final int LENGTH = Long.BYTES;

    static final int TASK_OFFSET = 0;
    static final int CONTEXT_OFFSET = 4;
    static final int OFFSET_OFFSET = 6;
    static final int CLIENT_OFFSET = 7;

    /** Maximum number of contexts of a node, and of its clients. */
    public static final int CONTEXTS = 64;

    /** Maximum number of uses of one context. The ids have room for one more, which no context ever has. */
    public static final int USES = 1023;

    private static final int NUMBER_BITS = 6;
    private static final int BYTE = 0xFF;
    private static final int ID = 0xFFFF;

    private Endpoint() {}

    /**
     * Returns an endpoint of the first use of a context.
     *
     * @param task rank
     * @param client number of the client within its node, below 64
     * @param offset number of the context within its client, below 64
     * @param context number of the context within its node, below 64
     * @throws IllegalArgumentException if one is out of range; the message names it
     */
    public static long of(int task, int client, int offset, int context) {
        return of(task, client, offset, context, 0);
    }

    /**
     * Returns an endpoint of a later use of a context.
     *
     * @param use number of the use, from 0 to below {@link #USES}
     * @throws IllegalArgumentException if a value is out of range; the message names it
     */
    public static long of(int task, int client, int offset, int context, int use) {
        if (task < 0) {
            throw new IllegalArgumentException("an endpoint's task must be a rank, 0 or more: task=" + task);
        }
        requireBelowLimit("client", client);
        requireBelowLimit("offset", offset);
        requireBelowLimit("context", context);
        if (use < 0 || use >= USES) {
            throw new IllegalArgumentException("an endpoint's use must be 0 to " + (USES - 1) + ": use=" + use);
        }
        return task
                | ((long) idOf(context, use) << (CONTEXT_OFFSET * Byte.SIZE))
                | ((long) offset << (OFFSET_OFFSET * Byte.SIZE))
                | ((long) client << (CLIENT_OFFSET * Byte.SIZE));
    }

    private static void requireBelowLimit(String name, int value) {
        if (value < 0 || value >= CONTEXTS) {
            throw new IllegalArgumentException(
                    "an endpoint's " + name + " must be 0 to " + (CONTEXTS - 1) + ": " + name + "=" + value);
        }
    }

    /** Returns the rank. */
    public static int task(long endpoint) {
        return (int) endpoint;
    }

    /** Returns the number of the context among all of its node. */
    public static int context(long endpoint) {
        return contextOf(contextId(endpoint));
    }

    /** Returns the number of the context's use: how many clients had it and were closed. */
    public static int use(long endpoint) {
        return useOf(contextId(endpoint));
    }

    /** Returns the id of the context: its number and its use, below 65,536. */
    public static int contextId(long endpoint) {
        return (int) (endpoint >>> (CONTEXT_OFFSET * Byte.SIZE)) & ID;
    }

    /** Returns the id of the context of a number in one of its uses. */
    public static int idOf(int context, int use) {
        return context | use << NUMBER_BITS;
    }

    /** Returns the number of the context among all of its node, from its id. */
    public static int contextOf(int contextId) {
        return contextId & (CONTEXTS - 1);
    }

    /** Returns the number of the context's use, from its id. */
    public static int useOf(int contextId) {
        return contextId >>> NUMBER_BITS;
    }

    /** Returns the number of the context within its client. */
    public static int offset(long endpoint) {
        return (int) (endpoint >>> (OFFSET_OFFSET * Byte.SIZE)) & BYTE;
    }

    /** Returns the number of the client within its node. The same client may have another number at another node. */
    public static int client(long endpoint) {
        return (int) (endpoint >>> (CLIENT_OFFSET * Byte.SIZE)) & BYTE;
    }

    /** Returns a description. */
    public static String toString(long endpoint) {
        return "context " + offset(endpoint) + " of client " + client(endpoint) + " of rank " + task(endpoint)
                + " (its context " + context(endpoint) + (use(endpoint) == 0 ? "" : " in use " + use(endpoint)) + ")";
    }
}
