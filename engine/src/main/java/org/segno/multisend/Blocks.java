package org.segno.multisend;

import java.util.Arrays;

/**
 * Which bytes of a window, or of what a counter stands over, an operation is about: one block, several at equal distances, or any. A value;
 * made at start.
 */
public final class Blocks {
    private final long[] offsets;
    private final long[] lengths;
    private final long bytes;

    private Blocks(long[] offsets, long[] lengths) {
        for (int i = 0; i < offsets.length; i++) {
            if (offsets[i] < 0 || lengths[i] < 0 || offsets[i] > Long.MAX_VALUE - lengths[i]) {
                throw new IllegalArgumentException(
                        "block " + i + " lies nowhere: offset=" + offsets[i] + " length=" + lengths[i]);
            }
        }
        this.offsets = offsets;
        this.lengths = lengths;
        this.bytes = Arrays.stream(lengths).sum();
    }

    /** One block. */
    public static Blocks contiguous(long offset, long length) {
        return new Blocks(new long[] {offset}, new long[] {length});
    }

    /**
     * {@code count} blocks of {@code length} bytes, the first at {@code offset} and each {@code stride} bytes after the one before: a column
     * of a matrix, a face of a grid.
     */
    public static Blocks strided(long offset, long length, long stride, int count) {
        if (count < 1) {
            throw new IllegalArgumentException("there must be a block: count=" + count);
        }
        final long[] offsets = new long[count];
        final long[] lengths = new long[count];
        for (int i = 0; i < count; i++) {
            offsets[i] = offset + i * stride;
            lengths[i] = length;
        }
        return new Blocks(offsets, lengths);
    }

    /** A block for each of {@code offsets}, of as many bytes as stand at its place in {@code lengths}. */
    public static Blocks indexed(long[] offsets, long[] lengths) {
        if (offsets.length == 0 || offsets.length != lengths.length) {
            throw new IllegalArgumentException("as many lengths as offsets, one at least: offsets=" + offsets.length
                    + " lengths=" + lengths.length);
        }
        return new Blocks(offsets.clone(), lengths.clone());
    }

    /** How many blocks there are. */
    public int count() {
        return offsets.length;
    }

    /** Bytes of all of them. */
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
