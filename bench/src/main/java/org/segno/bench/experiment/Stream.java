package org.segno.bench.experiment;

/** Messages in one direction, which a {@link RateSide} times. */
public interface Stream {
    /** Sends messages, waiting for room if there is none. Called at the origin. */
    void send(int messages);

    /** Receives messages. Called at the echo. */
    void receive(int messages);

    /** Does housekeeping that a deployment would do on another thread. Called before each slice, outside the timing. */
    default void prepare() {}

    /** Frees the resources of the stream. */
    default void close() {}
}
