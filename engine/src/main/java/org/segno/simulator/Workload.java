package org.segno.simulator;

/** Operations of the programs of a simulation. */
public enum Workload {
    /** Operations of all kinds between all ranks. */
    MIXED,

    /** Operations of all kinds, most of them with rank 0. */
    HOTSPOT,

    /** Collectives of all kinds, in geometries of all ranks and of some. */
    COLLECTIVES,

    /**
     * Collectives as {@link #COLLECTIVES} has them, by all algorithms. That workload leaves out those that were added
     * later, so that each seed does what it did.
     */
    ALGORITHMS;

    /** Returns true if the programs carry out collectives. */
    boolean isOfCollectives() {
        return this == COLLECTIVES || this == ALGORITHMS;
    }
}
