package org.segno.bench.peer;

import org.agrona.DirectBuffer;

/** Reading what came: one word of every cache line, as every receiver of this module does. */
final class Lines {
    private static final int LINE_LENGTH = 64;

    private Lines() {}

    /** Returns the sum of one word of every line; {@code length} is at least 8. */
    static long read(DirectBuffer buffer, int offset, int length) {
        long sum = 0;
        for (int at = 0; at <= length - Long.BYTES; at += LINE_LENGTH) {
            sum += buffer.getLong(offset + at);
        }
        return sum;
    }
}
