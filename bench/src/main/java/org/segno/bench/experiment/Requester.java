package org.segno.bench.experiment;

/** The origin's end of a ping-pong. */
public interface Requester extends End {
    /** Sends a message and waits for the reply, {@code roundTrips} times. */
    void request(int roundTrips);
}
