package org.segno.bench.experiment;

/** The two ends of an experiment, one process each. */
public enum Role {
    /** The end that sends first and reads the clock. */
    ORIGIN,
    /** The end that receives and replies. */
    ECHO;

    /** Returns the rank of this end in a job of both, 0 or 1. */
    public int rank() {
        return this == ORIGIN ? 0 : 1;
    }

    /** Returns the opposite end. */
    public Role other() {
        return this == ORIGIN ? ECHO : ORIGIN;
    }
}
