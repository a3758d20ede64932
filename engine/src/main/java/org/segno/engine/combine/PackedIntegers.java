package org.segno.engine.combine;

import org.agrona.UnsafeApi;
import org.segno.combine.Operator;

/**
 * Minimum, maximum, logical and bitwise operators on integers of one length, eight bytes at a time. Used by one thread.
 *
 * <p>The compiler of JDK 17 vectorizes neither comparisons of integers nor shifts of short ones, but everything here.
 * No carry and no borrow leaves an integer:
 *
 * <ul>
 *   <li>Adding the largest number to the lower bits of an integer carries into its highest bit, unless they are all
 *       zero. The highest bit of the sum, or of the integer, is therefore set if the integer is not zero.
 *   <li>An integer is less than another if it is negative and the other is not, or if their signs are equal and their
 *       difference is negative. The difference is computed with the highest bits set and clear, and corrected.
 * </ul>
 */
final class PackedIntegers extends Elements {
    private static final int LIMIT = BLOCK / Long.BYTES;
    private static final int ARRAY_BASE = UnsafeApi.arrayBaseOffset(long[].class);
    private static final int FIRST = lead(ARRAY_BASE) / Long.BYTES;

    private final long[] results;

    /** Word with the highest bit of each integer set. */
    private final long highest;

    /** Distance of the highest bit from the lowest. */
    private final int distance;

    /**
     * Creates the operators on integers.
     *
     * @param length of an integer in bytes
     * @param results memory for a block of results, made by {@link #newResults}
     */
    PackedIntegers(int length, long[] results) {
        this.results = results;
        final int bits = length * Byte.SIZE;
        long lowest = 0;
        for (int at = 0; at < Long.SIZE; at += bits) {
            lowest |= 1L << at;
        }
        this.distance = bits - 1;
        this.highest = lowest << distance;
    }

    /** Returns memory for a block of results, which several of these may share. */
    static long[] newResults() {
        return new long[FIRST + LIMIT];
    }

    @Override
    void combineFew(Operator operator, long target, long left, long right, int bytes) {
        final int words = bytes & -Long.BYTES;
        for (int at = 0; at < words; at += Long.BYTES) {
            UnsafeApi.putLong(
                    target + at, combine(operator, UnsafeApi.getLong(left + at), UnsafeApi.getLong(right + at)));
        }
        if (words != bytes) {
            results[FIRST] = rest(operator, left + words, right + words, bytes - words);
            copy(results, ARRAY_BASE, target + words, bytes - words);
        }
    }

    @Override
    void combineMany(Operator operator, long target, long left, long right, int bytes) {
        final int count = bytes / Long.BYTES;
        switch (operator) {
            case MINIMUM -> minimum(left, right, count);
            case MAXIMUM -> maximum(left, right, count);
            case LOGICAL_AND -> logicalAnd(left, right, count);
            case LOGICAL_OR -> logicalOr(left, right, count);
            case LOGICAL_XOR -> logicalXor(left, right, count);
            case BITWISE_AND -> and(results, left, right, count);
            case BITWISE_OR -> or(results, left, right, count);
            case BITWISE_XOR -> xor(results, left, right, count);
            default -> throw unknown(operator);
        }
        final int done = count * Long.BYTES;
        if (done != bytes) {
            results[FIRST + count] = rest(operator, left + done, right + done, bytes - done);
        }
        copy(results, ARRAY_BASE, target, bytes);
    }

    private long rest(Operator operator, long left, long right, int bytes) {
        return combine(operator, rest(left, bytes), rest(right, bytes));
    }

    /** Returns the last bytes of a range as the first ones of a word. */
    private static long rest(long address, int bytes) {
        long word = 0;
        for (int i = 0; i < bytes; i++) {
            word |= (UnsafeApi.getByte(address + i) & 0xFFL) << (i * Byte.SIZE);
        }
        return word;
    }

    private long combine(Operator operator, long left, long right) {
        return switch (operator) {
            case MINIMUM -> right ^ ((left ^ right) & less(left, right, highest, distance));
            case MAXIMUM -> left ^ ((left ^ right) & less(left, right, highest, distance));
            case LOGICAL_AND -> (truth(left, highest) & truth(right, highest)) >>> distance;
            case LOGICAL_OR -> (truth(left, highest) | truth(right, highest)) >>> distance;
            case LOGICAL_XOR -> (truth(left, highest) ^ truth(right, highest)) >>> distance;
            case BITWISE_AND -> left & right;
            case BITWISE_OR -> left | right;
            case BITWISE_XOR -> left ^ right;
            default -> throw unknown(operator);
        };
    }

    /** Returns a word with the highest bit of each integer set that is not zero. */
    private static long truth(long word, long highest) {
        return (((word & ~highest) + ~highest) | word) & highest;
    }

    /** Returns a word with all bits of each integer set that is less in {@code left}. */
    private static long less(long left, long right, long highest, int distance) {
        final long difference = ((left | highest) - (right & ~highest)) ^ (~(left ^ right) & highest);
        final long less = ((left & ~right) | (~(left ^ right) & difference)) & highest;
        return (less - (less >>> distance)) | less;
    }

    private void minimum(long left, long right, int count) {
        final long[] words = results;
        final long high = highest;
        final int shift = distance;
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            final long one = at(left, i);
            final long other = at(right, i);
            words[FIRST + i] = other ^ ((one ^ other) & less(one, other, high, shift));
        }
    }

    private void maximum(long left, long right, int count) {
        final long[] words = results;
        final long high = highest;
        final int shift = distance;
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            final long one = at(left, i);
            final long other = at(right, i);
            words[FIRST + i] = one ^ ((one ^ other) & less(one, other, high, shift));
        }
    }

    private void logicalAnd(long left, long right, int count) {
        final long[] words = results;
        final long high = highest;
        final int shift = distance;
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            words[FIRST + i] = (truth(at(left, i), high) & truth(at(right, i), high)) >>> shift;
        }
    }

    private void logicalOr(long left, long right, int count) {
        final long[] words = results;
        final long high = highest;
        final int shift = distance;
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            words[FIRST + i] = (truth(at(left, i), high) | truth(at(right, i), high)) >>> shift;
        }
    }

    private void logicalXor(long left, long right, int count) {
        final long[] words = results;
        final long high = highest;
        final int shift = distance;
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            words[FIRST + i] = (truth(at(left, i), high) ^ truth(at(right, i), high)) >>> shift;
        }
    }

    private static void and(long[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = at(left, i) & at(right, i);
        }
    }

    private static void or(long[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = at(left, i) | at(right, i);
        }
    }

    private static void xor(long[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = at(left, i) ^ at(right, i);
        }
    }

    private static long at(long words, int i) {
        return UnsafeApi.getLong(words + (long) i * Long.BYTES);
    }
}
