package org.segno.engine.combine;

import org.agrona.UnsafeApi;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;

/**
 * Selection of pairs of one type by their values. Used by one thread.
 *
 * <p>A value becomes a key of 64 bits, with the order of the values, so that there is one comparison. For the maximum
 * all bits of the key are inverted, which reverses the order. A NaN has the smallest key in either case, which no other
 * floating-point number has.
 */
final class Pairs extends Elements {
    private static final long NAN = Long.MIN_VALUE;
    private static final int INFINITY_FLOAT = 0x7F80_0000;
    private static final long INFINITY_DOUBLE = 0x7FF0_0000_0000_0000L;

    private final ElementType type;

    /** Creates the operators on pairs of a type. */
    Pairs(ElementType type) {
        this.type = type;
    }

    @Override
    void combine(Operator operator, long target, long left, long right, int bytes) {
        if (!operator.appliesTo(type)) {
            throw unknown(operator);
        }
        final long inverted = operator == Operator.MAXIMUM_PAIR ? -1 : 0;
        switch (type) {
            case LONG_PAIR -> selectLongs(inverted, target, left, right, bytes);
            case FLOAT_PAIR -> selectFloats(inverted, target, left, right, bytes);
            case DOUBLE_PAIR -> selectDoubles(inverted, target, left, right, bytes);
            default -> selectIntegers(inverted, target, left, right, bytes);
        }
    }

    /** Selects pairs of 8 bytes whose value is an integer of up to 4 bytes: the lowest bits of the word. */
    private void selectIntegers(long inverted, long target, long left, long right, int bytes) {
        final int shift = type == ElementType.BYTE_PAIR
                ? Long.SIZE - Byte.SIZE
                : type == ElementType.SHORT_PAIR ? Long.SIZE - Short.SIZE : Long.SIZE - Integer.SIZE;
        for (int at = 0; at < bytes; at += Long.BYTES) {
            final long one = UnsafeApi.getLong(left + at);
            final long other = UnsafeApi.getLong(right + at);
            final long key = ((one << shift) >> shift) ^ inverted;
            final long otherKey = ((other << shift) >> shift) ^ inverted;
            UnsafeApi.putLong(target + at, isFirst(key, index(one), otherKey, index(other)) ? one : other);
        }
    }

    private static void selectFloats(long inverted, long target, long left, long right, int bytes) {
        for (int at = 0; at < bytes; at += Long.BYTES) {
            final long one = UnsafeApi.getLong(left + at);
            final long other = UnsafeApi.getLong(right + at);
            final long key = floatKey((int) one, inverted);
            final long otherKey = floatKey((int) other, inverted);
            UnsafeApi.putLong(target + at, isFirst(key, index(one), otherKey, index(other)) ? one : other);
        }
    }

    private static void selectLongs(long inverted, long target, long left, long right, int bytes) {
        for (int at = 0; at < bytes; at += 2 * Long.BYTES) {
            final long key = UnsafeApi.getLong(left + at) ^ inverted;
            final long otherKey = UnsafeApi.getLong(right + at) ^ inverted;
            select(target + at, left + at, key, right + at, otherKey);
        }
    }

    private static void selectDoubles(long inverted, long target, long left, long right, int bytes) {
        for (int at = 0; at < bytes; at += 2 * Long.BYTES) {
            final long key = doubleKey(UnsafeApi.getLong(left + at), inverted);
            final long otherKey = doubleKey(UnsafeApi.getLong(right + at), inverted);
            select(target + at, left + at, key, right + at, otherKey);
        }
    }

    /** Copies one of two pairs of 16 bytes. */
    private static void select(long target, long left, long key, long right, long otherKey) {
        final int index = UnsafeApi.getInt(left + Long.BYTES);
        final int otherIndex = UnsafeApi.getInt(right + Long.BYTES);
        final long selected = isFirst(key, index, otherKey, otherIndex) ? left : right;
        UnsafeApi.putLong(target, UnsafeApi.getLong(selected));
        UnsafeApi.putLong(target + Long.BYTES, UnsafeApi.getLong(selected + Long.BYTES));
    }

    private static boolean isFirst(long key, int index, long otherKey, int otherIndex) {
        return key < otherKey || (key == otherKey && index <= otherIndex);
    }

    /** Returns the index of a pair of 8 bytes. */
    private static int index(long pair) {
        return (int) (pair >>> Integer.SIZE);
    }

    /** Returns the key of a float: its bits, of which a negative number has all inverted but the sign. */
    private static long floatKey(int bits, long inverted) {
        return (bits & Integer.MAX_VALUE) > INFINITY_FLOAT
                ? NAN
                : (bits ^ ((bits >> (Integer.SIZE - 1)) & Integer.MAX_VALUE)) ^ inverted;
    }

    private static long doubleKey(long bits, long inverted) {
        return (bits & Long.MAX_VALUE) > INFINITY_DOUBLE
                ? NAN
                : bits ^ ((bits >> (Long.SIZE - 1)) & Long.MAX_VALUE) ^ inverted;
    }
}
