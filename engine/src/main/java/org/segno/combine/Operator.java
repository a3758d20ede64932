package org.segno.combine;

import org.jspecify.annotations.Nullable;

/**
 * Operators of {@code Context.combine}. All are commutative. Integers are signed and wrap around. The minimum and the
 * maximum of a number and a NaN is NaN, and -0.0 is less than 0.0.
 */
public enum Operator {
    SUM(1),
    PRODUCT(2),
    MINIMUM(3),
    MAXIMUM(4),

    /** 1 if both are not zero, otherwise 0. */
    LOGICAL_AND(5),

    /** 1 if one of them is not zero, otherwise 0. */
    LOGICAL_OR(6),

    /** 1 if exactly one of them is not zero, otherwise 0. */
    LOGICAL_XOR(7),

    BITWISE_AND(8),
    BITWISE_OR(9),
    BITWISE_XOR(10),

    /** The pair with the smaller value; of equal values, the one with the smaller index. NaN is the smallest value. */
    MINIMUM_PAIR(11),

    /** The pair with the larger value; if the values are equal, the one with the smaller index. NaN is the largest. */
    MAXIMUM_PAIR(12);

    private static final Operator[] VALUES = values();

    private final int code;

    Operator(int code) {
        this.code = code;
    }

    /** Returns the number of the operator in a descriptor. */
    public int code() {
        return code;
    }

    /**
     * Returns true if elements of a type have this operator: numbers have the sum, the product, the minimum and the
     * maximum; integers also the logical and bitwise ones; pairs only those of pairs.
     */
    public boolean appliesTo(ElementType type) {
        if (type.isPair()) {
            return code >= MINIMUM_PAIR.code;
        }
        return code <= MAXIMUM.code || (isOfBits() && type.isInteger());
    }

    /** Returns true for the minimum and the maximum. */
    public boolean isOfOrder() {
        return this == MINIMUM || this == MAXIMUM;
    }

    /** Returns true for the logical and bitwise operators, which integers have. */
    public boolean isOfBits() {
        return code > MAXIMUM.code && code < MINIMUM_PAIR.code;
    }

    /** Returns the operator with a code, or null if there is none. */
    public static @Nullable Operator of(int code) {
        return code > 0 && code <= VALUES.length ? VALUES[code - 1] : null;
    }
}
