package org.segno.memory;

import org.segno.engine.memory.NodeMemory;

/**
 * A counter of this node for which an engine can wait: a counter of received bytes, a pair of these, or a counter of
 * injected bytes.
 */
public sealed interface LocalCounter permits ReceptionCounter, CounterPair, InjectionCounter {
    /**
     * Maximum number of bytes in one expectation. It is small enough that no sum of satisfied expectations exceeds
     * 2^63.
     */
    long MAX_EXPECTATION = 1L << 48;

    /** Returns its id, or the id of the even counter of a pair. */
    int id();

    /** Returns the number of the use of its id. */
    int incarnation();

    /** Returns true if underflow is an error. */
    boolean forbidsUnderflow();

    /** Checks that it belongs to a node. */
    void requireOf(NodeMemory node);

    /** Checks the number of bytes in an expectation. */
    static void requireExpectable(long bytes) {
        if (bytes < 0 || bytes > MAX_EXPECTATION) {
            throw new IllegalArgumentException(
                    "bytes expected must be 0 to " + MAX_EXPECTATION + " at a time: bytes=" + bytes);
        }
    }
}
