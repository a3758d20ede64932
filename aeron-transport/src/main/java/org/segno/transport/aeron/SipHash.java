package org.segno.transport.aeron;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;

/**
 * SipHash-2-4 with one key (Aumasson and Bernstein, 2012): a short hash that nobody without the key can compute, also
 * after having seen many. Allocates nothing.
 */
final class SipHash {
    private static final int WORD = Long.BYTES;
    private static final int COMPRESSION_ROUNDS = 2;
    private static final int FINAL_ROUNDS = 4;

    private final long key0;
    private final long key1;

    SipHash(long key0, long key1) {
        this.key0 = key0;
        this.key1 = key1;
    }

    /** Returns the hash of some bytes of a buffer. */
    long hash(DirectBuffer message, int offset, int length) {
        long v0 = key0 ^ 0x736f6d6570736575L;
        long v1 = key1 ^ 0x646f72616e646f6dL;
        long v2 = key0 ^ 0x6c7967656e657261L;
        long v3 = key1 ^ 0x7465646279746573L;
        final int end = offset + (length & -WORD);
        // The step behind the last word is that of the end.
        for (int i = offset; i <= end + WORD; i += WORD) {
            final boolean isEnd = i > end;
            final long word = i < end ? message.getLong(i, LITTLE_ENDIAN) : isEnd ? 0 : last(message, end, length);
            final int rounds = isEnd ? FINAL_ROUNDS : COMPRESSION_ROUNDS;
            v2 ^= isEnd ? 0xFF : 0;
            v3 ^= word;
            for (int round = 0; round < rounds; round++) {
                v0 += v1;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v3;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 += v3;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 += v1;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v2 = Long.rotateLeft(v2, 32);
            }
            v0 ^= word;
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }

    /** Returns the last word: the bytes behind the last whole word, and the length. */
    private static long last(DirectBuffer message, int end, int length) {
        long word = (long) length << 56;
        for (int i = 0; i < (length & (WORD - 1)); i++) {
            word |= (message.getByte(end + i) & 0xFFL) << (Byte.SIZE * i);
        }
        return word;
    }
}
