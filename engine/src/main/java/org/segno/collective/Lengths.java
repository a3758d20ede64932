package org.segno.collective;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Lengths of the blocks of a divided collective, one for each member, in bytes. The blocks are adjacent, unless {@link
 * #at} places them. Immutable.
 */
public final class Lengths {
    /** Maximum of the bytes of a block, and of all blocks of a divided collective: that of the windows of a rank. */
    private static final long MAX_BYTES = 1L << 44;

    /** Length of each block, if all are equal and adjacent. */
    private final long each;

    /** Offset of each block, and of the end of each; null if all are equal and adjacent. */
    private final long @Nullable [] starts;

    private final long @Nullable [] ends;

    private Lengths(long each, long @Nullable [] starts, long @Nullable [] ends) {
        this.each = each;
        this.starts = starts;
        this.ends = ends;
    }

    /** Returns blocks of one length. */
    public static Lengths equal(long bytes) {
        requireLength(bytes);
        return new Lengths(bytes, null, null);
    }

    /**
     * Returns blocks of different lengths, in the order of the members.
     *
     * @throws IllegalArgumentException if one is below zero, or their sum exceeds a long
     */
    public static Lengths of(long... bytes) {
        final long[] starts = new long[bytes.length];
        final long[] ends = new long[bytes.length];
        long end = 0;
        for (int member = 0; member < bytes.length; member++) {
            requireLength(bytes[member]);
            if (bytes[member] > Long.MAX_VALUE - end) {
                throw new IllegalArgumentException(
                        "the blocks exceed 2^63 - 1 bytes: lengths=" + Arrays.toString(bytes));
            }
            starts[member] = end;
            end += bytes[member];
            ends[member] = end;
        }
        return new Lengths(0, starts, ends);
    }

    /**
     * Returns blocks of these lengths that begin at the given offsets, as the displacements of MPI. They do not
     * overlap; bytes between them are not written.
     *
     * @param offsets of the blocks from the place of the call, in the order of the members
     * @throws IllegalArgumentException if one is below zero, two blocks overlap, or there is not an offset for each
     *     length
     */
    public Lengths at(long... offsets) {
        if (ends != null && ends.length != offsets.length) {
            throw new IllegalArgumentException(
                    "there is an offset for each length: lengths=" + ends.length + " offsets=" + offsets.length);
        }
        final long[] ending = new long[offsets.length];
        for (int member = 0; member < offsets.length; member++) {
            if (offsets[member] < 0 || length(member) > Long.MAX_VALUE - offsets[member]) {
                throw new IllegalArgumentException(
                        "a block begins at 0 or later, and ends below 2^63: offset=" + offsets[member]);
            }
            ending[member] = offsets[member] + length(member);
        }
        requireApart(offsets, ending);
        return new Lengths(0, offsets.clone(), ending);
    }

    private static void requireApart(long[] starts, long[] ends) {
        final long[] sortedStarts = starts.clone();
        final long[] sortedEnds = ends.clone();
        Arrays.sort(sortedStarts);
        Arrays.sort(sortedEnds);
        // Blocks that do not overlap have the same order by start and by end.
        for (int i = 1; i < sortedStarts.length; i++) {
            if (sortedStarts[i] < sortedEnds[i - 1]) {
                throw new IllegalArgumentException(
                        "blocks overlap: offsets=" + Arrays.toString(starts) + " ends=" + Arrays.toString(ends));
            }
        }
    }

    /**
     * Divides bytes evenly into adjacent blocks of whole units. The last one has what is left.
     *
     * @param unit length of a unit, 1 or more
     */
    static Lengths evenly(long bytes, int blocks, long unit) {
        final long units = bytes / unit;
        final long[] lengths = new long[blocks];
        long left = bytes;
        for (int block = 0; block < blocks; block++) {
            final long length = block == blocks - 1 ? left : (units / blocks + (block < units % blocks ? 1 : 0)) * unit;
            lengths[block] = length;
            left -= length;
        }
        return of(lengths);
    }

    /** Returns the same part of each of the blocks of {@code members}, where it lies. All are divided evenly. */
    Lengths part(int part, int parts, int members, long unit) {
        final long[] lengths = new long[members];
        final long[] offsets = new long[members];
        for (int member = 0; member < members; member++) {
            final Lengths divided = evenly(length(member), parts, unit);
            lengths[member] = divided.length(part);
            offsets[member] = offset(member) + divided.offset(part);
        }
        return of(lengths).at(offsets);
    }

    private static void requireLength(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("a block has 0 bytes or more: bytes=" + bytes);
        }
    }

    /**
     * Checks that there is a length for each of {@code members}, and that no sum of lengths can overflow.
     *
     * @param isDivided true if there is a block for each member
     */
    void requireOf(int members, boolean isDivided) {
        if (ends != null && ends.length != members) {
            throw new IllegalArgumentException(
                    "a geometry of " + members + " members needs a length for each, not " + ends.length);
        }
        final int blocks = isDivided ? members : 1;
        if (ends == null ? each > MAX_BYTES / blocks : total(members) > MAX_BYTES) {
            throw new IllegalArgumentException("a collective has at most 2^44 bytes, those of all windows of a rank: "
                    + (ends == null ? "blocks=" + blocks + " bytes=" + each : toString()));
        }
    }

    /** Returns the offset of a member's block from the place of the call. */
    long offset(int member) {
        return starts == null ? each * member : starts[member];
    }

    /** Returns the length of a member's block. */
    long length(int member) {
        return starts == null || ends == null ? each : ends[member] - starts[member];
    }

    /** Returns the bytes from the place of the call to the end of the last block of {@code members}. */
    long total(int members) {
        return ends == null ? each * members : Arrays.stream(ends).max().orElse(0);
    }

    /** Returns true if no bytes lie before or between the blocks of {@code members}, which are in order. */
    boolean areAdjacent(int members) {
        long end = 0;
        for (int member = 0; member < members; member++) {
            if (offset(member) != end) {
                return false;
            }
            end += length(member);
        }
        return true;
    }

    /** Returns a hash by which members compare their blocks, equal for equal blocks however they were given. */
    long digest(int members) {
        long digest = members;
        for (int member = 0; member < members; member++) {
            digest = Digest.with(Digest.with(digest, length(member)), offset(member));
        }
        return digest;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Lengths that
                && that.each == each
                && Arrays.equals(that.starts, starts)
                && Arrays.equals(that.ends, ends);
    }

    @Override
    public int hashCode() {
        return (Long.hashCode(each) * 31 + Arrays.hashCode(starts)) * 31 + Arrays.hashCode(ends);
    }

    @Override
    public String toString() {
        if (starts == null) {
            return each + " bytes each";
        }
        final long[] lengths = new long[starts.length];
        Arrays.setAll(lengths, this::length);
        return Arrays.toString(lengths) + " bytes"
                + (areAdjacent(lengths.length) ? "" : " at " + Arrays.toString(starts));
    }
}
