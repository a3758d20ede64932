package org.segno.bench.segno;

import org.agrona.DirectBuffer;
import org.segno.operation.ActiveMessageHandler;

/**
 * Handler that counts messages and reads their metadata and one word of every line of their payloads. All experiments
 * share it, so that their number does not change how the JIT compiles the call of a handler.
 */
final class ReadingHandler implements ActiveMessageHandler {
    private static final int LINE_LENGTH = 64;

    private long received;
    private long sum;

    @Override
    public void onMessage(
            long origin, DirectBuffer buffer, int metadataOffset, int metadataLength, int offset, int length) {
        received++;
        for (int at = 0; at <= metadataLength - Long.BYTES; at += Long.BYTES) {
            sum += buffer.getLong(metadataOffset + at);
        }
        for (int at = 0; at <= length - Long.BYTES; at += LINE_LENGTH) {
            sum += buffer.getLong(offset + at);
        }
    }

    /** Returns the number of received messages. */
    long received() {
        return received;
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return sum;
    }
}
