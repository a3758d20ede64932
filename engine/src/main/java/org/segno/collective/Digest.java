package org.segno.collective;

/**
 * Hash of a sequence of words, by which members compare what they have been given. Unlike that of an array in Java, it
 * differs for sequences that are likely to be confused, such as those with two numbers exchanged.
 */
final class Digest {
    /** Odd, so that the multiplication is reversible: sequences that differ in one word have different digests. */
    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private Digest() {}

    /** Returns the digest of a sequence with one more word. The digest of the empty one is any number. */
    static long with(long digest, long word) {
        final long product = (digest ^ word) * GOLDEN_RATIO;
        return product ^ product >>> Integer.SIZE;
    }

    /** Returns the digest of bytes. */
    static long of(byte[] bytes) {
        long digest = bytes.length;
        for (final byte next : bytes) {
            digest = with(digest, next);
        }
        return digest;
    }

    /** Returns the digest of a list, which is never 0. */
    static long of(long[] list) {
        long digest = list.length;
        for (final long word : list) {
            digest = with(digest, word);
        }
        return digest | Long.MIN_VALUE;
    }
}
