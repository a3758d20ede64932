package org.segno.engine.combine;

import org.agrona.UnsafeApi;
import org.segno.combine.Operator;

/**
 * Sum, product, minimum and maximum of elements of type {@code long}. Used by one thread.
 *
 * <p>The compiler of JDK 17 vectorizes no comparison of integers, and {@link PackedIntegers} is slower for this type
 * than a plain loop.
 */
final class LongElements extends Elements {
    private static final int LIMIT = BLOCK / Long.BYTES;
    private static final int ARRAY_BASE = UnsafeApi.arrayBaseOffset(long[].class);
    private static final int FIRST = lead(ARRAY_BASE) / Long.BYTES;

    private final long[] results = new long[FIRST + LIMIT];

    @Override
    void combineFew(Operator operator, long target, long left, long right, int bytes) {
        for (int at = 0; at < bytes; at += Long.BYTES) {
            UnsafeApi.putLong(
                    target + at, combine(operator, UnsafeApi.getLong(left + at), UnsafeApi.getLong(right + at)));
        }
    }

    private static long combine(Operator operator, long left, long right) {
        return switch (operator) {
            case SUM -> left + right;
            case PRODUCT -> left * right;
            case MINIMUM -> Math.min(left, right);
            case MAXIMUM -> Math.max(left, right);
            default -> throw unknown(operator);
        };
    }

    @Override
    void combineMany(Operator operator, long target, long left, long right, int bytes) {
        final int count = bytes / Long.BYTES;
        switch (operator) {
            case MINIMUM -> {
                minimum(target, left, right, bytes);
                return;
            }
            case MAXIMUM -> {
                maximum(target, left, right, bytes);
                return;
            }
            case SUM -> sum(results, left, right, count);
            case PRODUCT -> product(results, left, right, count);
            default -> throw unknown(operator);
        }
        copy(results, ARRAY_BASE, target, bytes);
    }

    private static void sum(long[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = at(left, i) + at(right, i);
        }
    }

    private static void product(long[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = at(left, i) * at(right, i);
        }
    }

    private static void minimum(long target, long left, long right, int bytes) {
        for (int i = 0; i < bytes; i += Long.BYTES) {
            UnsafeApi.putLong(target + i, Math.min(UnsafeApi.getLong(left + i), UnsafeApi.getLong(right + i)));
        }
    }

    private static void maximum(long target, long left, long right, int bytes) {
        for (int i = 0; i < bytes; i += Long.BYTES) {
            UnsafeApi.putLong(target + i, Math.max(UnsafeApi.getLong(left + i), UnsafeApi.getLong(right + i)));
        }
    }

    private static long at(long elements, int i) {
        return UnsafeApi.getLong(elements + (long) i * Long.BYTES);
    }
}
