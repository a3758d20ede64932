package org.segno.bench.experiment;

/**
 * Ping-pong that a {@link LatencySide} times. It requests at the origin and replies at the echo. Each peer has its own
 * tight loops, so that the JIT sees one receiver type in each; the timing around them is shared.
 */
public interface Exchange extends Requester {
    /** Waits for a message and replies, {@code roundTrips} times. */
    void reply(int roundTrips);
}
