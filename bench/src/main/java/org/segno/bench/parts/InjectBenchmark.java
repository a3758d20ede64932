package org.segno.bench.parts;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.segno.pattern.Pattern;

/**
 * What a call costs the application: a checked descriptor, written and published, or a replay. The engine carries them out
 * between the batches, in time that does not count.
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

    /** Lets the engine carry out the batch. */
    @TearDown(Level.Invocation)
    public void drain() {
        nodes.drain();
    }

    /** Leaves the job. */
    @TearDown(Level.Trial)
    public void close() {
        nodes.close();
    }

    /** A PUT of 8 bytes. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void put() {
        for (int i = 0; i < BATCH; i++) {
            nodes.put(i);
        }
    }

    /** A COUNT. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void count() {
        for (int i = 0; i < BATCH; i++) {
            nodes.count();
        }
    }

    /** A SEND of 8 bytes by value. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void sendImmediate() {
        for (int i = 0; i < BATCH; i++) {
            nodes.sendImmediate();
        }
    }

    /** A SEND of 8 bytes from a window. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void sendWindow() {
        for (int i = 0; i < BATCH; i++) {
            nodes.sendWindow();
        }
    }

    /** A replay, whatever the pattern holds. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void replay() {
        for (final Pattern pattern : patterns) {
            nodes.replay(pattern);
        }
    }
}
