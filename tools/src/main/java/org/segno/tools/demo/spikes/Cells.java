package org.segno.tools.demo.spikes;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.segno.tools.demo.ways.VirtualRanks;

/**
 * The cells of all ranks: whom each tells, which fire when. Every rank draws the same, so that each knows what has to come.
 *
 * @param ranks who plays whom.
 * @param perRank cells of each rank.
 * @param targets virtual ranks that a cell tells.
 * @param spikes cells of each rank that fire in a step.
 * @param seed what chance begins with.
 */
record Cells(VirtualRanks ranks, int perRank, int targets, int spikes, long seed) {
    /** Steps after which the same cells fire again. */
    static final int STEPS = 48;

    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /** The ranks that play the targets of a cell, one entry for each target, in order: what goes to one rank goes in a row. */
    int[] targetsOf(int rank, int cell) {
        final int[] drawn = draw(number(rank, cell), ranks.count(), targets);
        return IntStream.of(drawn).map(ranks::player).sorted().toArray();
    }

    /** The cells of a rank that fire in a step, in order. */
    int[] firing(int rank, int step) {
        return IntStream.of(draw(-1 - ((long) step * ranks.size() + rank), perRank, spikes))
                .sorted()
                .toArray();
    }

    /** The number of a cell, told from all others of the job; from 1, so that none is lost in a sum. */
    long number(int rank, int cell) {
        return (long) rank * perRank + cell + 1;
    }

    /** Different numbers below {@code bound}, in any order. */
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
