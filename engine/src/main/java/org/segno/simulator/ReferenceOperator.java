package org.segno.simulator;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.combine.UserOperator;

/** Operators on single elements, written as plainly as possible: what the engine's loops are compared with. */
final class ReferenceOperator {
    /** Number under which every node registers {@link #AFFINE}. */
    static final int AFFINE_NUMBER = 3;

    /** Composition of functions x -> a x + b, given as pairs of longs: associative, not commutative. */
    static final UserOperator AFFINE = new UserOperator() {
        @Override
        public void combine(
                ElementType type, DirectBuffer left, DirectBuffer right, MutableDirectBuffer result, int count) {
            for (int i = 0; i < count; i++) {
                affine(left, right, result, i * type.length());
            }
        }

        @Override
        public boolean isCommutative() {
            return false;
        }
    };

    private ReferenceOperator() {}

    private static void affine(DirectBuffer left, DirectBuffer right, MutableDirectBuffer result, int at) {
        final long a = left.getLong(at);
        final long b = left.getLong(at + Long.BYTES);
        final long c = right.getLong(at);
        final long d = right.getLong(at + Long.BYTES);
        result.putLong(at, a * c);
        result.putLong(at + Long.BYTES, a * d + b);
    }

    /** Combines the elements at an offset: {@code left = left operator right}. A null operator is the affine one. */
    static void combine(
            ElementType type, @Nullable Operator operator, MutableDirectBuffer left, DirectBuffer right, int at) {
        if (operator == null) {
            affine(left, right, left, at);
        } else if (type.isPair()) {
            if (isRightSelected(type, operator, left, right, at)) {
                left.putBytes(at, right, at, type.length());
            }
        } else {
            combineNumbers(type, operator, left, right, at);
        }
    }

    private static void combineNumbers(
            ElementType type, Operator operator, MutableDirectBuffer left, DirectBuffer right, int at) {
        switch (type) {
            case BYTE -> left.putByte(at, (byte) combined(operator, left.getByte(at), right.getByte(at)));
            case SHORT -> left.putShort(at, (short) combined(operator, left.getShort(at), right.getShort(at)));
            case INT -> left.putInt(at, (int) combined(operator, left.getInt(at), right.getInt(at)));
            case LONG -> left.putLong(at, combined(operator, left.getLong(at), right.getLong(at)));
            case FLOAT -> left.putFloat(at, (float) combined(operator, left.getFloat(at), right.getFloat(at)));
            case DOUBLE -> left.putDouble(at, combined(operator, left.getDouble(at), right.getDouble(at)));
            default -> throw new IllegalArgumentException("not a number: type=" + type);
        }
    }

    private static long combined(Operator operator, long left, long right) {
        return switch (operator) {
            case SUM -> left + right;
            case PRODUCT -> left * right;
            case MINIMUM -> Math.min(left, right);
            case MAXIMUM -> Math.max(left, right);
            case LOGICAL_AND -> left != 0 && right != 0 ? 1 : 0;
            case LOGICAL_OR -> left != 0 || right != 0 ? 1 : 0;
            case LOGICAL_XOR -> (left != 0) == (right != 0) ? 0 : 1;
            case BITWISE_AND -> left & right;
            case BITWISE_OR -> left | right;
            case BITWISE_XOR -> left ^ right;
            case MINIMUM_PAIR, MAXIMUM_PAIR -> throw new IllegalArgumentException("of pairs: operator=" + operator);
        };
    }

    private static double combined(Operator operator, double left, double right) {
        return switch (operator) {
            case SUM -> left + right;
            case PRODUCT -> left * right;
            case MINIMUM -> Math.min(left, right);
            case MAXIMUM -> Math.max(left, right);
            default -> throw new IllegalArgumentException("not of floating-point numbers: operator=" + operator);
        };
    }

    private static boolean isRightSelected(
            ElementType type, Operator operator, DirectBuffer left, DirectBuffer right, int at) {
        final int order = compared(type, left, right, at);
        if (order == 0) {
            return right.getInt(at + type.indexOffset()) < left.getInt(at + type.indexOffset());
        }
        return operator == Operator.MINIMUM_PAIR ? order > 0 : order < 0;
    }

    private static int compared(ElementType type, DirectBuffer left, DirectBuffer right, int at) {
        return switch (type) {
            case BYTE_PAIR -> Byte.compare(left.getByte(at), right.getByte(at));
            case SHORT_PAIR -> Short.compare(left.getShort(at), right.getShort(at));
            case INT_PAIR -> Integer.compare(left.getInt(at), right.getInt(at));
            case LONG_PAIR -> Long.compare(left.getLong(at), right.getLong(at));
            case FLOAT_PAIR -> Float.compare(left.getFloat(at), right.getFloat(at));
            case DOUBLE_PAIR -> Double.compare(left.getDouble(at), right.getDouble(at));
            default -> throw new IllegalArgumentException("not a pair: type=" + type);
        };
    }
}
