package org.segno.bench.experiment;

/** The echo's end of messages in one direction. */
public interface Receiver extends End {
    /** Receives messages. */
    void receive(int messages);
}
