package org.segno.demo.comparison;

/**
 * Assignment of many virtual ranks to few ranks, each with an equal share of consecutive ones as far as possible.
 *
 * @param count number of virtual ranks
 * @param size number of ranks of the job
 */
public record VirtualRanks(int count, int size) {
    /** Returns the first virtual rank of {@code rank}. For {@code size} it is one past the last of all. */
    public int first(int rank) {
        return (int) (((long) rank * count + size - 1) / size);
    }

    /** Returns the number of virtual ranks of {@code rank}. */
    public int count(int rank) {
        return first(rank + 1) - first(rank);
    }

    /** Returns the rank of {@code virtual}. */
    public int rankOf(int virtual) {
        return (int) ((long) virtual * size / count);
    }
}
