package org.segno.bench.experiment;

import java.util.List;

/**
 * Time from the call that starts a transfer until the caller has seen that it has landed, one after the other. The
 * median is that of groups of {@value #GROUP} with one reading of the clock each; p99 is that of single transfers,
 * minus the cost of the clock.
 */
public final class TransferTime implements Side {
    /** Metrics of the side. */
    public static final List<FigureKind> METRICS = List.of(FigureKind.DONE, FigureKind.DONE_P99);

    private static final int GROUP = 8;

    /** Divisor of the transfers: this part is timed singly, for p99. */
    private static final int SINGLE_PART = 3;

    private static final int SAMPLE_LIMIT = 1 << 18;
    private static final double TAIL = 99;

    private final Transfer transfer;
    private final TimeHistogram times = new TimeHistogram();
    private final double clockNs = Clock.costNs();

    /** Creates the side. */
    public TransferTime(Transfer transfer) {
        this.transfer = transfer;
    }

    @Override
    public void enter() {
        transfer.enter();
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        final int transfers = Math.max(2 * GROUP, Math.min(operations, SAMPLE_LIMIT));
        transfer.oneByOne(GROUP);
        final int singles = Math.max(GROUP, transfers / SINGLE_PART);
        time((transfers - singles) / GROUP, GROUP);
        figures.set(0, times.medianNs());
        time(singles, 1);
        figures.set(1, times.percentileNs(TAIL));
    }

    private void time(int samples, int count) {
        times.reset();
        for (int i = 0; i < samples; i++) {
            final long beginNs = System.nanoTime();
            transfer.oneByOne(count);
            times.record((System.nanoTime() - beginNs - clockNs) / count);
        }
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
