package org.segno.tools.demo.ways;

/** Something that a demo repeats, with all ranks, in each of the three ways. Used by the rank's only thread. */
public interface Part {
    /** What it is, as people read it. */
    String title();

    /** Phases of communication in an iteration, each timed by itself. */
    int phases();

    /** Messages that this rank sends in an iteration. */
    long messages();

    /** Bytes that this rank sends in an iteration. */
    long bytes();

    /** One iteration, checked; adds the times of its phases. Every rank calls this with the same way. */
    void iterate(Way way, PhaseTimes times, Evidence evidence);
}
