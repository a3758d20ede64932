package org.segno.bench.experiment;

/** One end of a measured connection. */
public interface End {
    /** Does housekeeping that a deployment would do on another thread. Called before each slice, outside the timing. */
    default void prepare() {}

    /** Frees the resources of the end. */
    default void close() {}
}
