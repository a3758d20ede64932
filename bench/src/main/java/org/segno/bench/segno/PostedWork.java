package org.segno.bench.segno;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.bench.experiment.Cores;
import org.segno.bench.experiment.LentCore;
import org.segno.bench.experiment.ParkedEcho;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.bench.experiment.TimeHistogram;
import org.segno.context.ProgressThread;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.ThreadLevel;
import org.segno.operation.Work;
import org.segno.status.Status;

/**
 * Work posted to a context that another thread advances. That thread spins on the other process's core while the other
 * process sleeps.
 *
 * <p>The figures are the cost of a call of {@code post}, {@value #BURST} back to back, and the time from a call until
 * its work has run and the caller has seen it. They are medians, of bursts and of groups of {@value #GROUP}.
 */
final class PostedWork implements Side {
    private static final int BURST = 64;
    private static final int GROUP = 8;
    private static final int SAMPLE_LIMIT = 1 << 14;
    private static final int PAGE_LENGTH = 4096;

    private final NodeEnd ends;
    private final LentCore core;
    private final AtomicLong ran = new AtomicLong();
    private final Work work = this::work;
    private final TimeHistogram sampleTimes = new TimeHistogram();
    private final @Nullable ProgressThread progress;
    private volatile boolean spins;
    private long posted;

    private PostedWork(Role role, NodeEnd ends, LentCore core) {
        this.ends = ends;
        this.core = core;
        this.progress = role == Role.ORIGIN ? startElsewhere() : null;
    }

    static Side open(Role role, Path directory) throws IOException {
        final LentCore core = LentCore.share(role, directory);
        final NodeConfig config = NodeConfig.defaults().withThreadLevel(ThreadLevel.MULTIPLE);
        final NodeEnd ends = NodeEnd.open(role, directory, Threading.INVOKER, config, PAGE_LENGTH);
        return new ParkedEcho(role, new PostedWork(role, ends, core), core);
    }

    private ProgressThread startElsewhere() {
        final ProgressThread thread = ends.context().progress(Sleeper::new);
        requirePosted(ends.context().post(() -> bindThisThread(core.number())));
        return thread;
    }

    private static long bindThisThread(int core) {
        Cores.bindThisThread(core);
        return 0;
    }

    private long work() {
        // Plain load: one thread runs all work.
        ran.setRelease(ran.getPlain() + 1);
        return 0;
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        spins = true;
        post(GROUP);
        final int samples = Math.max(1, Math.min(operations / (BURST + GROUP), SAMPLE_LIMIT));
        sampleTimes.reset();
        for (int i = 0; i < samples; i++) {
            final long beginNs = System.nanoTime();
            for (int call = 0; call < BURST; call++) {
                requirePosted(ends.context().post(work));
            }
            sampleTimes.record((System.nanoTime() - beginNs) / (double) BURST);
            posted += BURST;
            awaitRun();
        }
        figures.set(0, sampleTimes.medianNs());
        sampleTimes.reset();
        for (int i = 0; i < samples; i++) {
            final long beginNs = System.nanoTime();
            post(GROUP);
            sampleTimes.record((System.nanoTime() - beginNs) / (double) GROUP);
        }
        figures.set(1, sampleTimes.medianNs());
        spins = false;
    }

    private void post(int times) {
        for (int i = 0; i < times; i++) {
            requirePosted(ends.context().post(work));
            posted++;
            awaitRun();
        }
    }

    private void awaitRun() {
        while (ran.getAcquire() < posted) {
            Thread.onSpinWait();
        }
    }

    private static void requirePosted(long status) {
        if (!Status.isProgress(status)) {
            throw new IllegalStateException("a context with an empty queue refused work: status=" + status);
        }
    }

    @Override
    public void close() {
        if (progress != null) {
            progress.close();
        }
        ends.close();
    }

    /**
     * Idle strategy that spins while a slice runs, and parks between slices, when the core belongs to the other
     * process.
     */
    private final class Sleeper implements IdleStrategy {
        private static final long PARK_NS = 1_000_000;

        @Override
        public void idle(int workCount) {
            if (workCount == 0) {
                idle();
            }
        }

        @Override
        public void idle() {
            if (spins) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(PARK_NS);
            }
        }

        @Override
        public void reset() {}
    }
}
