package org.segno.work;

/**
 * Which threads use a node's contexts: what its application promises, in the field's four terms. The promise costs nothing and is
 * believed; under Java's {@code -ea} calls that break it end with an {@link AssertionError} that says how.
 */
public enum ThreadLevel {
    /** One thread alone uses a client's contexts: the one that opened it; of the node's own client the one that joined. Others cannot even post work. */
    SINGLE,

    /** The thread that opened the client calls everything; others only post work to it. */
    FUNNELED,

    /** Any thread, but one at a time in each context: the application keeps the others out. The default. */
    SERIALIZED,

    /** Any thread at any time, holding the context's lock. */
    MULTIPLE
}
