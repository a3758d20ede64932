package org.segno.combine;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Operator of an application, registered under a number by {@code Client.operator}. The engine's thread calls it, or
 * the thread that advances a context if that runs the engine. It must neither block nor use a context. Several engines
 * of a node may call it at a time.
 */
public interface UserOperator {
    /** Limit of the numbers of user operators, which are 0 to 127. */
    int LIMIT = 128;

    /**
     * Combines elements of the same index: {@code result = left operator right}. The engine passes the elements of one
     * operation in several calls, in ascending order.
     *
     * <p>An exception refuses the operation ({@link org.segno.status.Refusal#OPERATOR_FAILED}): its injection counter
     * and the round of its pattern fail, and the node's error log has the exception. The elements of the result are
     * then undefined, and nothing behind the operation in its round is carried out, so that nobody receives them.
     * An {@link Error} ends the node instead, as in any other part of the engine.
     *
     * @param type of the elements
     * @param left memory of the left elements; the buffers may not be used after the call
     * @param right memory of the right elements
     * @param result memory of the result, which may be that of {@code left} or {@code right} but overlaps them in no
     *     other way
     * @param count number of elements, 1 or more
     */
    void combine(ElementType type, DirectBuffer left, DirectBuffer right, MutableDirectBuffer result, int count);

    /**
     * Returns true if the order of {@code left} and {@code right} does not matter. Collectives may then combine the
     * contributions in another order than that of their members. The engine keeps the order of each operation in either
     * case. Called once, when the operator is registered. All members of a collective declare the same.
     */
    boolean isCommutative();
}
