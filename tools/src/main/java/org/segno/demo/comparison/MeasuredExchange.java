package org.segno.demo.comparison;

/** Exchange of a demo that all ranks repeat in each of the three modes. Used by the rank's only thread. */
public interface MeasuredExchange {
    /** Returns the title for people. */
    String title();

    /** Returns the number of communication phases in an iteration, each timed separately. */
    int phases();

    /** Returns the number of messages that this rank sends in an iteration. */
    long messages();

    /** Returns the number of bytes that this rank sends in an iteration. */
    long bytes();

    /** Runs and checks one iteration, and adds the times of its phases. Every rank calls this with the same mode. */
    void iterate(SendMode mode, PhaseTimes times, Verification verification);
}
