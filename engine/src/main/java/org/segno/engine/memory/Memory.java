package org.segno.engine.memory;

import java.lang.invoke.VarHandle;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A range of memory with words that threads and processes share. It is the layer below every algorithm on shared words.
 *
 * <p>Offsets are bytes from the start of the range. Access is unchecked: the code that obtains an offset validates it
 * once, at its source. Where assertions are enabled, mapped memory checks every access ({@link CheckedMemory}), so that
 * tests detect a mistake and the hot path does not pay for the check. Bare accessors are plain; {@code Acquire} and
 * {@code Release} name the other modes. Words are in the machine's byte order.
 *
 * <p>This is a class and not an interface: while one implementation is loaded, the compiler binds every call
 * statically.
 */
public abstract class Memory {
    /** Maximum length in bytes of a word-by-word copy. A longer copy is worth the call of a bulk copy. */
    public static final int SHORT_COPY_LIMIT = 128;

    private final long length;

    protected Memory(long length) {
        this.length = length;
    }

    /** Returns the length in bytes. */
    public final long length() {
        return length;
    }

    /**
     * Returns true if {@code [offset, offset + bytes)} lies inside this range. The check is safe against overflow and
     * negative values.
     */
    public final boolean contains(long offset, long bytes) {
        return offset >= 0 && bytes >= 0 && offset <= length - bytes;
    }

    public abstract byte getByte(long offset);

    public abstract void putByte(long offset, byte value);

    public abstract short getShort(long offset);

    public abstract void putShort(long offset, short value);

    public abstract int getInt(long offset);

    public abstract void putInt(long offset, int value);

    public abstract long getLong(long offset);

    public abstract void putLong(long offset, long value);

    public abstract long getLongAcquire(long offset);

    public abstract void putLongRelease(long offset, long value);

    /** Adds atomically with the ordering of a full fence, and returns the previous value. */
    public abstract long getAndAddLong(long offset, long delta);

    /** Compares and sets atomically with the ordering of a full fence. */
    public abstract boolean compareAndSetLong(long offset, long expected, long value);

    /**
     * Executes a full fence: the thread's earlier loads and stores, in any memory, take effect before its later ones.
     * An instance method, so that a simulated memory observes it.
     */
    public void fullFence() {
        VarHandle.fullFence();
    }

    /** Returns a bounds-checked Agrona view of {@code [offset, offset + bytes)}, for code that is not hot. */
    public abstract AtomicBuffer buffer(long offset, int bytes);

    /**
     * Makes {@code view} a bounds-checked view of {@code [offset, offset + bytes)}, without an allocation. The caller
     * keeps this memory reachable while the view is used.
     */
    public abstract void wrap(UnsafeBuffer view, long offset, int bytes);

    /**
     * Returns the address of {@code [offset, offset + bytes)} in this process, for loops over elements: the compiler
     * does not vectorize loops of accessors. The caller keeps this memory reachable, and ensures that the range is in
     * bounds.
     */
    public abstract long address(long offset, long bytes);

    /** Copies in bulk to {@code target}. The caller ensures that the ranges are in bounds and do not overlap. */
    protected abstract void copyBulk(long offset, Memory target, long targetOffset, long bytes);

    /**
     * Copies {@code bytes} to {@code target} with plain access. Short copies are the common case of a messaging engine.
     * They go word by word, because the call of a bulk copy costs more than the copy itself.
     */
    public final void copyTo(long offset, Memory target, long targetOffset, long bytes) {
        if (bytes <= SHORT_COPY_LIMIT) {
            copyShortTo(offset, target, targetOffset, (int) bytes);
        } else {
            copyBulk(offset, target, targetOffset, bytes);
        }
    }

    /**
     * Copies at most {@link #SHORT_COPY_LIMIT} bytes. It contains no call, so that the compiler keeps values in
     * registers in loops around it.
     */
    public final void copyShortTo(long offset, Memory target, long targetOffset, int bytes) {
        if (bytes == Long.BYTES) {
            target.putLong(targetOffset, getLong(offset));
            return;
        }
        if (bytes == 2 * Long.BYTES) {
            target.putLong(targetOffset, getLong(offset));
            target.putLong(targetOffset + Long.BYTES, getLong(offset + Long.BYTES));
            return;
        }
        int done = 0;
        for (; done <= bytes - Long.BYTES; done += Long.BYTES) {
            target.putLong(targetOffset + done, getLong(offset + done));
        }
        for (; done < bytes; done++) {
            target.putByte(targetOffset + done, getByte(offset + done));
        }
    }
}
