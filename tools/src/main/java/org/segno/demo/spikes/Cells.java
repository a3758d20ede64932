package org.segno.demo.spikes;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.segno.demo.comparison.VirtualRanks;

/**
 * Cells of all ranks, with the targets of each and the steps in which they fire. Every rank draws the same cells, so
 * that each can compute the spikes that it expects.
 *
 * @param ranks assignment of virtual ranks to ranks
 * @param perRank number of cells of each rank
 * @param targets number of virtual ranks that a cell sends to
 * @param spikes number of cells of each rank that fire in a step
 * @param seed seed of the random numbers
 */
public record Cells(VirtualRanks ranks, int perRank, int targets, int spikes, long seed) {
    /** Steps after which the same cells fire again. */
    public static final int STEPS = 48;

    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /**
     * Returns the ranks of the targets of a cell, one entry for each target, in order, so that messages to one
     * rank are sent in sequence.
     */
    public int[] targetsOf(int rank, int cell) {
        final int[] drawn = draw(number(rank, cell), ranks.count(), targets);
        return IntStream.of(drawn).map(ranks::rankOf).sorted().toArray();
    }

    /** Returns the cells of a rank that fire in a step, in order. */
    public int[] firing(int rank, int step) {
        return IntStream.of(draw(-1 - ((long) step * ranks.size() + rank), perRank, spikes))
                .sorted()
                .toArray();
    }

    /** Returns the number of a cell, unique in the job. Numbers start at 1, so that every cell changes a sum. */
    public long number(int rank, int cell) {
        return (long) rank * perRank + cell + 1;
    }

    /** Returns different numbers below {@code bound}, in any order. */
    private int[] draw(long stream, int bound, int count) {
        final SplittableRandom chance = new SplittableRandom(seed + stream * SPREAD);
        final int[] numbers = IntStream.range(0, bound).toArray();
        for (int i = 0; i < count; i++) {
            final int other = chance.nextInt(i, bound);
            final int kept = numbers[i];
            numbers[i] = numbers[other];
            numbers[other] = kept;
        }
        return IntStream.range(0, count).map(i -> numbers[i]).toArray();
    }
}
