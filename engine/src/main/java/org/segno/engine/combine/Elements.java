package org.segno.engine.combine;

import org.agrona.UnsafeApi;
import org.segno.combine.Operator;

/**
 * Operators on elements of one type, at addresses outside the heap. An element need not be aligned. Used by one thread.
 *
 * <p>The compiler of JDK 17 vectorizes no loop that reads such memory at one address and writes it at another, because
 * the two might overlap. So a block is combined into an array, which stays in the nearest cache, and copied. It
 * vectorizes such a loop under two conditions, each of which makes it twice to thirty times as fast:
 *
 * <ul>
 *   <li>The condition of the loop bounds its index by a constant, so that offsets have 32 bits.
 *   <li>The elements in the array lie at a multiple of a vector's length from its start, as those outside the heap do
 *       from their address.
 * </ul>
 */
abstract class Elements {
    /** Length of a block in bytes. */
    static final int BLOCK = 2048;

    /**
     * Length in bytes below which elements are combined one by one, in a loop of their own: the compiler uses no
     * vectors in a loop that has mostly had few iterations.
     */
    private static final int FEW = 128;

    /** Length in bytes of the longest vector of a processor. */
    private static final int VECTOR = 64;

    /**
     * Combines the elements of a block.
     *
     * @param target address of the result, which is equal to another or does not overlap it
     * @param left address of the left elements
     * @param right address of the right elements
     * @param bytes at most {@link #BLOCK}, a multiple of the length of an element
     */
    final void combine(Operator operator, long target, long left, long right, int bytes) {
        if (bytes < FEW) {
            combineFew(operator, target, left, right, bytes);
        } else {
            combineMany(operator, target, left, right, bytes);
        }
    }

    /** Combines fewer than {@link #FEW} bytes. */
    abstract void combineFew(Operator operator, long target, long left, long right, int bytes);

    /** Combines at least {@link #FEW} bytes. */
    abstract void combineMany(Operator operator, long target, long left, long right, int bytes);

    /** Returns the number of unused bytes at the begin of an array, for the second condition. */
    static int lead(int arrayBase) {
        return -arrayBase & (VECTOR - 1);
    }

    /** Copies results to their target. */
    static void copy(Object results, int arrayBase, long target, int bytes) {
        UnsafeApi.copyMemory(results, arrayBase + lead(arrayBase), null, target, bytes);
    }

    static IllegalArgumentException unknown(Operator operator) {
        return new IllegalArgumentException("elements of this type do not have the operator: operator=" + operator);
    }
}
