package org.segno.bench.experiment;

/** The origin's end of messages in one direction. */
public interface Sender extends End {
    /** Sends messages, waiting for room if there is none. */
    void send(int messages);
}
