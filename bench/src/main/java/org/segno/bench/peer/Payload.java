package org.segno.bench.peer;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Writing and reading of a message's payload, the same for every peer. */
final class Payload {
    private static final int LINE_LENGTH = 64;

    private Payload() {}

    /** Copies the message. Up to one line it is copied word by word, because a call of the memory copier costs more. */
    static void write(MutableDirectBuffer buffer, int offset, DirectBuffer message, int length) {
        if (length <= LINE_LENGTH) {
            for (int at = 0; at < length; at += Long.BYTES) {
                buffer.putLong(offset + at, message.getLong(at));
            }
        } else {
            buffer.putBytes(offset, message, 0, length);
        }
    }

    /**
     * Returns the sum of one word of every line, as every receiver of this module reads; {@code length} is at least 8.
     */
    static long read(DirectBuffer buffer, int offset, int length) {
        long sum = 0;
        for (int at = 0; at <= length - Long.BYTES; at += LINE_LENGTH) {
            sum += buffer.getLong(offset + at);
        }
        return sum;
    }
}
