package org.segno.engine.combine;

import org.agrona.UnsafeApi;
import org.segno.combine.Operator;

/** Sum and product of elements of type {@code byte}. Used by one thread. */
final class ByteElements extends Elements {
    private static final int LIMIT = BLOCK / Byte.BYTES;
    private static final int ARRAY_BASE = UnsafeApi.arrayBaseOffset(byte[].class);
    private static final int FIRST = lead(ARRAY_BASE) / Byte.BYTES;

    private final byte[] results = new byte[FIRST + LIMIT];

    @Override
    void combineFew(Operator operator, long target, long left, long right, int bytes) {
        for (int at = 0; at < bytes; at += Byte.BYTES) {
            UnsafeApi.putByte(
                    target + at, combine(operator, UnsafeApi.getByte(left + at), UnsafeApi.getByte(right + at)));
        }
    }

    private static byte combine(Operator operator, byte left, byte right) {
        return switch (operator) {
            case SUM -> (byte) (left + right);
            case PRODUCT -> (byte) (left * right);
            default -> throw unknown(operator);
        };
    }

    @Override
    void combineMany(Operator operator, long target, long left, long right, int bytes) {
        final int count = bytes / Byte.BYTES;
        switch (operator) {
            case SUM -> sum(results, left, right, count);
            case PRODUCT -> product(results, left, right, count);
            default -> throw unknown(operator);
        }
        copy(results, ARRAY_BASE, target, bytes);
    }

    private static void sum(byte[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = (byte) (at(left, i) + at(right, i));
        }
    }

    private static void product(byte[] results, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, LIMIT); i++) {
            results[FIRST + i] = (byte) (at(left, i) * at(right, i));
        }
    }

    private static byte at(long elements, int i) {
        return UnsafeApi.getByte(elements + i);
    }
}
