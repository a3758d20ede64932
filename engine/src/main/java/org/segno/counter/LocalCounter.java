package org.segno.counter;

import org.segno.memory.NodeMemory;

/** A counter of this node, as an engine can wait for one: of bytes received, a pair of those, or of bytes injected. */
public sealed interface LocalCounter permits ReceptionCounter, CounterPair, InjectionCounter {
    /** Bytes that can be expected at a time: so few that no sum of expectations that is met passes 2^63. */
    long MAX_EXPECTATION = 1L << 48;

    /** Its number, a pair's that of the even one. */
    int id();

    /** Which use of its id it is. */
    int incarnation();

    /** Checks that a node made it. */
    void requireOf(NodeMemory node);

    /** Checks what somebody expects. */
    static void requireExpectable(long bytes) {
        if (bytes < 0 || bytes > MAX_EXPECTATION) {
            throw new IllegalArgumentException(
                    "bytes expected must be 0 to " + MAX_EXPECTATION + " at a time: bytes=" + bytes);
        }
    }
}
