package org.segno.memory;

import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.status.ClosedException;
import org.segno.status.Refusal;

/**
 * Counter of the bytes that an engine has still to take from their source. It also keeps the first refusal of a message
 * that used it.
 *
 * <pre>
 *  offset  length  field   meaning                                             written by             access
 *       0       8  value   bytes still to be injected                          engine, application    atomic add
 *       8      56  reserved
 *      64       8  error   refusal code below zero in the low half, rank above  engine, first wins     release
 *      72       8  events  count of hits and refusals, if it is watched         engine, application    atomic add
 *      80       8  flags   whether it is watched, and whether underflow is an   application            plain
 *                          error; set before the counter is used
 *      88      40  reserved
 *     128          COUNTER_VALUE_LENGTH
 * </pre>
 */
public final class InjectionCounter implements LocalCounter {
    /** Offset of the error word, in reception counters too. */
    static final int ERROR_OFFSET = 64;

    private static final int EVENTS_OFFSET = 72;
    private static final int FLAGS_OFFSET = 80;

    /** Flag: hits and refusals are counted. */
    private static final long WATCHED = 1;

    /** Flag: counting the value below zero is an error. */
    private static final long NO_UNDERFLOW = 2;

    private final Memory values;
    private final long valueOffset;
    private final int id;
    private final int rank;
    private boolean closed;
    private boolean watched;

    InjectionCounter(NodeMemory node, int id) {
        this.values = node.values();
        this.valueOffset = node.injectionValueOffset(id);
        this.id = id;
        this.rank = node.rank();
        values.putLong(valueOffset + EVENTS_OFFSET, 0);
        values.putLong(valueOffset + FLAGS_OFFSET, 0);
        reset();
    }

    @Override
    public int id() {
        return id;
    }

    /**
     * Returns true if it is open and its value lies in this memory. Several nodes may be in one process, each with its
     * own ids.
     */
    boolean isIn(Memory someArena) {
        return values == someArena && !closed;
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
        if (!isIn(node.values())) {
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
        final long before = values.getAndAddLong(valueOffset, bytes);
        if (watched && before + bytes <= 0) {
            raise(values, valueOffset);
        }
    }

    /**
     * Makes underflow an error: every byte must be expected before it is injected. When the value is counted below
     * zero, {@link #errorAcquire} and the waits report {@code UNDERFLOW}, as they report a refusal, until {@link
     * #reset}. The node's metrics count it, and its error log records it, unless the bytes are those of a long message
     * that its receiver has fetched. Called by the application before the counter is used or recorded.
     */
    public void forbidUnderflow() {
        requireOpen();
        set(NO_UNDERFLOW);
    }

    @Override
    public boolean forbidsUnderflow() {
        return (values.getLong(valueOffset + FLAGS_OFFSET) & NO_UNDERFLOW) != 0;
    }

    /** Counts hits and refusals from now on. Called by the owner before the counter is used. */
    void events() {
        requireOpen();
        watched = true;
        set(WATCHED);
    }

    private void set(long flag) {
        values.putLong(valueOffset + FLAGS_OFFSET, values.getLong(valueOffset + FLAGS_OFFSET) | flag);
    }

    /** Returns the number of hits and refusals, which precede it and are visible. Called by the owner. */
    long eventsAcquire() {
        return values.getLongAcquire(valueOffset + EVENTS_OFFSET);
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
        return errorAcquire(values, valueOffset);
    }

    /** Returns the error word of a counter of either kind. */
    static long errorAcquire(Memory values, long valueOffset) {
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
        if (!closed && injected(values, valueOffset, bytes)) {
            refuse(values, valueOffset, Refusal.UNDERFLOW.code(), rank);
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

    /**
     * Counts injected bytes down; a number below zero expects. Returns true if that is an underflow, which the caller
     * reports. Called by an engine of this node.
     */
    static boolean injected(Memory values, long valueOffset, long bytes) {
        // Set before the counter is used, in a line that is seldom written: a load before the atomic add need not wait
        // for it.
        final long flags = values.getLong(valueOffset + FLAGS_OFFSET);
        final long before = values.getAndAddLong(valueOffset, -bytes);
        // Above zero, as within most messages, there is nothing more to do.
        return flags != 0 && before <= bytes && atOrBelowZero(values, valueOffset, flags, before, bytes);
    }

    private static boolean atOrBelowZero(Memory values, long valueOffset, long flags, long before, long bytes) {
        if ((flags & WATCHED) != 0 && (before > 0 || bytes < 0)) {
            raise(values, valueOffset);
        }
        return (flags & NO_UNDERFLOW) != 0 && bytes > 0 && before < bytes;
    }

    /** Counts an event. Atomic, because several engines and the application may do so concurrently. */
    private static void raise(Memory values, long valueOffset) {
        values.getAndAddLong(valueOffset + EVENTS_OFFSET, 1);
    }

    /**
     * Records a refusal. The first one is kept, and several engines of this node may refuse concurrently. Also records
     * the underflow of a reception counter, which has its error word at the same offset and no flags.
     */
    static void refuse(Memory values, long valueOffset, int code, int rank) {
        if (values.getLongAcquire(valueOffset + ERROR_OFFSET) == 0
                && values.compareAndSetLong(valueOffset + ERROR_OFFSET, 0, error(code, rank))
                && (values.getLong(valueOffset + FLAGS_OFFSET) & WATCHED) != 0) {
            raise(values, valueOffset);
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
