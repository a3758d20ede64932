package org.segno.tools.demo.ways;

/**
 * Many ranks played by few, each an equal share of consecutive ones, as far as that goes.
 *
 * @param count ranks that are played.
 * @param size ranks that play them.
 */
public record VirtualRanks(int count, int size) {
    /** The first that {@code rank} plays; that of {@code size} is one past the last of all. */
    public int first(int rank) {
        return (int) (((long) rank * count + size - 1) / size);
    }

    /** How many {@code rank} plays. */
    public int count(int rank) {
        return first(rank + 1) - first(rank);
    }

    /** Who plays {@code virtual}. */
    public int player(int virtual) {
        return (int) ((long) virtual * size / count);
    }
}
