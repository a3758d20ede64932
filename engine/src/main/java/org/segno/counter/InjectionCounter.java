package org.segno.counter;

import org.segno.memory.Memory;
import org.segno.memory.NodeMemory;
import org.segno.status.ClosedException;

/**
 * Counts down the bytes that an engine has taken from their source, and keeps the first refusal of a message that used it.
 *
 * <pre>
 *  offset  length  field   meaning                                             written by             access
 *       0       8  value   bytes still to be injected                          engine, application    atomic add
 *       8       8  error   refusal code below zero in the low half, rank above  engine, first wins     release
 *      16     112  reserved
 *     128          COUNTER_VALUE_LENGTH
 * </pre>
 */
public final class InjectionCounter implements LocalCounter {
    private static final int ERROR_OFFSET = 8;

    private final Memory values;
    private final long valueOffset;
    private final int id;
    private final int rank;
    private boolean closed;

    InjectionCounter(NodeMemory node, int id) {
        this.values = node.peers();
        this.valueOffset = node.injectionValueOffset(id);
        this.id = id;
        this.rank = node.rank();
        reset();
    }

    @Override
    public int id() {
        return id;
    }

    /** True if it is open and its value lies in this half: several nodes may live in one process, each with ids of its own. */
    public boolean isIn(Memory peersHalf) {
        return values == peersHalf && !closed;
    }

    /** Always zero: it has no user in another process. */
    @Override
    public int incarnation() {
        return 0;
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedException(this + " was closed; its id is another's, make a counter anew");
        }
    }

    /** Owner: the application is done with it, and waits for it end. */
    void close() {
        closed = true;
    }

    /** True once it is closed. */
    boolean isClosed() {
        return closed;
    }

    @Override
    public void requireOf(NodeMemory node) {
        requireOpen();
        if (!isIn(node.peers())) {
            throw node.foreign(this, rank);
        }
    }

    /**
     * Application: expects {@code bytes} more to be injected, as many as are given to the messages that use this counter.
     *
     * @throws IllegalArgumentException if {@code bytes} is negative
     */
    public void expect(long bytes) {
        LocalCounter.requireExpectable(bytes);
        requireOpen();
        values.getAndAddLong(valueOffset, bytes);
    }

    /**
     * Zero or below means that the engine has read every byte expected so far from its source.
     *
     * @throws ClosedException if the counter was closed
     */
    public long valueAcquire() {
        requireOpen();
        return values.getLongAcquire(valueOffset);
    }

    /** Zero, or the first refusal: {@link #code} and {@link #rank} take it apart. */
    public long errorAcquire() {
        requireOpen();
        return values.getLongAcquire(valueOffset + ERROR_OFFSET);
    }

    /** Application, after it has dealt with an error and nothing that uses the counter is under way: it starts anew at zero. */
    public void reset() {
        requireOpen();
        values.putLong(valueOffset, 0);
        values.putLongRelease(valueOffset + ERROR_OFFSET, 0);
    }

    /** Owner: {@code bytes} were read from their source by another's engine; a counter that was closed meanwhile hears nothing. */
    public void fetched(long bytes) {
        if (!closed) {
            injected(values, valueOffset, bytes);
        }
    }

    /** Owner: {@code rank} has refused what uses the counter, and no engine of this node has said so; as {@link #fetched}. */
    public void refused(int code, int rank) {
        if (!closed) {
            refuse(values, valueOffset, code, rank);
        }
    }

    /** Engine of this node: counts down. */
    public static void injected(Memory values, long valueOffset, long bytes) {
        values.getAndAddLong(valueOffset, -bytes);
    }

    /** Engines of this node: the first refusal wins, and several may refuse at once. */
    public static void refuse(Memory values, long valueOffset, int code, int rank) {
        if (values.getLongAcquire(valueOffset + ERROR_OFFSET) == 0) {
            values.compareAndSetLong(valueOffset + ERROR_OFFSET, 0, error(code, rank));
        }
    }

    /** Packs a refusal into an error word. */
    public static long error(int code, int rank) {
        return (code & 0xFFFF_FFFFL) | (long) rank << 32;
    }

    public static int code(long error) {
        return (int) error;
    }

    public static int rank(long error) {
        return (int) (error >>> 32);
    }

    @Override
    public String toString() {
        return "injection counter " + id;
    }
}
