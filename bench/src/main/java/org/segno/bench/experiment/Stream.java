package org.segno.bench.experiment;

/** Messages one way: what a {@link RateSide} times. */
public interface Stream {
    /** At the origin: sends so many messages, waiting for room where there is none. */
    void send(int messages);

    /** At the echo: receives so many messages. */
    void receive(int messages);

    /** Before each slice, outside the timing: housekeeping that a deployment would do on another thread. */
    default void prepare() {}

    /** Frees what the stream holds. */
    default void close() {}
}
