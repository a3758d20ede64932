package org.segno.multisend;

import java.util.Arrays;

/**
 * The bytes of a window, or of a counter's range, that an operation covers: one block, several at equal distances, or
 * any list of blocks. Immutable; created at start.
 */
public final class Blocks {
    /** Limit of the number of blocks at equal distances: the most descriptors that a pattern buffer can have. */
    private static final int MAX_COUNT = 1 << 24;

    private final long[] offsets;
    private final long[] lengths;
    private final long bytes;

    private Blocks(long[] offsets, long[] lengths) {
        for (int i = 0; i < offsets.length; i++) {
            if (offsets[i] < 0 || lengths[i] < 0 || offsets[i] > Long.MAX_VALUE - lengths[i]) {
                throw new IllegalArgumentException(
                        "block " + i + " must lie at 0 to 2^63 - 1: offset=" + offsets[i] + " length=" + lengths[i]);
            }
        }
        this.offsets = offsets;
        this.lengths = lengths;
        this.bytes = Arrays.stream(lengths).sum();
    }

    /** Returns one block. */
    public static Blocks contiguous(long offset, long length) {
        return new Blocks(new long[] {offset}, new long[] {length});
    }

    /**
     * Returns {@code count} blocks of {@code length} bytes. The first starts at {@code offset}, each further one
     * {@code stride} bytes after the start of its predecessor. Examples are a column of a matrix and a face of a grid.
     *
     * @param count 1 to 2^24
     */
    public static Blocks strided(long offset, long length, long stride, int count) {
        if (count < 1 || count > MAX_COUNT) {
            throw new IllegalArgumentException("there must be 1 to " + MAX_COUNT + " blocks: count=" + count
                    + "; transfer more of them in several calls");
        }
        final long[] offsets = new long[count];
        final long[] lengths = new long[count];
        for (int i = 0; i < count; i++) {
            offsets[i] = offset + i * stride;
            lengths[i] = length;
        }
        return new Blocks(offsets, lengths);
    }

    /** Returns one block for each element of {@code offsets}, with the length at the same index of {@code lengths}. */
    public static Blocks indexed(long[] offsets, long[] lengths) {
        if (offsets.length == 0 || offsets.length != lengths.length) {
            throw new IllegalArgumentException("offsets and lengths must be equally many, at least 1: offsets="
                    + offsets.length + " lengths=" + lengths.length);
        }
        return new Blocks(offsets.clone(), lengths.clone());
    }

    /** Returns the number of blocks. */
    public int count() {
        return offsets.length;
    }

    /** Returns the total number of bytes. */
    public long bytes() {
        return bytes;
    }

    long offset(int block) {
        return offsets[block];
    }

    long length(int block) {
        return lengths[block];
    }

    @Override
    public String toString() {
        return offsets.length + " blocks of " + bytes + " bytes, the first at " + offsets[0];
    }
}
