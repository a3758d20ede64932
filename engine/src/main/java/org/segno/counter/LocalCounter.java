package org.segno.counter;

import org.segno.memory.NodeMemory;

/** A counter of this node, as an engine can wait for one: of bytes received, a pair of those, or of bytes injected. */
public sealed interface LocalCounter permits ReceptionCounter, CounterPair, InjectionCounter {
    /** Its number, a pair's that of the even one. */
    int id();

    /** Which use of its id it is. */
    int incarnation();

    /** Checks that a node made it. */
    void requireOf(NodeMemory node);
}
