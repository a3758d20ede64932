package org.segno.operation;

/**
 * Threads that may use a node's contexts, as its application promises, in the four established terms of the field. The
 * promise costs nothing and is not checked. With Java's {@code -ea}, a call that breaks it throws an
 * {@link AssertionError} that describes the violation.
 */
public enum ThreadLevel {
    /**
     * Only one thread uses a client's contexts: the one that opened it or, for the node's own client, the one that
     * joined. Other threads may not even post work.
     */
    SINGLE,

    /** The thread that opened the client makes all calls; other threads only post work to it. */
    FUNNELED,

    /** Any thread may call, but only one at a time in each context, which the application ensures. The default. */
    SERIALIZED,

    /** Any thread may call at any time while it holds the context's lock. */
    MULTIPLE
}
