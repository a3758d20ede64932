package org.segno.bench.experiment;

/**
 * Cost of starting a transfer, for its caller. {@value #BATCH} calls are timed together while the agent works on them,
 * so that the clock adds nothing. The caller waits for all of them between two batches. One operation is one batch; the
 * figure is the median.
 *
 * @param transfer the transfers
 * @param times the times of the current slice
 */
public record TransferCost(Transfer transfer, TimeHistogram times) implements Side {
    /** Calls of a batch, a quarter of the slots of an injection FIFO: none of them waits for room. */
    private static final int BATCH = 256;

    private static final int BATCH_LIMIT = 1 << 16;

    /** Creates the side. */
    public static TransferCost of(Transfer transfer) {
        return new TransferCost(transfer, new TimeHistogram());
    }

    @Override
    public void enter() {
        transfer.enter();
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        times.reset();
        final int batches = Math.min(operations, BATCH_LIMIT);
        for (int i = 0; i < batches; i++) {
            final long beginNs = System.nanoTime();
            transfer.start(BATCH);
            times.record((System.nanoTime() - beginNs) / (double) BATCH);
            transfer.await();
        }
        figures.set(0, times.medianNs());
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
