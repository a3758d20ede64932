package org.segno.operation;

import org.jspecify.annotations.Nullable;
import org.segno.counter.InjectionCounter;
import org.segno.descriptor.AtomicFunction;
import org.segno.memory.NodeMemory;
import org.segno.memory.Window;

/**
 * What {@code Context.rmw} does to a 64-bit word: a function, where its old value goes, and who hears that it is done. Made once and
 * used again; nothing of it is referred to after {@code rmw} has answered. Calls that name a function replace the last one.
 */
public final class Rmw {
    /** What a counter that is to hear of one is expected to be counted down by, with a result or without. */
    public static final int LENGTH = Long.BYTES;

    int function = AtomicFunction.FETCH_ADD;
    long operand;
    long comparand;

    @Nullable
    Window result;

    long resultOffset;

    @Nullable
    InjectionCounter injectionCounter;

    /** Adds {@code amount}, modulo 2<sup>64</sup>. Of 0, which is also what a new one does, it reads the word. */
    public Rmw fetchAdd(long amount) {
        return of(AtomicFunction.FETCH_ADD, amount, 0);
    }

    /** Sets the word to {@code value} if it holds {@code expected}; the result tells by being equal to it. */
    public Rmw compareAndSet(long expected, long value) {
        return of(AtomicFunction.COMPARE_AND_SET, value, expected);
    }

    /** Clears the bits that {@code mask} has not. */
    public Rmw and(long mask) {
        return of(AtomicFunction.AND, mask, 0);
    }

    /** Sets the bits of {@code mask}. */
    public Rmw or(long mask) {
        return of(AtomicFunction.OR, mask, 0);
    }

    /** Turns the bits of {@code mask} over. */
    public Rmw xor(long mask) {
        return of(AtomicFunction.XOR, mask, 0);
    }

    /** Sets the word to {@code value}. */
    public Rmw swap(long value) {
        return of(AtomicFunction.SWAP, value, 0);
    }

    private Rmw of(int newFunction, long newOperand, long newComparand) {
        function = newFunction;
        operand = newOperand;
        comparand = newComparand;
        return this;
    }

    /**
     * What the word held before is stored at {@code offset} of a window, a multiple of 8. Without a result it is lost.
     *
     * @throws IllegalArgumentException if the place lies outside the window or is not aligned
     */
    public Rmw result(Window window, long offset) {
        window.requireRange("result", offset, Long.BYTES);
        if ((offset & (Long.BYTES - 1)) != 0) {
            throw new IllegalArgumentException("a result lies at a multiple of 8 bytes: offset=" + offset);
        }
        this.result = window;
        this.resultOffset = offset;
        return this;
    }

    /** Has a counter count {@link #LENGTH} down when the word is changed and the result is there, and hear of a refusal. */
    public Rmw completes(InjectionCounter counter) {
        this.injectionCounter = counter;
        return this;
    }

    /** Checks that what it names was made by a node. */
    public void requireOf(NodeMemory node) {
        if (result != null) {
            result.requireOf(node);
        }
        if (injectionCounter != null) {
            injectionCounter.requireOf(node);
        }
    }
}
