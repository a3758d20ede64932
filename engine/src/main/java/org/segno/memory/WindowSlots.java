package org.segno.memory;

import org.segno.status.Status;

/**
 * Allocator of equal slots in a range of a window: buffers for messages in progress, for example. Slots begin at
 * multiples of {@value #ALIGNMENT} bytes in the window, and therefore on cache lines of their own.
 *
 * <p>The slot released last is claimed first, because it is probably still cached. Each call takes constant time and
 * allocates nothing. Nothing is written to the window: claimed slots contain what was there before, and a slot is free
 * for the application alone, whatever peers or engines still do with its bytes. Release a slot once the counter or the
 * handler of its message has reported that.
 *
 * <p>One thread at a time uses it. Threads that share it use a lock of their own, for example that of a context.
 */
public final class WindowSlots {
    /** Alignment of the slots in bytes. */
    public static final int ALIGNMENT = 64;

    private final Window window;
    private final long first;
    private final int slotLength;
    private final long stride;

    /** Free slots, of which the last one is claimed next. */
    private final int[] free;

    private final boolean[] claimed;
    private int count;

    private WindowSlots(Window window, long first, int slotLength, long stride, int slots) {
        this.window = window;
        this.first = first;
        this.slotLength = slotLength;
        this.stride = stride;
        this.free = new int[slots];
        this.claimed = new boolean[slots];
        this.count = slots;
        for (int i = 0; i < slots; i++) {
            free[i] = slots - 1 - i;
        }
    }

    /** Returns the allocator of as many slots of {@code slotLength} bytes as the window has room for. */
    public static WindowSlots of(Window window, int slotLength) {
        return of(window, 0, window.length(), slotLength);
    }

    /**
     * Returns the allocator of as many slots of {@code slotLength} bytes as a range of the window has room for. The
     * caller ensures that nothing else uses the range. Every slot but the last takes {@code slotLength} rounded up to
     * a multiple of {@value #ALIGNMENT}.
     *
     * @param offset start of the range, a multiple of {@value #ALIGNMENT}
     * @param length length of the range in bytes
     * @param slotLength 1 or more
     * @throws IllegalArgumentException if the range lies outside the window, is not aligned or has no room for a slot
     * @throws IllegalStateException if the window is closed
     */
    public static WindowSlots of(Window window, long offset, long length, int slotLength) {
        window.requireRange("slots", offset, length);
        if (slotLength < 1) {
            throw new IllegalArgumentException("slotLength must be at least 1: slotLength=" + slotLength);
        }
        if ((offset & (ALIGNMENT - 1)) != 0) {
            throw new IllegalArgumentException(
                    "the slots must begin at a multiple of " + ALIGNMENT + " in " + window + ": offset=" + offset);
        }
        if (length < slotLength) {
            throw new IllegalArgumentException("the range in " + window + " has no room for a slot: length=" + length
                    + " slotLength=" + slotLength + "; open a larger window");
        }
        final long stride = (slotLength + (ALIGNMENT - 1L)) & -ALIGNMENT;
        final long slots = (length - slotLength) / stride + 1;
        if (slots > Integer.MAX_VALUE - Long.BYTES) {
            throw new IllegalArgumentException("the range in " + window + " has more slots than an array: slots="
                    + slots + "; give several allocators a part of it each");
        }
        return new WindowSlots(window, offset, slotLength, stride, (int) slots);
    }

    /**
     * Claims a free slot. Never blocks.
     *
     * @return its offset in the window, or {@link Status#BACK_PRESSURED} if none is free
     * @throws IllegalStateException if the window is closed
     */
    public long claim() {
        if (window.isClosed()) {
            throw new IllegalStateException(window + "; it has no slots: open a new window");
        }
        if (count == 0) {
            return Status.BACK_PRESSURED;
        }
        final int slot = free[--count];
        claimed[slot] = true;
        return first + slot * stride;
    }

    /**
     * Releases a claimed slot. A slot of a closed window may be released.
     *
     * @param offset as {@link #claim} returned it
     * @throws IllegalArgumentException if no slot begins there
     * @throws IllegalStateException if the slot is free
     */
    public void release(long offset) {
        final long distance = offset - first;
        final long slot = distance / stride;
        if (distance < 0 || slot >= claimed.length || slot * stride != distance) {
            throw new IllegalArgumentException("no slot of " + window + " begins at this offset: offset=" + offset
                    + "; the " + claimed.length + " slots begin at " + first + " and every " + stride
                    + " bytes: release what claim returned");
        }
        if (!claimed[(int) slot]) {
            throw new IllegalStateException("slot " + slot + " of " + window + " is free: offset=" + offset
                    + "; release each claimed slot once");
        }
        claimed[(int) slot] = false;
        free[count++] = (int) slot;
    }

    /** Returns the number of free slots. */
    public int free() {
        return count;
    }

    /** Returns the number of slots. */
    public int slots() {
        return claimed.length;
    }

    /** Returns the length of each slot in bytes. */
    public int slotLength() {
        return slotLength;
    }

    /** Returns the window of the slots. */
    public Window window() {
        return window;
    }

    @Override
    public String toString() {
        return count + " of " + claimed.length + " slots of " + slotLength + " bytes free in " + window;
    }
}
