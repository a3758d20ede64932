package org.segno.bench.experiment;

import java.util.List;

/**
 * Overlap of a transfer with a computation of nine tenths of its length: transfer alone, computation alone, and the
 * transfer started before the computation and awaited after it. The three alternate; one operation is one of each.
 * Figures are medians of a slice. The hidden share is {@code 100 * (transfer + computation - both) / shorter of the
 * two}.
 *
 * <p>The computation uses registers alone. Its length is adjusted after every slice.
 */
public final class Overlap implements Side {
    /** Metrics of the side. */
    public static final List<FigureKind> METRICS =
            List.of(FigureKind.DONE, FigureKind.COMPUTATION, FigureKind.TOGETHER, FigureKind.HIDDEN);

    /** Bytes of the measured transfers. */
    public static final List<Integer> SIZES = List.of(64 * 1024, 1024 * 1024);

    /**
     * Length of the computation, relative to the transfer. With equal lengths the caller would find the line of the
     * completion in the other core's cache at the end, and a line's way would seem to be a transfer's.
     */
    private static final double LENGTH = 0.9;

    private static final int TURN_LIMIT = 1 << 14;
    private static final double PERCENT = 100;
    private static final int FIRST_STEPS = 1_000;
    private static final int MOST_STEPS = 1 << 24;
    private static final long MULTIPLIER = 6364136223846793005L;

    private final Transfer transfer;
    private final TimeHistogram alone = new TimeHistogram();
    private final TimeHistogram computing = new TimeHistogram();
    private final TimeHistogram both = new TimeHistogram();
    private final double clockNs = Clock.costNs();
    private int steps = FIRST_STEPS;
    private long result;

    /** Creates the side. */
    public Overlap(Transfer transfer) {
        this.transfer = transfer;
    }

    @Override
    public void enter() {
        transfer.enter();
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        alone.reset();
        computing.reset();
        both.reset();
        final int turns = Math.min(operations, TURN_LIMIT);
        for (int i = 0; i < turns; i++) {
            final long beginNs = System.nanoTime();
            transfer.oneByOne(1);
            final long transferredNs = System.nanoTime();
            compute();
            final long computedNs = System.nanoTime();
            transfer.start(1);
            compute();
            transfer.await();
            both.record(System.nanoTime() - computedNs - clockNs);
            alone.record(transferredNs - beginNs - clockNs);
            computing.record(computedNs - transferredNs - clockNs);
        }
        final double aloneNs = alone.medianNs();
        final double computingNs = computing.medianNs();
        final double bothNs = both.medianNs();
        figures.set(0, aloneNs);
        figures.set(1, computingNs);
        figures.set(2, bothNs);
        figures.set(3, PERCENT * (aloneNs + computingNs - bothNs) / Math.min(aloneNs, computingNs));
        steps = (int) Math.max(1, Math.min(MOST_STEPS, steps * LENGTH * aloneNs / Math.max(1, computingNs)));
    }

    /** Computes: a chain of dependent multiplications. */
    private void compute() {
        long value = result;
        for (int i = 0; i < steps; i++) {
            value = value * MULTIPLIER + 1;
        }
        result = value;
    }

    /** Returns the result of all computations, so that the JIT cannot eliminate them. */
    long result() {
        return result;
    }

    @Override
    public void leave() {
        transfer.leave();
    }

    @Override
    public void close() {
        transfer.close();
    }
}
