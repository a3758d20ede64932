package org.segno.simulator;

/** Part of a node's program in the mixed workload, with operations of its own kind. */
interface MixedPart {
    /** Finds what peers have published. The other nodes go on meanwhile. */
    default void begin() {}

    /** Returns true if nothing is in progress. Checks what has ended. */
    boolean isIdle();

    /** Checks what must hold when all nodes are done. */
    default void check() {}
}
