package org.segno.engine.combine;

import org.agrona.UnsafeApi;
import org.segno.combine.Operator;

/** Sum, product, minimum and maximum of elements of type {@code double}. Used by one thread. */
final class DoubleElements extends Elements {
    private static final int LIMIT = BLOCK / Double.BYTES;
    private static final int ARRAY_BASE = UnsafeApi.arrayBaseOffset(double[].class);
    private static final int FIRST = lead(ARRAY_BASE) / Double.BYTES;

    private final double[] results = new double[FIRST + LIMIT];

    @Override
    void combineFew(Operator operator, long target, long left, long right, int bytes) {
        for (int at = 0; at < bytes; at += Double.BYTES) {
            UnsafeApi.putDouble(
                    target + at, combine(operator, UnsafeApi.getDouble(left + at), UnsafeApi.getDouble(right + at)));
        }
    }

    private static double combine(Operator operator, double left, double right) {
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
        final int count = bytes / Double.BYTES;
        switch (operator) {
            case SUM -> sum(results, left, right, count);
            case PRODUCT -> product(results, left, right, count);
            case MINIMUM -> minimum(results, left, right, count);
            case MAXIMUM -> maximum(results, left, right, count);
            default -> throw unknown(operator);
        }
        copy(results, ARRAY_BASE, target, bytes);
    }

    private static void sum(double[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = at(left, i) + at(right, i);
        }
    }

    private static void product(double[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = at(left, i) * at(right, i);
        }
    }

    private static void minimum(double[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = Math.min(at(left, i), at(right, i));
        }
    }

    private static void maximum(double[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = Math.max(at(left, i), at(right, i));
        }
    }

    private static double at(long elements, int i) {
        return UnsafeApi.getDouble(elements + (long) i * Double.BYTES);
    }
}
