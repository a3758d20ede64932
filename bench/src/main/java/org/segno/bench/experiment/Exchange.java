package org.segno.bench.experiment;

/**
 * Ping-pong that a {@link LatencySide} times. Each peer has its own tight loops, so that the JIT sees one receiver type
 * in each; the timing around them is shared.
 */
public interface Exchange {
    /** Sends a message and waits for the reply, {@code roundTrips} times. Called at the origin. */
    void request(int roundTrips);

    /** Waits for a message and replies, {@code roundTrips} times. Called at the echo. */
    void reply(int roundTrips);

    /** Does housekeeping that a deployment would do on another thread. Called before each slice, outside the timing. */
    default void prepare() {}

    /** Frees the resources of the exchange. */
    default void close() {}
}
