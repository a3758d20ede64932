package org.segno.memory;

import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A range of registered memory: what descriptors name as their source and what reception counters stand over.
 *
 * <p>The memory lies in the node's mapped file, so that the engine of any node of the host copies from and to it directly.
 */
public final class Window {
    private final int id;
    private final int rank;
    private final Memory arena;
    private final long base;
    private final @Nullable AtomicBuffer buffer;

    /** {@link WindowArena#NO_WINDOW} once closed, so that whatever checks a range finds none. */
    private long length;

    Window(int id, NodeMemory node, long base, long length) {
        this.id = id;
        this.rank = node.rank();
        this.arena = node.arena();
        this.base = base;
        this.length = length;
        this.buffer = length <= Integer.MAX_VALUE ? arena.buffer(base, (int) length) : null;
    }

    /** What descriptors call it: its entry in the node's window table, and above that which use of the entry it is. */
    public int id() {
        return id;
    }

    /** Offset in the node's arena. */
    public long base() {
        return base;
    }

    /** Length in bytes, or {@link WindowArena#NO_WINDOW} once it is closed. */
    public long length() {
        return length;
    }

    /**
     * The memory itself, from offset 0 to {@link #length()}, with checked access, in the machine's byte order unless told otherwise. The
     * same buffer at every call, for any thread; what peers have written is visible once the wait for it has ended. Once the window is
     * closed the memory goes to others, and buffers that were taken before must not be used.
     *
     * @throws IllegalStateException if the window is closed, or has 2 GiB or more, which is more than a buffer shows; says the remedy
     */
    public AtomicBuffer buffer() {
        requireOpen();
        final AtomicBuffer all = buffer;
        if (all == null) {
            throw new IllegalStateException(this + " is longer than a buffer can be, " + Integer.MAX_VALUE
                    + " bytes: call buffer(offset, bytes) for a part of it");
        }
        return all;
    }

    /**
     * A part of the memory, as {@link #buffer()} shows the whole. Another buffer at every call: it allocates.
     *
     * @throws IllegalArgumentException if the range lies outside the window
     */
    public AtomicBuffer buffer(long offset, int bytes) {
        requireRange("buffer", offset, bytes);
        return arena.buffer(base + offset, bytes);
    }

    /** Copies bytes of a range that was checked, {@link Memory#SHORT_COPY_LIMIT} at most. */
    public void copyShortTo(long offset, Memory target, long targetOffset, int bytes) {
        arena.copyShortTo(base + offset, target, targetOffset, bytes);
    }

    /** True if it lies in this arena: several nodes may live in one process, each with ids of its own. */
    public boolean isIn(Memory someArena) {
        return arena == someArena;
    }

    /** Owner: the application is done with it. */
    void close() {
        length = WindowArena.NO_WINDOW;
    }

    /** True once it is closed. */
    public boolean isClosed() {
        return length < 0;
    }

    private void requireOpen() {
        if (isClosed()) {
            throw new IllegalStateException(this + ": its memory is another's; open a window anew");
        }
    }

    /** Checks that a node made it, and that it is open. */
    public void requireOf(NodeMemory node) {
        requireOpen();
        if (!isIn(node.arena())) {
            throw node.foreign(this, rank);
        }
    }

    /** True if {@code [offset, offset + bytes)} lies inside; safe against overflow and negative values. */
    public boolean contains(long offset, long bytes) {
        return offset >= 0 && bytes >= 0 && offset <= length - bytes;
    }

    /** Checks a range that a caller names. */
    public void requireRange(String name, long offset, long bytes) {
        requireOpen();
        if (!contains(offset, bytes)) {
            throw new IllegalArgumentException(name + " range [" + offset + ", " + offset + " + " + bytes
                    + ") lies outside window " + WindowArena.entryOf(id) + " of " + length + " bytes");
        }
    }

    @Override
    public String toString() {
        return "window " + WindowArena.entryOf(id) + (isClosed() ? " is closed" : " [" + length + " bytes]");
    }
}
