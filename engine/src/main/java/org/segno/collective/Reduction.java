package org.segno.collective;

import java.util.Objects;
import java.util.function.IntPredicate;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.combine.UserOperator;
import org.segno.operation.Combine;

/**
 * Element type and operator of a reduction. Operators must be associative. Contributions are combined in the order of
 * the members if the operator is not commutative. Otherwise some algorithms combine them in another order, which is the
 * same in every run and at every member, so that these have the same result. The operators of {@link Operator} are
 * commutative, and a {@link UserOperator} declares whether it is.
 */
public final class Reduction {
    private final ElementType type;
    private final int code;

    private Reduction(ElementType type, int code) {
        this.type = type;
        this.code = code;
    }

    /**
     * Returns the reduction of elements of a type by an operator.
     *
     * @throws IllegalArgumentException if elements of the type do not have the operator
     */
    public static Reduction of(ElementType type, Operator operator) {
        Objects.requireNonNull(operator, "operator");
        Combine.of(type, operator);
        return new Reduction(type, operator.code());
    }

    /**
     * Returns the reduction by a {@link UserOperator}, which every member must register before it calls.
     *
     * @param number of the operator, 0 to 127
     */
    public static Reduction of(ElementType type, int number) {
        Combine.of(type, number);
        return new Reduction(type, -1 - number);
    }

    /** Returns a new combination for one descriptor. */
    Combine combine() {
        return code >= 0 ? Combine.of(type, Objects.requireNonNull(Operator.of(code))) : Combine.of(type, -1 - code);
    }

    /** Returns true if the operator is commutative; {@code ofUser} is asked for the number of a user operator. */
    boolean isCommutative(IntPredicate ofUser) {
        return code >= 0 || ofUser.test(-1 - code);
    }

    ElementType type() {
        return type;
    }

    /** Returns a number by which members compare their reductions. */
    long key() {
        return ((long) type.code() << Integer.SIZE) | (code & 0xFFFFFFFFL);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Reduction that && that.type == type && that.code == code;
    }

    @Override
    public int hashCode() {
        return type.code() * 31 + code;
    }

    @Override
    public String toString() {
        return type + " " + describe(code);
    }

    private static String describe(int code) {
        return code >= 0 ? String.valueOf(Operator.of(code)) : "user operator " + (-1 - code);
    }

    /** Describes a key of {@link #key}. */
    static String describe(long key) {
        return key == 0 ? "no reduction" : ElementType.of((int) (key >> Integer.SIZE)) + " " + describe((int) key);
    }
}
