package org.segno.memory;

import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.WindowTable;

/**
 * A range of registered memory: the source of descriptors and the memory of reception counters.
 *
 * <p>The memory lies in the node's mapped file, so that the engine of any node of the host copies directly from and to
 * it.
 */
public final class Window implements Operand {
    private final int id;
    private final int rank;
    private final Memory arena;
    private final long base;
    private final @Nullable AtomicBuffer buffer;

    /** Length in bytes, or {@link WindowTable#NO_WINDOW} once closed, so that every range check fails. */
    private long length;

    Window(int id, NodeMemory node, long base, long length) {
        this.id = id;
        this.rank = node.rank();
        this.arena = node.arena();
        this.base = base;
        this.length = length;
        this.buffer = length <= Integer.MAX_VALUE ? arena.buffer(base, (int) length) : null;
    }

    /**
     * Returns the id in descriptors: the entry in the node's window table, and above it the number of the use of that
     * entry.
     */
    public int id() {
        return id;
    }

    /** Returns the offset in the node's arena. */
    public long base() {
        return base;
    }

    /** Returns the length in bytes, or {@link WindowTable#NO_WINDOW} once it is closed. */
    @Override
    public long length() {
        return length;
    }

    /**
     * Returns the memory from offset 0 to {@link #length()}, with bounds checks, in the machine's byte order by
     * default. Every call returns the same buffer, which any thread may use. Data from peers are visible once the wait
     * for them has ended. Once the window is closed its memory may be reused, and buffers obtained before must not be
     * used.
     *
     * @throws IllegalStateException if the window is closed, or has 2 GiB or more, which exceeds a buffer; the message
     *     names the remedy
     */
    public AtomicBuffer buffer() {
        requireOpen();
        final AtomicBuffer all = buffer;
        if (all == null) {
            throw new IllegalStateException(this + " exceeds the maximum length of a buffer, " + Integer.MAX_VALUE
                    + " bytes; call buffer(offset, bytes) for a part of it");
        }
        return all;
    }

    /**
     * Returns a part of the memory, with the properties of {@link #buffer()}. Every call allocates another buffer.
     *
     * @throws IllegalArgumentException if the range lies outside the window
     */
    public AtomicBuffer buffer(long offset, int bytes) {
        requireRange("buffer", offset, bytes);
        return arena.buffer(base + offset, bytes);
    }

    /** Copies at most {@link Memory#SHORT_COPY_LIMIT} bytes of a range that the caller has checked. */
    void copyShortTo(long offset, Memory target, long targetOffset, int bytes) {
        arena.copyShortTo(base + offset, target, targetOffset, bytes);
    }

    /** Returns true if the window lies in this arena. Several nodes may be in one process, each with its own ids. */
    boolean isIn(Memory someArena) {
        return arena == someArena;
    }

    /** Closes the window. Called by the owner when the application no longer uses it. */
    void close() {
        length = WindowTable.NO_WINDOW;
    }

    /** Returns true once it is closed. */
    public boolean isClosed() {
        return length < 0;
    }

    private void requireOpen() {
        if (isClosed()) {
            throw new IllegalStateException(this + "; open a new window");
        }
    }

    /** Checks that the window belongs to a node and is open. */
    void requireOf(NodeMemory node) {
        requireOpen();
        if (!isIn(node.arena())) {
            throw node.foreign(this, rank);
        }
    }

    /**
     * Returns true if {@code [offset, offset + bytes)} lies inside the window. The check is safe against overflow and
     * negative values.
     */
    boolean contains(long offset, long bytes) {
        return offset >= 0 && bytes >= 0 && offset <= length - bytes;
    }

    /** Checks a range that a caller passes. */
    void requireRange(String name, long offset, long bytes) {
        requireOpen();
        if (!contains(offset, bytes)) {
            throw new IllegalArgumentException(name + " range [" + offset + ", " + offset + " + " + bytes
                    + ") lies outside window " + WindowTable.entryOf(id) + " of " + length + " bytes");
        }
    }

    @Override
    public String toString() {
        return "window " + WindowTable.entryOf(id) + (isClosed() ? " is closed" : " [" + length + " bytes]");
    }
}
