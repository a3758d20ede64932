package org.segno.engine.combine;

import org.agrona.UnsafeApi;
import org.segno.combine.Operator;

/** Sum and product of elements of type {@code int}. Used by one thread. */
final class IntElements extends Elements {
    private static final int LIMIT = BLOCK / Integer.BYTES;
    private static final int ARRAY_BASE = UnsafeApi.arrayBaseOffset(int[].class);
    private static final int FIRST = lead(ARRAY_BASE) / Integer.BYTES;

    private final int[] results = new int[FIRST + LIMIT];

    @Override
    void combineFew(Operator operator, long target, long left, long right, int bytes) {
        for (int at = 0; at < bytes; at += Integer.BYTES) {
            UnsafeApi.putInt(target + at, combine(operator, UnsafeApi.getInt(left + at), UnsafeApi.getInt(right + at)));
        }
    }

    private static int combine(Operator operator, int left, int right) {
        return switch (operator) {
            case SUM -> left + right;
            case PRODUCT -> left * right;
            default -> throw unknown(operator);
        };
    }

    @Override
    void combineMany(Operator operator, long target, long left, long right, int bytes) {
        final int count = bytes / Integer.BYTES;
        switch (operator) {
            case SUM -> sum(results, left, right, count);
            case PRODUCT -> product(results, left, right, count);
            default -> throw unknown(operator);
        }
        copy(results, ARRAY_BASE, target, bytes);
    }

    private static void sum(int[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = at(left, i) + at(right, i);
        }
    }

    private static void product(int[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = at(left, i) * at(right, i);
        }
    }

    private static int at(long elements, int i) {
        return UnsafeApi.getInt(elements + (long) i * Integer.BYTES);
    }
}
