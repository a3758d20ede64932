package org.segno.memory;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What is free of a range of bytes, slots or ids: extents by their start, neighbours merged. One thread at a time. */
public final class FreeSpace {
    private final TreeMap<Long, Long> free = new TreeMap<>();

    /** All of {@code [0, length)} is free. */
    public FreeSpace(long length) {
        give(0, length);
    }

    /**
     * Part of the range.
     *
     * @param start first byte, slot or id
     * @param length how many
     */
    public record Extent(long start, long length) {}

    /** Takes {@code length} from the smallest extent that has as many, of equal ones the first; -1 if there is none. */
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

    /** Gives {@code length} neighbours away, to be taken from there alone; {@link #largest} is at least as many. */
    public FreeSpace part(long length) {
        final FreeSpace part = new FreeSpace(0);
        if (length > 0) {
            part.give(take(length), length);
        }
        return part;
    }

    /** Takes the largest extent whole: who does not know what he needs. Null if nothing is free. */
    public @Nullable Extent takeLargest() {
        // Taken out of the entry at once: a removal may put another extent into an entry of the map.
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

    /** Gives an extent back. */
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

    /** The first that is free; there is one. */
    public long first() {
        return free.firstKey();
    }

    /** Free in all. */
    public long free() {
        long sum = 0;
        for (final long length : free.values()) {
            sum += length;
        }
        return sum;
    }

    /** Length of the largest free extent. */
    public long largest() {
        long largest = 0;
        for (final long length : free.values()) {
            largest = Math.max(largest, length);
        }
        return largest;
    }
}
