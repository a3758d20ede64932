package org.segno.engine.memory;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Free extents of a range of bytes, slots or ids, ordered by start, with adjacent extents merged. Used by one thread at
 * a time.
 */
public final class FreeSpace {
    private final TreeMap<Long, Long> free = new TreeMap<>();

    /** Creates a range {@code [0, length)} that is entirely free. */
    public FreeSpace(long length) {
        give(0, length);
    }

    /**
     * Contiguous part of the range.
     *
     * @param start first byte, slot or id
     * @param length number of bytes, slots or ids
     */
    public record Extent(long start, long length) {}

    /**
     * Takes {@code length} items from the smallest sufficient extent, the first of several equal ones, and returns
     * their start. Returns -1 if no extent suffices.
     */
    public long take(long length) {
        long start = -1;
        long smallest = Long.MAX_VALUE;
        for (final Map.Entry<Long, Long> extent : free.entrySet()) {
            if (extent.getValue() >= length && extent.getValue() < smallest) {
                start = extent.getKey();
                smallest = extent.getValue();
            }
        }
        if (start >= 0) {
            free.remove(start);
            give(start + length, smallest - length);
        }
        return start;
    }

    /**
     * Splits off {@code length} contiguous items into a free space of their own. The caller ensures that
     * {@link #largest} is at least {@code length}.
     */
    public FreeSpace part(long length) {
        final FreeSpace part = new FreeSpace(0);
        if (length > 0) {
            part.give(take(length), length);
        }
        return part;
    }

    /** Returns all free items to the free space that they were split off from. */
    public void giveTo(FreeSpace whole) {
        free.forEach(whole::give);
        free.clear();
    }

    /** Takes the whole largest extent, for a caller that cannot predict its need. Returns null if nothing is free. */
    public @Nullable Extent takeLargest() {
        // Copy the values out of the entry before the removal, which may move another extent into it.
        long start = 0;
        long largest = 0;
        for (final Map.Entry<Long, Long> extent : free.entrySet()) {
            if (extent.getValue() > largest) {
                start = extent.getKey();
                largest = extent.getValue();
            }
        }
        if (largest == 0) {
            return null;
        }
        free.remove(start);
        return new Extent(start, largest);
    }

    /** Returns an extent to the free space. */
    public void give(long start, long length) {
        if (length == 0) {
            return;
        }
        long first = start;
        long all = length;
        final Map.Entry<Long, Long> before = free.lowerEntry(start);
        if (before != null && before.getKey() + before.getValue() == start) {
            first = before.getKey();
            all += before.getValue();
            free.remove(first);
        }
        final Long after = free.remove(start + length);
        if (after != null) {
            all += after;
        }
        free.put(first, all);
    }

    /** Returns the first free item. The caller ensures that there is one. */
    public long first() {
        return free.firstKey();
    }

    /** Returns the total number of free items. */
    public long free() {
        long sum = 0;
        for (final long length : free.values()) {
            sum += length;
        }
        return sum;
    }

    /** Returns the number of pieces of {@code length} items each that can be taken one after the other. */
    public long pieces(long length) {
        long pieces = 0;
        for (final long extent : free.values()) {
            pieces += extent / length;
        }
        return pieces;
    }

    /** Returns the length of the largest free extent. */
    public long largest() {
        long largest = 0;
        for (final long length : free.values()) {
            largest = Math.max(largest, length);
        }
        return largest;
    }
}
