package org.segno.bench.parts;

import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.segno.context.Context;
import org.segno.context.ProgressThread;
import org.segno.operation.ThreadLevel;
import org.segno.operation.Work;

/** Benchmark of work for a context that another thread advances. It needs two cores. */
@State(Scope.Thread)
public class PostBenchmark {
    private final TwoNodes nodes = TwoNodes.join(ThreadLevel.MULTIPLE);
    private final Context context = nodes.context(0);
    private final ProgressThread progress = context.progress(() -> BusySpinIdleStrategy.INSTANCE);
    private final AtomicLong ran = new AtomicLong();
    private final Work work = this::work;
    private long posted;

    private long work() {
        // Plain load: one thread runs all work.
        ran.setRelease(ran.getPlain() + 1);
        return 0;
    }

    /** Ends the thread, and leaves the job. */
    @TearDown
    public void close() {
        progress.close();
        nodes.close();
    }

    /** Measures work that is posted, run by the advancing thread, and seen as completed by this thread. */
    @Benchmark
    public long postToAnotherThread() {
        TwoNodes.requireInjected(context.post(work));
        posted++;
        while (ran.getAcquire() < posted) {
            Thread.onSpinWait();
        }
        return posted;
    }
}
