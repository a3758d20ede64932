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

    /** Length in bytes of a cache line, which {@link #copyLineTo} copies. */
    public static final int LINE_LENGTH = 64;

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
     * Copies at most {@link #SHORT_COPY_LIMIT} bytes. There is no loop, and no call outside this class, so that the
     * compiler keeps values in registers in loops around it.
     *
     * <p>Each class of lengths has a method of its own, which copies a first and a last part. They overlap where the
     * length is not twice theirs. The compiler inlines nothing into a branch that it has seldom seen taken, not even
     * the access to a word. Thus such a branch costs one call, where a loop of calls took ten times as long.
     */
    public final void copyShortTo(long offset, Memory target, long targetOffset, int bytes) {
        if (bytes == Long.BYTES) {
            target.putLong(targetOffset, getLong(offset));
        } else if (bytes > LINE_LENGTH) {
            copyTwoLines(offset, target, targetOffset, bytes - LINE_LENGTH);
        } else if (bytes > LINE_LENGTH / 2) {
            copyEightWords(offset, target, targetOffset, bytes - LINE_LENGTH / 2);
        } else if (bytes > 2 * Long.BYTES) {
            copyFourWords(offset, target, targetOffset, bytes - 2 * Long.BYTES);
        } else if (bytes > Long.BYTES) {
            copyTwoWords(offset, target, targetOffset, bytes - Long.BYTES);
        } else {
            copyPartOfAWord(offset, target, targetOffset, bytes);
        }
    }

    /** Copies a cache line. */
    public final void copyLineTo(long offset, Memory target, long targetOffset) {
        copyEightWords(offset, target, targetOffset, LINE_LENGTH / 2);
    }

    private void copyTwoLines(long offset, Memory target, long targetOffset, int last) {
        copyLineTo(offset, target, targetOffset);
        copyLineTo(offset + last, target, targetOffset + last);
    }

    private void copyEightWords(long offset, Memory target, long targetOffset, int last) {
        copyFourWords(offset, target, targetOffset, 2 * Long.BYTES);
        copyFourWords(offset + last, target, targetOffset + last, 2 * Long.BYTES);
    }

    private void copyFourWords(long offset, Memory target, long targetOffset, int last) {
        copyTwoWords(offset, target, targetOffset, Long.BYTES);
        copyTwoWords(offset + last, target, targetOffset + last, Long.BYTES);
    }

    private void copyTwoWords(long offset, Memory target, long targetOffset, int last) {
        target.putLong(targetOffset, getLong(offset));
        target.putLong(targetOffset + last, getLong(offset + last));
    }

    private void copyPartOfAWord(long offset, Memory target, long targetOffset, int bytes) {
        if (bytes >= Integer.BYTES) {
            final int last = bytes - Integer.BYTES;
            target.putInt(targetOffset, getInt(offset));
            target.putInt(targetOffset + last, getInt(offset + last));
        } else if (bytes >= Short.BYTES) {
            final int last = bytes - Short.BYTES;
            target.putShort(targetOffset, getShort(offset));
            target.putShort(targetOffset + last, getShort(offset + last));
        } else if (bytes == 1) {
            target.putByte(targetOffset, getByte(offset));
        }
    }
}
