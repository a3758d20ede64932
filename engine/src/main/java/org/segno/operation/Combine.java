package org.segno.operation;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.combine.UserOperator;
import org.segno.engine.combine.UserOperators;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.memory.NodeMemory;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Operand;

/**
 * The combination that {@code Context.combine} applies to a range of elements: their type, the operator, the order of
 * its operands, and a counter for the completion. It is reusable: {@code combine} keeps no reference to it after it has
 * returned.
 */
public final class Combine {
    final ElementType type;
    final int operator;
    boolean isReversed;

    @Nullable
    Operand third;

    long thirdOffset;

    @Nullable
    InjectionCounter injectionCounter;

    private Combine(ElementType type, int operator) {
        this.type = Objects.requireNonNull(type, "type");
        this.operator = operator;
    }

    /**
     * Returns the combination of elements by an operator.
     *
     * @throws IllegalArgumentException if elements of the type do not have the operator
     */
    public static Combine of(ElementType type, Operator operator) {
        if (!operator.appliesTo(Objects.requireNonNull(type, "type"))) {
            throw new IllegalArgumentException(
                    "elements of this type do not have the operator: type=" + type + " operator=" + operator);
        }
        return new Combine(type, operator.code());
    }

    /**
     * Returns the combination of elements by a {@link UserOperator}, which must be registered before the operation is
     * injected. A saved pattern names its number.
     *
     * @param number of the operator, 0 to 127
     */
    public static Combine of(ElementType type, int number) {
        UserOperators.require(number);
        return new Combine(type, Descriptor.FIRST_USER_OPERATOR + number);
    }

    /**
     * Places the source on the left of the operator: {@code target = source operator target}. This matters only if the
     * operator is not commutative.
     *
     * @throws IllegalStateException if there is a third operand, which is always the right one
     */
    public Combine reversed() {
        if (third != null) {
            throw reversedWithThird();
        }
        isReversed = true;
        return this;
    }

    /**
     * Sets a third operand: {@code target = source operator third}. The target is then only written. Another call
     * replaces the operand.
     *
     * @param operand a pair only inside {@code record}, where it means the range of the round's counter
     * @param offset of the elements, in bytes
     * @throws IllegalStateException if the combination is reversed: exchange the operands
     */
    public Combine with(Operand operand, long offset) {
        if (isReversed) {
            throw reversedWithThird();
        }
        third = Objects.requireNonNull(operand, "operand");
        thirdOffset = offset;
        return this;
    }

    private static IllegalStateException reversedWithThird() {
        return new IllegalStateException(
                "a combination with a third operand is not reversed: exchange the source and the third operand");
    }

    /**
     * Sets a counter that is counted down by the bytes of the target as they are combined, and that reports a refusal.
     * They must be expected first.
     */
    public Combine completes(InjectionCounter counter) {
        this.injectionCounter = Objects.requireNonNull(counter, "counter");
        return this;
    }

    /** Checks the length of a range of elements, and that the third operand and the counter belong to a node. */
    void requireOf(NodeMemory node, long length) {
        if ((length & (type.length() - 1)) != 0) {
            throw new IllegalArgumentException("the length must be a multiple of the " + type.length()
                    + " bytes of an element of type " + type + ": length=" + length);
        }
        if (third != null) {
            MemoryAccess.requireOperand(third, node, "third", thirdOffset, length);
        }
        if (injectionCounter != null) {
            injectionCounter.requireOf(node);
        }
    }

    /** Returns the number of the user operator, or below zero. */
    int userOperator() {
        return operator - Descriptor.FIRST_USER_OPERATOR;
    }
}
