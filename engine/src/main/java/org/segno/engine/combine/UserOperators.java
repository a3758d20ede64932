package org.segno.engine.combine;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.segno.combine.UserOperator;

/** Operators that the applications of a node have registered, by number. Usable from any thread. */
public final class UserOperators {
    static {
        // Loads the class: the JIT does not inline get() before, because get() returns it.
        Objects.requireNonNull(UserOperator.class);
    }

    private final AtomicReferenceArray<@Nullable UserOperator> operators =
            new AtomicReferenceArray<>(UserOperator.LIMIT);

    /** Declarations of the operators, each written before its operator. */
    private final boolean[] commutative = new boolean[UserOperator.LIMIT];

    /**
     * Registers an operator, and asks it whether it is commutative.
     *
     * @throws IllegalArgumentException if the number is out of range
     * @throws IllegalStateException if the number has another operator, which descriptors may name
     */
    public synchronized void register(int number, UserOperator operator) {
        require(number);
        final UserOperator other = operators.getAcquire(number);
        if (other == null) {
            commutative[number] = operator.isCommutative();
            operators.setRelease(number, operator);
        } else if (other != operator) {
            throw new IllegalStateException("the number has another operator, which patterns may name, use a free"
                    + " number: number=" + number);
        }
    }

    /** Returns the operator of a number, or null. */
    public @Nullable UserOperator get(int number) {
        return number >= 0 && number < UserOperator.LIMIT ? operators.getAcquire(number) : null;
    }

    /** Returns true if the number has an operator, which has declared that it is commutative. */
    public boolean isCommutative(int number) {
        return get(number) != null && commutative[number];
    }

    /** Checks that a number is in range. */
    public static void require(int number) {
        if (number < 0 || number >= UserOperator.LIMIT) {
            throw new IllegalArgumentException(
                    "the number of a user operator must be 0 to " + (UserOperator.LIMIT - 1) + ": number=" + number);
        }
    }
}
