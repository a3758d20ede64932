package org.segno.geometry;

/**
 * Destination of messages: a context of a client of a rank. It is one plain {@code long}, so that arrays, windows and
 * messages contain endpoints directly. {@code Client.endpoint} returns them. An endpoint is valid as long as the job
 * runs, at every rank of it.
 *
 * <pre>
 *  offset  length  field     meaning, in little-endian memory
 *       0       4  task      rank
 *       4       1  context   number of the context among all of its node: the destination
 *       5       1  offset    number of the context within its client
 *       6       1  client    number of the client within its node, 0 is the node's own
 *       7       1  reserved  0
 *       8          LENGTH
 * </pre>
 *
 * <p>Two endpoints are the same if their numbers are equal.
 */
public final class Endpoint {
    /** Length of an endpoint in bytes. */
    public static final int LENGTH = Long.BYTES;

    static final int TASK_OFFSET = 0;
    static final int CONTEXT_OFFSET = 4;
    static final int OFFSET_OFFSET = 5;
    static final int CLIENT_OFFSET = 6;

    /** Maximum number of contexts of a node, and of its clients. */
    public static final int CONTEXTS = 64;

    private static final int BYTE = 0xFF;

    private Endpoint() {}

    /**
     * Returns an endpoint.
     *
     * @param task rank
     * @param client number of the client within its node, below 64
     * @param offset number of the context within its client, below 64
     * @param context number of the context within its node, below 64
     * @throws IllegalArgumentException if one is out of range; the message names it
     */
    public static long of(int task, int client, int offset, int context) {
        if (task < 0) {
            throw new IllegalArgumentException("an endpoint's task must be a rank, 0 or more: task=" + task);
        }
        requireBelowLimit("client", client);
        requireBelowLimit("offset", offset);
        requireBelowLimit("context", context);
        return task
                | ((long) context << (CONTEXT_OFFSET * Byte.SIZE))
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
        return (int) (endpoint >>> (CONTEXT_OFFSET * Byte.SIZE)) & BYTE;
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
                + " (its context " + context(endpoint) + ")";
    }
}
