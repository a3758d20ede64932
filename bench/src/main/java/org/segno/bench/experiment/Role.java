package org.segno.bench.experiment;

/** The two ends of an experiment, one process each. */
public enum Role {
    /** Sends first and holds the clock. */
    ORIGIN,
    /** Receives and answers. */
    ECHO;

    /** Returns the opposite end. */
    public Role other() {
        return this == ORIGIN ? ECHO : ORIGIN;
    }
}
