package org.segno.bench.segno;

import java.lang.invoke.VarHandle;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.bench.experiment.TimeHistogram;

/**
 * Cost of starting a round in the application: {@value #PATTERNS} equal patterns replayed back to back, or the messages
 * of one injected.
 *
 * <p>All messages are drained between batches, and a fence keeps the engine's last stores out of the next batch. One
 * operation is one batch; the figure is the median of the slice's batches.
 */
final class StartCost implements Side {
    static final int PATTERNS = 64;

    private static final int BATCH_LIMIT = 1 << 16;

    private final Role role;
    private final Traffic traffic;
    private final boolean replayed;
    private final TimeHistogram batchTimes = new TimeHistogram();

    StartCost(Role role, Traffic traffic, boolean replayed) {
        this.role = role;
        this.traffic = traffic;
        this.replayed = replayed;
    }

    @Override
    public void enter() {
        traffic.ends().enter();
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        batchTimes.reset();
        final int batches = Math.min(operations, BATCH_LIMIT);
        final int rounds = replayed ? PATTERNS : 1;
        for (int batch = 0; batch < batches; batch++) {
            if (role == Role.ECHO) {
                for (int i = 0; i < rounds; i++) {
                    traffic.expect();
                }
                traffic.receive();
            } else {
                final long beginNs = System.nanoTime();
                if (replayed) {
                    for (int i = 0; i < PATTERNS; i++) {
                        traffic.replay(i);
                    }
                } else {
                    traffic.injectOnce();
                }
                batchTimes.record((System.nanoTime() - beginNs) / (double) rounds);
                traffic.drain();
                // Stores to the receiver's lines may wait in the store buffer, and the batch's own stores behind them.
                VarHandle.fullFence();
            }
        }
        if (role == Role.ORIGIN) {
            figures.set(0, batchTimes.medianNs());
        }
    }

    @Override
    public void leave() {
        traffic.ends().leave();
    }

    @Override
    public void close() {
        traffic.close();
    }
}
