package org.segno.simulator;

/** Operations of the programs of a simulation. */
public enum Workload {
    /** Operations of all kinds between all ranks. */
    MIXED,

    /** Operations of all kinds, most of them with rank 0. */
    HOTSPOT,

    /** Collectives of all kinds, in geometries of all ranks and of some. */
    COLLECTIVES
}
