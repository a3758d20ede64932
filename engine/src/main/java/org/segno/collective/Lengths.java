package org.segno.collective;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Lengths of the blocks of a divided collective, one for each member, in bytes. The blocks are adjacent. Immutable. */
public final class Lengths {
    /** Odd, so that the multiplication is reversible: lengths that differ at one member have different digests. */
    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private final long each;
    private final long @Nullable [] ends;

    private Lengths(long each, long @Nullable [] ends) {
        this.each = each;
        this.ends = ends;
    }

    /** Returns blocks of one length. */
    public static Lengths equal(long bytes) {
        requireLength(bytes);
        return new Lengths(bytes, null);
    }

    /**
     * Returns blocks of different lengths, in the order of the members.
     *
     * @throws IllegalArgumentException if one is below zero, or their sum exceeds a long
     */
    public static Lengths of(long... bytes) {
        final long[] ends = new long[bytes.length];
        long end = 0;
        for (int member = 0; member < bytes.length; member++) {
            requireLength(bytes[member]);
            if (bytes[member] > Long.MAX_VALUE - end) {
                throw new IllegalArgumentException(
                        "the blocks exceed 2^63 - 1 bytes: lengths=" + Arrays.toString(bytes));
            }
            end += bytes[member];
            ends[member] = end;
        }
        return new Lengths(0, ends);
    }

    private static void requireLength(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("a block has 0 bytes or more: bytes=" + bytes);
        }
    }

    /** Checks that there is a length for each of {@code members}. */
    void requireOf(int members) {
        if (ends != null && ends.length != members) {
            throw new IllegalArgumentException(
                    "a geometry of " + members + " members needs a length for each, not " + ends.length);
        }
        if (ends == null && each > Long.MAX_VALUE / members) {
            throw new IllegalArgumentException("the blocks exceed 2^63 - 1 bytes: " + members + " of " + each);
        }
    }

    /** Returns the offset of a member's block from the start of the first. */
    long offset(int member) {
        return ends == null ? each * member : member == 0 ? 0 : ends[member - 1];
    }

    /** Returns the length of a member's block. */
    long length(int member) {
        return ends == null ? each : ends[member] - offset(member);
    }

    /** Returns the sum of the lengths for {@code members}. */
    long total(int members) {
        return offset(members);
    }

    /** Returns a hash by which members compare their lengths, equal for equal lengths however they were given. */
    long digest(int members) {
        long digest = members;
        for (int member = 0; member < members; member++) {
            digest = (digest ^ length(member)) * GOLDEN_RATIO;
            digest ^= digest >>> Integer.SIZE;
        }
        return digest;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Lengths that && that.each == each && Arrays.equals(that.ends, ends);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(each) * 31 + Arrays.hashCode(ends);
    }

    @Override
    public String toString() {
        if (ends == null) {
            return each + " bytes each";
        }
        final long[] lengths = new long[ends.length];
        Arrays.setAll(lengths, this::length);
        return Arrays.toString(lengths) + " bytes";
    }
}
