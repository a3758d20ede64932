package org.segno.bench.segno;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.bench.experiment.Cores;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.bench.experiment.TimeHistogram;
import org.segno.context.Context;
import org.segno.context.ProgressThread;
import org.segno.engine.job.Platform;
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
    private static final int BLOCK_LENGTH = 4096;
    private static final int CORE_OFFSET = 64;

    /** Interval at which the other process polls, and so its latest wake-up. */
    private static final long POLL_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final Role role;
    private final NodeEnd ends;
    private final MappedBlock shared;
    private final AtomicLong ran = new AtomicLong();
    private final Work work = this::work;
    private final TimeHistogram sampleTimes = new TimeHistogram();
    private final @Nullable ProgressThread progress;
    private volatile boolean spins;
    private long posted;
    private long slices;

    private PostedWork(Role role, NodeEnd ends, MappedBlock shared) {
        this.role = role;
        this.ends = ends;
        this.shared = shared;
        this.progress = role == Role.ORIGIN ? startElsewhere() : null;
    }

    static PostedWork open(Role role, Path directory) throws IOException {
        final MappedBlock shared = MappedBlock.share(role, directory.resolve("posts"), BLOCK_LENGTH);
        if (role == Role.ECHO) {
            // Counted from 1, because zero means that no core is stored yet.
            UnsafeApi.putLongRelease(
                    null, shared.address() + CORE_OFFSET, Cores.allowed().get(0) + 1L);
        }
        final NodeConfig config = NodeConfig.defaults().withThreadLevel(ThreadLevel.MULTIPLE);
        return new PostedWork(role, NodeEnd.open(role, directory, Threading.INVOKER, config, BLOCK_LENGTH), shared);
    }

    private ProgressThread startElsewhere() {
        final Context context = ends.context();
        final ProgressThread thread = context.progress(Sleeper::new);
        // The echo stores its core before the barrier that opens the ends, so the value is present.
        final int core = (int) UnsafeApi.getLongAcquire(null, shared.address() + CORE_OFFSET) - 1;
        requirePosted(context.post(() -> bindThisThread(core)));
        return thread;
    }

    private static long bindThisThread(int core) {
        try {
            Platform.bindThisThread(core);
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot bind the advancing thread to a core", e);
        }
    }

    private long work() {
        // Plain load: one thread runs all work.
        ran.setRelease(ran.getPlain() + 1);
        return 0;
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        slices++;
        if (role == Role.ECHO) {
            while (UnsafeApi.getLongAcquire(null, shared.address()) < slices) {
                LockSupport.parkNanos(POLL_NS);
            }
            return;
        }
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
        UnsafeApi.putLongRelease(null, shared.address(), slices);
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
