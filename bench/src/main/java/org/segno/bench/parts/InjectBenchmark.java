package org.segno.bench.parts;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.segno.pattern.Pattern;

/**
 * Benchmarks of the application's cost of a call: a checked descriptor, written and published, or a replay.
 *
 * <p>The engine executes them between the batches, outside the measured time.
 */
@State(Scope.Thread)
public class InjectBenchmark {
    private static final int BATCH = 512;

    private final TwoNodes nodes = TwoNodes.join();
    private final Pattern[] patterns = new Pattern[BATCH];

    /** Records as many patterns as are replayed in a batch. */
    public InjectBenchmark() {
        for (int i = 0; i < BATCH; i++) {
            patterns[i] = nodes.recordPuts(i, 1);
        }
    }

    /** Executes the batch. */
    @TearDown(Level.Invocation)
    public void drain() {
        nodes.drain();
    }

    /** Leaves the job. */
    @TearDown(Level.Trial)
    public void close() {
        nodes.close();
    }

    /** Measures a PUT of 8 bytes. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void put() {
        for (int i = 0; i < BATCH; i++) {
            nodes.put(i);
        }
    }

    /** Measures a COUNT. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void count() {
        for (int i = 0; i < BATCH; i++) {
            nodes.count();
        }
    }

    /** Measures a SEND of 8 bytes by value. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void sendImmediate() {
        for (int i = 0; i < BATCH; i++) {
            nodes.sendImmediate();
        }
    }

    /** Measures a SEND of 8 bytes from a window. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void sendWindow() {
        for (int i = 0; i < BATCH; i++) {
            nodes.sendWindow();
        }
    }

    /** Measures a replay, which does not depend on the contents of the pattern. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void replay() {
        for (final Pattern pattern : patterns) {
            nodes.replay(pattern);
        }
    }
}
