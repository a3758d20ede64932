package org.segno.bench.experiment;

/**
 * A ping-pong: what a {@link LatencySide} times. Each peer brings its own tight loops, so that the JIT sees one receiver
 * type in each; the timing around them is common.
 */
public interface Exchange {
    /** At the origin: sends and waits for the answer, so many times. */
    void ask(int roundTrips);

    /** At the echo: waits for a message and answers it, so many times. */
    void answer(int roundTrips);

    /** Before each slice, outside the timing: housekeeping that a deployment would do on another thread. */
    default void prepare() {}

    /** Frees what the exchange holds. */
    default void close() {}
}
