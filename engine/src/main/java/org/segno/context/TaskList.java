package org.segno.context;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.segno.engine.reuse.CounterGroup;

/** The ranks that take part in a client, in ascending order. Immutable. */
final class TaskList {
    /** The ranks; null for all of the job. */
    private final int @Nullable [] ranks;

    private final int jobSize;

    private TaskList(int @Nullable [] ranks, int jobSize) {
        this.ranks = ranks;
        this.jobSize = jobSize;
    }

    /** Returns all ranks of a job. */
    static TaskList all(int jobSize) {
        return new TaskList(null, jobSize);
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
        final TaskList list = new TaskList(sorted.length == jobSize ? null : sorted, jobSize);
        if (!list.contains(self)) {
            throw new IllegalArgumentException("withTasks must name the rank that opens the client: rank=" + self
                    + " tasks=" + Arrays.toString(ranks));
        }
        return list;
    }

    int size() {
        return ranks == null ? jobSize : ranks.length;
    }

    /** Returns the rank at an index. */
    int rank(int index) {
        return ranks == null ? index : ranks[index];
    }

    boolean contains(int rank) {
        return indexOf(rank) >= 0;
    }

    /** Returns the index of a rank in the list, or a number below zero. */
    int indexOf(int rank) {
        if (ranks != null) {
            return Arrays.binarySearch(ranks, rank);
        }
        return rank < jobSize ? rank : -1;
    }

    /** Returns the ranks that counters can admit, in a client that {@code client} describes. */
    CounterGroup.Admission admission(String client) {
        return new CounterGroup.Admission(client, ranks);
    }

    /** Returns a copy of the ranks. */
    int[] toArray() {
        return ranks == null ? IntStream.range(0, jobSize).toArray() : ranks.clone();
    }

    /** Returns a number by which ranks compare their lists: 0 for all ranks of the job, otherwise another one. */
    int hash() {
        return ranks == null ? 0 : Arrays.hashCode(ranks) | Integer.MIN_VALUE;
    }

    @Override
    public String toString() {
        return Arrays.toString(toArray());
    }
}
