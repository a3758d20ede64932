package org.segno.bench.limit;

import org.agrona.UnsafeApi;

/** Reading of received payloads: one word of every cache line. */
final class CacheLineReads {
    private static final int LINE_LENGTH = 64;

    private CacheLineReads() {}

    /** Returns the sum of one word of every line from {@code address}; {@code length} is at least 8. */
    static long read(long address, int length) {
        long sum = 0;
        for (int offset = 0; offset <= length - Long.BYTES; offset += LINE_LENGTH) {
            sum += UnsafeApi.getLong(address + offset);
        }
        return sum;
    }
}
