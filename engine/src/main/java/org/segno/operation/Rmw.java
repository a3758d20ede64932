package org.segno.operation;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.AtomicFunction;
import org.segno.engine.memory.NodeMemory;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Window;

/**
 * A read-modify-write of a 64-bit word for {@code Context.rmw}: a function, the destination of the old value, and a
 * counter for the completion. It is reusable: {@code rmw} keeps no reference to it after it has returned. Each call
 * that sets a function replaces the previous one.
 */
public final class Rmw {
    /**
     * Bytes by which the counter of a change is counted down, with a result or without. They must be expected first.
     */
    public static final int LENGTH = Long.BYTES;

    int function = AtomicFunction.FETCH_ADD;
    long operand;
    long comparand;

    @Nullable
    Window result;

    long resultOffset;

    @Nullable
    InjectionCounter injectionCounter;

    /** Adds {@code amount}, modulo 2<sup>64</sup>. An amount of 0, the default of a new instance, reads the word. */
    public Rmw fetchAdd(long amount) {
        return of(AtomicFunction.FETCH_ADD, amount, 0);
    }

    /**
     * Sets the word to {@code value} if it holds {@code expected}. The change was made if the result equals
     * {@code expected}.
     */
    public Rmw compareAndSet(long expected, long value) {
        return of(AtomicFunction.COMPARE_AND_SET, value, expected);
    }

    /** Clears the bits that are not set in {@code mask}. */
    public Rmw and(long mask) {
        return of(AtomicFunction.AND, mask, 0);
    }

    /** Sets the bits of {@code mask}. */
    public Rmw or(long mask) {
        return of(AtomicFunction.OR, mask, 0);
    }

    /** Inverts the bits of {@code mask}. */
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
     * Sets the destination of the word's old value: {@code offset} of a window, a multiple of 8. Without a destination
     * the old value is discarded.
     *
     * @throws IllegalArgumentException if the destination lies outside the window or is not aligned
     */
    public Rmw result(Window window, long offset) {
        MemoryAccess.requireRange(window, "result", offset, Long.BYTES);
        if ((offset & (Long.BYTES - 1)) != 0) {
            throw new IllegalArgumentException("a result's offset must be a multiple of 8 bytes: offset=" + offset);
        }
        this.result = window;
        this.resultOffset = offset;
        return this;
    }

    /**
     * Sets a counter that is counted down by {@link #LENGTH} when the word is changed and the result is stored, and
     * that reports a refusal.
     */
    public Rmw completes(InjectionCounter counter) {
        this.injectionCounter = Objects.requireNonNull(counter, "counter");
        return this;
    }

    /** Checks that the result's window and the counter belong to a node. */
    void requireOf(NodeMemory node) {
        if (result != null) {
            MemoryAccess.requireOf(result, node);
        }
        if (injectionCounter != null) {
            injectionCounter.requireOf(node);
        }
    }
}
