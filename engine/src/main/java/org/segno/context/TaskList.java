package org.segno.context;

import java.util.Arrays;
import java.util.stream.IntStream;

/** The ranks that take part in a client, in ascending order. Immutable. */
final class TaskList {
    private final int[] ranks;
    private final int jobSize;

    private TaskList(int[] ranks, int jobSize) {
        this.ranks = ranks;
        this.jobSize = jobSize;
    }

    /** Returns all ranks of a job. */
    static TaskList all(int jobSize) {
        return new TaskList(IntStream.range(0, jobSize).toArray(), jobSize);
    }

    /**
     * Returns the list of {@code ranks}, or of all ranks if there are none.
     *
     * @throws IllegalArgumentException if one is not in the job or is given twice, or {@code self} is missing
     */
    static TaskList of(int[] ranks, int self, int jobSize) {
        if (ranks.length == 0) {
            return all(jobSize);
        }
        final int[] sorted = ranks.clone();
        Arrays.sort(sorted);
        for (int i = 0; i < sorted.length; i++) {
            if (sorted[i] < 0 || sorted[i] >= jobSize || (i > 0 && sorted[i] == sorted[i - 1])) {
                throw new IllegalArgumentException("withTasks needs different ranks from 0 to " + (jobSize - 1)
                        + ": tasks=" + Arrays.toString(ranks));
            }
        }
        final TaskList list = new TaskList(sorted, jobSize);
        if (!list.contains(self)) {
            throw new IllegalArgumentException("withTasks must name the rank that opens the client: rank=" + self
                    + " tasks=" + Arrays.toString(ranks));
        }
        return list;
    }

    int size() {
        return ranks.length;
    }

    /** Returns the rank at an index. */
    int rank(int index) {
        return ranks[index];
    }

    boolean contains(int rank) {
        return ranks.length == jobSize ? rank >= 0 && rank < jobSize : Arrays.binarySearch(ranks, rank) >= 0;
    }

    /** Returns the index of a rank in the list. */
    int indexOf(int rank) {
        return Arrays.binarySearch(ranks, rank);
    }

    /** Returns a copy of the ranks. */
    int[] toArray() {
        return ranks.clone();
    }

    /** Returns a number by which ranks compare their lists: 0 for all ranks of the job, otherwise another one. */
    int hash() {
        return ranks.length == jobSize ? 0 : Arrays.hashCode(ranks) | Integer.MIN_VALUE;
    }

    @Override
    public String toString() {
        return Arrays.toString(ranks);
    }
}
