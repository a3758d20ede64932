package org.segno.engine.combine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;

/** Operators on one element at a time, as their tables state them, and elements with many special values. */
public final class Reference {
    private static final long[] INTEGERS = {
        0, 0, 1, -1, 2, Long.MAX_VALUE, Long.MIN_VALUE, 127, -128, 255, 256, 1L << 31
    };
    private static final double[] NUMBERS = {
        0.0, -0.0, 1, -1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1e300, -1e-300, 3.5e38
    };

    private Reference() {}

    /** Returns bytes in the byte order of the machine. */
    public static ByteBuffer of(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    }

    /** Fills elements with random values, a part of them special, and the padding of pairs with random bytes. */
    public static void fill(byte[] bytes, ElementType type, Random chance) {
        chance.nextBytes(bytes);
        final ByteBuffer elements = of(bytes);
        for (int at = 0; at < bytes.length; at += type.length()) {
            if (type.isPair()) {
                elements.putInt(at + type.indexOffset(), chance.nextInt(3));
            }
            if (chance.nextInt(3) == 0) {
                putValue(elements, type, at, chance);
            }
        }
    }

    private static void putValue(ByteBuffer elements, ElementType type, int at, Random chance) {
        final long integer = INTEGERS[chance.nextInt(INTEGERS.length)];
        final double number = NUMBERS[chance.nextInt(NUMBERS.length)];
        switch (type) {
            case BYTE, BYTE_PAIR -> elements.put(at, (byte) integer);
            case SHORT, SHORT_PAIR -> elements.putShort(at, (short) integer);
            case INT, INT_PAIR -> elements.putInt(at, (int) integer);
            case LONG, LONG_PAIR -> elements.putLong(at, integer);
            case FLOAT, FLOAT_PAIR -> elements.putFloat(at, (float) number);
            case DOUBLE, DOUBLE_PAIR -> elements.putDouble(at, number);
        }
    }

    /** Returns {@code left operator right} for every element. */
    public static byte[] combine(ElementType type, Operator operator, byte[] left, byte[] right) {
        final byte[] combined = new byte[left.length];
        final ByteBuffer results = of(combined);
        for (int at = 0; at < left.length; at += type.length()) {
            if (type.isPair()) {
                final byte[] selected = isLeft(type, operator, of(left), of(right), at) ? left : right;
                results.put(at, selected, at, type.length());
            } else {
                combine(type, operator, of(left), of(right), results, at);
            }
        }
        return combined;
    }

    private static void combine(
            ElementType type, Operator operator, ByteBuffer left, ByteBuffer right, ByteBuffer results, int at) {
        switch (type) {
            case BYTE -> results.put(at, (byte) integer(operator, left.get(at), right.get(at)));
            case SHORT -> results.putShort(at, (short) integer(operator, left.getShort(at), right.getShort(at)));
            case INT -> results.putInt(at, (int) integer(operator, left.getInt(at), right.getInt(at)));
            case LONG -> results.putLong(at, integer(operator, left.getLong(at), right.getLong(at)));
            case FLOAT -> {
                final float one = left.getFloat(at);
                final float other = right.getFloat(at);
                results.putFloat(
                        at,
                        switch (operator) {
                            case SUM -> one + other;
                            case PRODUCT -> one * other;
                            default -> (float) number(operator, one, other);
                        });
            }
            default -> results.putDouble(at, number(operator, left.getDouble(at), right.getDouble(at)));
        }
    }

    private static long integer(Operator operator, long left, long right) {
        return switch (operator) {
            case SUM -> left + right;
            case PRODUCT -> left * right;
            case MINIMUM -> left < right ? left : right;
            case MAXIMUM -> left > right ? left : right;
            case LOGICAL_AND -> left != 0 && right != 0 ? 1 : 0;
            case LOGICAL_OR -> left != 0 || right != 0 ? 1 : 0;
            case LOGICAL_XOR -> (left != 0) != (right != 0) ? 1 : 0;
            case BITWISE_AND -> left & right;
            case BITWISE_OR -> left | right;
            case BITWISE_XOR -> left ^ right;
            default -> throw new IllegalArgumentException(operator.toString());
        };
    }

    private static double number(Operator operator, double left, double right) {
        final boolean areNumbers = !Double.isNaN(left) && !Double.isNaN(right);
        // The order of compare has -0.0 before 0.0.
        return switch (operator) {
            case SUM -> left + right;
            case PRODUCT -> left * right;
            case MINIMUM -> areNumbers ? (Double.compare(left, right) <= 0 ? left : right) : Double.NaN;
            case MAXIMUM -> areNumbers ? (Double.compare(left, right) >= 0 ? left : right) : Double.NaN;
            default -> throw new IllegalArgumentException(operator.toString());
        };
    }

    private static boolean isLeft(ElementType type, Operator operator, ByteBuffer left, ByteBuffer right, int at) {
        final int order = compare(type, operator, left, right, at);
        return order < 0
                || (order == 0 && left.getInt(at + type.indexOffset()) <= right.getInt(at + type.indexOffset()));
    }

    /** Returns below zero if the left value is selected, and zero if the values are equal. */
    private static int compare(ElementType type, Operator operator, ByteBuffer left, ByteBuffer right, int at) {
        final int sign = operator == Operator.MINIMUM_PAIR ? 1 : -1;
        return switch (type) {
            case BYTE_PAIR -> sign * Byte.compare(left.get(at), right.get(at));
            case SHORT_PAIR -> sign * Short.compare(left.getShort(at), right.getShort(at));
            case INT_PAIR -> sign * Integer.compare(left.getInt(at), right.getInt(at));
            case LONG_PAIR -> sign * Long.compare(left.getLong(at), right.getLong(at));
            case FLOAT_PAIR -> compare(sign, left.getFloat(at), right.getFloat(at));
            default -> compare(sign, left.getDouble(at), right.getDouble(at));
        };
    }

    private static int compare(int sign, double left, double right) {
        if (Double.isNaN(left) || Double.isNaN(right)) {
            return Boolean.compare(Double.isNaN(right), Double.isNaN(left));
        }
        return sign * Double.compare(left, right);
    }

    /** Returns true if elements are equal. Any two NaNs are: arithmetic may change their other bits. */
    public static boolean areEqual(ElementType type, byte[] expected, byte[] found) {
        final ByteBuffer one = of(expected);
        final ByteBuffer other = of(found);
        for (int at = 0; at < expected.length; at += type.length()) {
            final boolean isEqual = switch (type) {
                case FLOAT -> Float.compare(one.getFloat(at), other.getFloat(at)) == 0;
                case DOUBLE -> Double.compare(one.getDouble(at), other.getDouble(at)) == 0;
                default -> one.slice(at, type.length()).equals(other.slice(at, type.length()));
            };
            if (!isEqual) {
                return false;
            }
        }
        return expected.length == found.length;
    }
}
