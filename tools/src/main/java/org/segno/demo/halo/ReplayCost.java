package org.segno.demo.halo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.segno.context.Context;
import org.segno.demo.solver.SharedTime;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/**
 * Cost of starting one exchange of the halo in the application: replayed, and with the same messages injected one by
 * one.
 *
 * <p>A batch of equal patterns is replayed back to back, and the clock is read around the batch, because a single
 * replay is too short to time. Then all messages are drained. Plain injection is measured in the same way, in turn.
 * Only the application's calls are timed, not the transfer of the messages.
 */
public final class ReplayCost {
    private static final int BATCH_LIMIT = 32;

    /** Limit on the messages of one batch, so that they fit the injection FIFO and none waits for room. */
    private static final int MESSAGE_LIMIT = 512;

    private static final int BATCH_COUNT_LIMIT = 800;

    /** Number of batches between two checks of the time, at which all ranks synchronize. */
    private static final int BATCHES_PER_CHECK = 20;

    private final Context context;
    private final HaloExchange halo;
    private final int batch;
    private final List<Pattern> patterns = new ArrayList<>();
    private final double[] replayNanos = new double[BATCH_COUNT_LIMIT];
    private final double[] injectNanos = new double[BATCH_COUNT_LIMIT];
    private int batchCount;

    private ReplayCost(Context context, HaloExchange halo, int batch) {
        this.context = context;
        this.halo = halo;
        this.batch = batch;
    }

    /**
     * Measures the costs. Every rank calls this, with the same size and after the solve, because the ghosts are
     * overwritten.
     *
     * @param size number of ranks of the job
     * @param firstPatternId this id and those above are unused in the context
     * @param time time limit; when it expires, no further batches are measured
     */
    public static ReplayCost measure(
            Context context, HaloExchange halo, int size, int firstPatternId, SharedTime time) {
        final ReplayCost cost = new ReplayCost(context, halo, Math.max(1, Math.min(BATCH_LIMIT, MESSAGE_LIMIT / size)));
        cost.record(firstPatternId);
        do {
            cost.measureBatches();
        } while (cost.batchCount < BATCH_COUNT_LIMIT && time.lasts());
        return cost;
    }

    /** Returns the median time of a call that replays the exchange. */
    public double replayNanos() {
        return medianOfLaterHalf(replayNanos);
    }

    /** Returns the median time of the calls that inject its messages. */
    public double injectNanos() {
        return medianOfLaterHalf(injectNanos);
    }

    private void measureBatches() {
        for (int i = 0; i < BATCHES_PER_CHECK; i++) {
            replayNanos[batchCount] = replayBatch();
            injectNanos[batchCount] = injectBatch();
            batchCount++;
        }
    }

    /** Returns the median of the later half. The JIT still compiles during the earlier half. */
    private double medianOfLaterHalf(double[] nanos) {
        final double[] later = Arrays.copyOfRange(nanos, batchCount / 2, batchCount);
        Arrays.sort(later);
        return later[later.length / 2];
    }

    private void record(int firstPatternId) {
        // A single set of ghosts suffices, because barriers separate the rounds. A rank without neighbours has nothing
        // to record.
        halo.expectPlainly(batch);
        for (int i = 0; i < batch && halo.messageCount() > 0; i++) {
            final Pattern pattern = context.record(firstPatternId + i, Rounds.ORDERED_BY_CALLER, halo::putPlainly);
            context.await(pattern, 1, RetryingCalls.deadlineNs());
            patterns.add(pattern);
        }
        halo.awaitPlainly();
    }

    private double replayBatch() {
        halo.expectPlainly(batch);
        long generation = 0;
        final long startNs = System.nanoTime();
        for (int i = 0; i < patterns.size(); i++) {
            generation = replay(patterns.get(i));
        }
        final long endNs = System.nanoTime();
        for (final Pattern pattern : patterns) {
            context.await(pattern, generation, RetryingCalls.deadlineNs());
        }
        halo.awaitPlainly();
        return (endNs - startNs) / (double) batch;
    }

    private double injectBatch() {
        halo.expectPlainly(batch);
        final long startNs = System.nanoTime();
        for (int i = 0; i < batch; i++) {
            halo.putPlainly();
        }
        final long endNs = System.nanoTime();
        halo.awaitPlainly();
        return (endNs - startNs) / (double) batch;
    }

    private long replay(Pattern pattern) {
        long generation = context.replay(pattern);
        while (!Status.isProgress(generation)) {
            context.advance();
            generation = context.replay(pattern);
        }
        return generation;
    }
}
