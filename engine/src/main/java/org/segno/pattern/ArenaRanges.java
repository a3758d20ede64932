package org.segno.pattern;

import java.util.Map;
import java.util.TreeMap;

/**
 * A set of byte ranges of an arena. Touching ranges are merged, so that one search finds an overlap. Used by one
 * thread.
 */
final class ArenaRanges {
    /** Ranges from start to end, exclusive; disjoint. */
    private final TreeMap<Long, Long> ranges = new TreeMap<>();

    /** Adds {@code [start, start + length)}. */
    void add(long start, long length) {
        if (length <= 0) {
            return;
        }
        long first = start;
        long end = start + length;
        for (Map.Entry<Long, Long> other = ranges.floorEntry(end);
                other != null && other.getValue() >= first;
                other = ranges.floorEntry(end)) {
            first = Math.min(first, other.getKey());
            end = Math.max(end, other.getValue());
            ranges.remove(other.getKey());
        }
        ranges.put(first, end);
    }

    /** Returns true if a byte of {@code [start, start + length)} was added. */
    boolean overlaps(long start, long length) {
        final Map.Entry<Long, Long> below = length <= 0 ? null : ranges.lowerEntry(start + length);
        return below != null && below.getValue() > start;
    }
}
