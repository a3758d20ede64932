package org.segno.engine.combine;

import org.agrona.UnsafeApi;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;

/**
 * Selection of pairs of one type by their values. Used by one thread.
 *
 * <p>For the maximum, values are inverted, which reverses their order. Numbers that are neither less nor greater, for
 * example a NaN or zeros of different signs, are compared by their bits.
 */
final class Pairs extends Elements {
    private final ElementType type;

    /** Creates the operators on pairs of a type. */
    Pairs(ElementType type) {
        this.type = type;
    }

    @Override
    void combineFew(Operator operator, long target, long left, long right, int bytes) {
        combineMany(operator, target, left, right, bytes);
    }

    @Override
    void combineMany(Operator operator, long target, long left, long right, int bytes) {
        if (!operator.appliesTo(type)) {
            throw unknown(operator);
        }
        final int sign = operator == Operator.MAXIMUM_PAIR ? -1 : 1;
        switch (type) {
            case LONG_PAIR -> selectLongs(sign >> 1, target, left, right, bytes);
            case FLOAT_PAIR -> selectFloats(sign, target, left, right, bytes);
            case DOUBLE_PAIR -> selectDoubles(sign, target, left, right, bytes);
            default -> selectIntegers(sign >> 1, target, left, right, bytes);
        }
    }

    /** Selects pairs of 8 bytes, each one word. The value, an integer of up to 4 bytes, is in its lowest bits. */
    private void selectIntegers(long inverted, long target, long left, long right, int bytes) {
        final int shift = type == ElementType.BYTE_PAIR
                ? Long.SIZE - Byte.SIZE
                : type == ElementType.SHORT_PAIR ? Long.SIZE - Short.SIZE : Long.SIZE - Integer.SIZE;
        for (int at = 0; at < bytes; at += Long.BYTES) {
            final long one = ((UnsafeApi.getLong(left + at) << shift) >> shift) ^ inverted;
            final long other = ((UnsafeApi.getLong(right + at) << shift) >> shift) ^ inverted;
            final boolean isLeft = one < other || (one == other && hasFirstIndex(left + at, right + at, Integer.BYTES));
            UnsafeApi.putLong(target + at, UnsafeApi.getLong((isLeft ? left : right) + at));
        }
    }

    private static void selectLongs(long inverted, long target, long left, long right, int bytes) {
        for (int at = 0; at < bytes; at += 2 * Long.BYTES) {
            final long one = UnsafeApi.getLong(left + at) ^ inverted;
            final long other = UnsafeApi.getLong(right + at) ^ inverted;
            final boolean isLeft = one < other || (one == other && hasFirstIndex(left + at, right + at, Long.BYTES));
            copyPair(target + at, (isLeft ? left : right) + at);
        }
    }

    private static void selectFloats(int sign, long target, long left, long right, int bytes) {
        for (int at = 0; at < bytes; at += Long.BYTES) {
            final float one = UnsafeApi.getFloat(left + at) * sign;
            final float other = UnsafeApi.getFloat(right + at) * sign;
            final boolean isLeft = one < other
                    || (!(one > other) && isFirst(one, other, hasFirstIndex(left + at, right + at, Float.BYTES)));
            UnsafeApi.putLong(target + at, UnsafeApi.getLong((isLeft ? left : right) + at));
        }
    }

    private static void selectDoubles(int sign, long target, long left, long right, int bytes) {
        for (int at = 0; at < bytes; at += 2 * Double.BYTES) {
            final double one = UnsafeApi.getDouble(left + at) * sign;
            final double other = UnsafeApi.getDouble(right + at) * sign;
            final boolean isLeft = one < other
                    || (!(one > other) && isFirst(one, other, hasFirstIndex(left + at, right + at, Double.BYTES)));
            copyPair(target + at, (isLeft ? left : right) + at);
        }
    }

    private static void copyPair(long target, long source) {
        UnsafeApi.putLong(target, UnsafeApi.getLong(source));
        UnsafeApi.putLong(target + Long.BYTES, UnsafeApi.getLong(source + Long.BYTES));
    }

    private static boolean hasFirstIndex(long left, long right, int indexOffset) {
        return UnsafeApi.getInt(left + indexOffset) <= UnsafeApi.getInt(right + indexOffset);
    }

    /** Returns true if a number comes before another that is neither less nor greater: a NaN, or -0.0 before 0.0. */
    private static boolean isFirst(double one, double other, boolean hasFirstIndex) {
        final int order =
                one == other ? Double.compare(one, other) : Boolean.compare(Double.isNaN(other), Double.isNaN(one));
        return order < 0 || (order == 0 && hasFirstIndex);
    }
}
