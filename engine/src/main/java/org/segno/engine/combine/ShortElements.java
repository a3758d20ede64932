package org.segno.engine.combine;

import org.agrona.UnsafeApi;
import org.segno.combine.Operator;

/** Sum and product of elements of type {@code short}. Used by one thread. */
final class ShortElements extends Elements {
    private static final int LIMIT = BLOCK / Short.BYTES;
    private static final int ARRAY_BASE = UnsafeApi.arrayBaseOffset(short[].class);
    private static final int FIRST = lead(ARRAY_BASE) / Short.BYTES;

    private final short[] results = new short[FIRST + LIMIT];

    @Override
    void combineFew(Operator operator, long target, long left, long right, int bytes) {
        for (int at = 0; at < bytes; at += Short.BYTES) {
            UnsafeApi.putShort(
                    target + at, combine(operator, UnsafeApi.getShort(left + at), UnsafeApi.getShort(right + at)));
        }
    }

    private static short combine(Operator operator, short left, short right) {
        return switch (operator) {
            case SUM -> (short) (left + right);
            case PRODUCT -> (short) (left * right);
            default -> throw unknown(operator);
        };
    }

    @Override
    void combineMany(Operator operator, long target, long left, long right, int bytes) {
        final int count = bytes / Short.BYTES;
        switch (operator) {
            case SUM -> sum(results, left, right, count);
            case PRODUCT -> product(results, left, right, count);
            default -> throw unknown(operator);
        }
        copy(results, ARRAY_BASE, target, bytes);
    }

    private static void sum(short[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = (short) (at(left, i) + at(right, i));
        }
    }

    private static void product(short[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = (short) (at(left, i) * at(right, i));
        }
    }

    private static short at(long elements, int i) {
        return UnsafeApi.getShort(elements + (long) i * Short.BYTES);
    }
}
