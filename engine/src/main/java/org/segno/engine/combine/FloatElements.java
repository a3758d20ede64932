package org.segno.engine.combine;

import org.agrona.UnsafeApi;
import org.segno.combine.Operator;

/** Sum, product, minimum and maximum of elements of type {@code float}. Used by one thread. */
final class FloatElements extends Elements {
    private static final int LIMIT = BLOCK / Float.BYTES;
    private static final int ARRAY_BASE = UnsafeApi.arrayBaseOffset(float[].class);
    private static final int FIRST = lead(ARRAY_BASE) / Float.BYTES;

    private final float[] results = new float[FIRST + LIMIT];

    @Override
    void combineFew(Operator operator, long target, long left, long right, int bytes) {
        for (int at = 0; at < bytes; at += Float.BYTES) {
            UnsafeApi.putFloat(
                    target + at, combine(operator, UnsafeApi.getFloat(left + at), UnsafeApi.getFloat(right + at)));
        }
    }

    private static float combine(Operator operator, float left, float right) {
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
        final int count = bytes / Float.BYTES;
        switch (operator) {
            case SUM -> sum(results, left, right, count);
            case PRODUCT -> product(results, left, right, count);
            case MINIMUM -> minimum(results, left, right, count);
            case MAXIMUM -> maximum(results, left, right, count);
            default -> throw unknown(operator);
        }
        copy(results, ARRAY_BASE, target, bytes);
    }

    private static void sum(float[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = at(left, i) + at(right, i);
        }
    }

    private static void product(float[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = at(left, i) * at(right, i);
        }
    }

    private static void minimum(float[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = Math.min(at(left, i), at(right, i));
        }
    }

    private static void maximum(float[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = Math.max(at(left, i), at(right, i));
        }
    }

    private static float at(long elements, int i) {
        return UnsafeApi.getFloat(elements + (long) i * Float.BYTES);
    }
}
