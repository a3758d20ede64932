package org.segno.memory;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
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
     * @throws IllegalStateException if the window is closed, or has 2 GiB or more, which exceeds a buffer; then use
     *     {@link #buffer(long, int)}, or the accessors of the window
     */
    public AtomicBuffer buffer() {
        requireOpen();
        final AtomicBuffer all = buffer;
        if (all == null) {
            throw new IllegalStateException(this + " exceeds the maximum length of a buffer, " + Integer.MAX_VALUE
                    + " bytes; call buffer(offset, bytes) for a part of it, or the accessors of the window");
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

    /**
     * Returns the byte at {@code offset}. This and the other accessors take offsets beyond 2 GiB, access the memory in
     * the machine's byte order and without any ordering, as the plain accessors of {@link #buffer()}, and need no
     * alignment. They check bounds: a range outside the window is an {@link IllegalArgumentException}, and a closed
     * window an {@link IllegalStateException}. Any thread may call them.
     */
    public byte getByte(long offset) {
        return arena.getByte(at(offset, Byte.BYTES));
    }

    /** Stores the byte at {@code offset}. */
    public void putByte(long offset, byte value) {
        arena.putByte(at(offset, Byte.BYTES), value);
    }

    /** Returns the 16-bit number at {@code offset}. */
    public short getShort(long offset) {
        return arena.getShort(at(offset, Short.BYTES));
    }

    /** Stores a 16-bit number at {@code offset}. */
    public void putShort(long offset, short value) {
        arena.putShort(at(offset, Short.BYTES), value);
    }

    /** Returns the 32-bit number at {@code offset}. */
    public int getInt(long offset) {
        return arena.getInt(at(offset, Integer.BYTES));
    }

    /** Stores a 32-bit number at {@code offset}. */
    public void putInt(long offset, int value) {
        arena.putInt(at(offset, Integer.BYTES), value);
    }

    /** Returns the 64-bit number at {@code offset}. */
    public long getLong(long offset) {
        return arena.getLong(at(offset, Long.BYTES));
    }

    /** Stores a 64-bit number at {@code offset}. */
    public void putLong(long offset, long value) {
        arena.putLong(at(offset, Long.BYTES), value);
    }

    /** Returns the single-precision number at {@code offset}. */
    public float getFloat(long offset) {
        return Float.intBitsToFloat(arena.getInt(at(offset, Float.BYTES)));
    }

    /** Stores a single-precision number at {@code offset}. */
    public void putFloat(long offset, float value) {
        arena.putInt(at(offset, Float.BYTES), Float.floatToRawIntBits(value));
    }

    /** Returns the double-precision number at {@code offset}. */
    public double getDouble(long offset) {
        return Double.longBitsToDouble(arena.getLong(at(offset, Double.BYTES)));
    }

    /** Stores a double-precision number at {@code offset}. */
    public void putDouble(long offset, double value) {
        arena.putLong(at(offset, Double.BYTES), Double.doubleToRawLongBits(value));
    }

    /** Copies {@code length} bytes from {@code offset} to a buffer. */
    public void getBytes(long offset, MutableDirectBuffer target, int index, int length) {
        final long from = at(offset, length);
        target.boundsCheck(index, length);
        if (buffer != null) {
            target.putBytes(index, buffer, (int) offset, length);
            return;
        }
        int done = 0;
        for (; done <= length - Long.BYTES; done += Long.BYTES) {
            target.putLong(index + done, arena.getLong(from + done));
        }
        for (; done < length; done++) {
            target.putByte(index + done, arena.getByte(from + done));
        }
    }

    /** Copies {@code length} bytes of a buffer to {@code offset}. */
    public void putBytes(long offset, DirectBuffer source, int index, int length) {
        final long to = at(offset, length);
        source.boundsCheck(index, length);
        if (buffer != null) {
            buffer.putBytes((int) offset, source, index, length);
            return;
        }
        int done = 0;
        for (; done <= length - Long.BYTES; done += Long.BYTES) {
            arena.putLong(to + done, source.getLong(index + done));
        }
        for (; done < length; done++) {
            arena.putByte(to + done, source.getByte(index + done));
        }
    }

    /**
     * Copies {@code length} bytes from {@code offset} to another window of this process, or within this one if the
     * ranges do not overlap. The calling thread copies; {@code Context.copy} lets an engine do it.
     */
    public void copyTo(long offset, Window target, long targetOffset, long length) {
        requireRange("source", offset, length);
        target.requireRange("target", targetOffset, length);
        if (target.arena == arena && Math.abs(base + offset - target.base - targetOffset) < length) {
            throw new IllegalArgumentException("the ranges of a copy must not overlap: offset=" + offset
                    + " targetOffset=" + targetOffset + " length=" + length);
        }
        arena.copyTo(base + offset, target.arena, target.base + targetOffset, length);
    }

    /** Returns the offset in the arena of a range of this window, which it checks. */
    private long at(long offset, int bytes) {
        if (!contains(offset, bytes)) {
            requireRange("access", offset, bytes);
        }
        return base + offset;
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
