package org.segno.bench.demos;

import java.util.Arrays;
import org.segno.demo.spikes.Cells;

/**
 * Spikes of {@code segno demo spikes} with its default options, between two ranks that stand for 64. In each step some
 * cells fire, and each sends 16 bytes to its targets: its number, and the time.
 */
public final class DemoSpikes {
    /** Name of the test. */
    public static final String TEST = "demo_spikes";

    /** Length of a spike. */
    public static final int SPIKE_BYTES = 16;

    /** Offset of the time in a spike. */
    public static final int TIME_OFFSET = 8;

    /** Cells of each rank. */
    public static final int CELLS = 2_000;

    /** Targets of each cell. */
    public static final int TARGETS = 16;

    /** Cells of each rank that fire in a step. */
    public static final int FIRING = 100;

    /** Steps after which the same cells fire again. */
    public static final int STEPS = Cells.STEPS;

    private static final Cells PLAN = new Cells(DemoExchange.VIRTUAL_RANKS, CELLS, TARGETS, FIRING, 1);

    private DemoSpikes() {}

    /** Returns the ranks of a cell's targets, one entry for each target, in order. */
    public static int[] targetsOf(int rank, int cell) {
        return PLAN.targetsOf(rank, cell);
    }

    /** Returns the cells of a rank that fire in a step, in order. */
    public static int[] firing(int rank, int step) {
        return PLAN.firing(rank, step);
    }

    /** Returns the number of a cell, unique in the job. */
    public static long number(int rank, int cell) {
        return PLAN.number(rank, cell);
    }

    /** Returns the number of spikes from one rank to another in a step. */
    public static int spikes(int source, int target, int step) {
        return Arrays.stream(firing(source, step))
                .map(cell -> (int) Arrays.stream(targetsOf(source, cell))
                        .filter(rank -> rank == target)
                        .count())
                .sum();
    }
}
