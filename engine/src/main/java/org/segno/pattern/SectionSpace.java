package org.segno.pattern;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Free slots of a pattern buffer: extents by their first slot, neighbours merged. One thread. */
final class SectionSpace {
    private final TreeMap<Integer, Integer> free = new TreeMap<>();

    SectionSpace(int slots) {
        free.put(0, slots);
    }

    /**
     * Slots from {@code first} on.
     *
     * @param first first slot
     * @param slots count
     */
    record Extent(int first, int slots) {}

    /** Takes the largest free extent whole: a recording does not know its length. Null if there is none. */
    @Nullable
    Extent takeLargest() {
        // Taken out of the entry at once: a removal may put another extent into an entry of the map.
        int first = 0;
        int largest = 0;
        for (final Map.Entry<Integer, Integer> extent : free.entrySet()) {
            if (extent.getValue() > largest) {
                first = extent.getKey();
                largest = extent.getValue();
            }
        }
        if (largest == 0) {
            return null;
        }
        free.remove(first);
        return new Extent(first, largest);
    }

    /** Gives slots back. */
    void give(int first, int slots) {
        if (slots == 0) {
            return;
        }
        int start = first;
        int length = slots;
        final Map.Entry<Integer, Integer> before = free.lowerEntry(first);
        if (before != null && before.getKey() + before.getValue() == first) {
            start = before.getKey();
            length += before.getValue();
            free.remove(before.getKey());
        }
        final Integer after = free.remove(first + slots);
        if (after != null) {
            length += after;
        }
        free.put(start, length);
    }

    /** Free slots in all. */
    int free() {
        int sum = 0;
        for (final int slots : free.values()) {
            sum += slots;
        }
        return sum;
    }

    /** Slots of the largest free extent. */
    int largest() {
        int largest = 0;
        for (final int slots : free.values()) {
            largest = Math.max(largest, slots);
        }
        return largest;
    }
}
