package org.segno.memory;

import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.status.ClosedException;

/**
 * Counter of the bytes that an engine has still to take from their source. It also keeps the first refusal of a message
 * that used it.
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

    /**
     * Returns true if it is open and its value lies in this half. Several nodes may be in one process, each with its
     * own ids.
     */
    boolean isIn(Memory peersHalf) {
        return values == peersHalf && !closed;
    }

    /** Returns zero always, because the counter has no user in another process. */
    @Override
    public int incarnation() {
        return 0;
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedException(this + " was closed, and its id may be reused; open a new counter");
        }
    }

    /** Closes a counter that the application no longer uses: waits for it end. Called by the owner. */
    void close() {
        closed = true;
    }

    /** Returns true once it is closed. */
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
     * Expects {@code bytes} more to be injected, the length of the messages that use this counter. Called by the
     * application.
     *
     * @throws IllegalArgumentException if {@code bytes} is negative
     */
    public void expect(long bytes) {
        LocalCounter.requireExpectable(bytes);
        requireOpen();
        values.getAndAddLong(valueOffset, bytes);
    }

    /**
     * Returns the remaining bytes. At or below zero the engine has read every byte expected so far from its source.
     *
     * @throws ClosedException if the counter was closed
     */
    public long valueAcquire() {
        requireOpen();
        return values.getLongAcquire(valueOffset);
    }

    /** Returns zero, or the first refusal, which {@link #code} and {@link #rank} decode. */
    public long errorAcquire() {
        requireOpen();
        return values.getLongAcquire(valueOffset + ERROR_OFFSET);
    }

    /**
     * Resets the counter to zero. Called by the application after it has handled an error, while no operation that uses
     * the counter is in progress.
     */
    public void reset() {
        requireOpen();
        values.putLong(valueOffset, 0);
        values.putLongRelease(valueOffset + ERROR_OFFSET, 0);
    }

    /**
     * Records that another node's engine has read {@code bytes} from their source. Has no effect on a counter that was
     * closed meanwhile. Called by the owner.
     */
    void fetched(long bytes) {
        if (!closed) {
            injected(values, valueOffset, bytes);
        }
    }

    /**
     * Records that {@code rank} has refused an operation with this counter that no engine of this node has reported.
     * Has no effect on a closed counter. Called by the owner.
     */
    void refused(int code, int rank) {
        if (!closed) {
            refuse(values, valueOffset, code, rank);
        }
    }

    /** Counts injected bytes down. Called by an engine of this node. */
    static void injected(Memory values, long valueOffset, long bytes) {
        values.getAndAddLong(valueOffset, -bytes);
    }

    /** Records a refusal. The first one is kept, and several engines of this node may refuse concurrently. */
    static void refuse(Memory values, long valueOffset, int code, int rank) {
        if (values.getLongAcquire(valueOffset + ERROR_OFFSET) == 0) {
            values.compareAndSetLong(valueOffset + ERROR_OFFSET, 0, error(code, rank));
        }
    }

    /** Packs a refusal into an error word. */
    static long error(int code, int rank) {
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
