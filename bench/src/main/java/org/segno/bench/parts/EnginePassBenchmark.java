package org.segno.bench.parts;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Benchmarks of one message of several that are injected one by one and executed in one pass of the engine.
 *
 * <p>SENDs are also read by a handler of the receiver. {@link InjectBenchmark} measures the share of the injection.
 */
@State(Scope.Thread)
public class EnginePassBenchmark {
    private static final int SOME = 64;
    private static final int MANY = 1000;

    private final TwoNodes nodes = TwoNodes.join();

    /** Leaves the job. */
    @TearDown
    public void close() {
        nodes.close();
    }

    /** Measures a pass without work, and empty lanes. */
    @Benchmark
    public int idle() {
        return nodes.pass();
    }

    /** Measures a PUT in a pass of its own. */
    @Benchmark
    public int putAlone() {
        return puts(1);
    }

    /** Measures one PUT of {@value #SOME}. */
    @Benchmark
    @OperationsPerInvocation(SOME)
    public int putOfSome() {
        return puts(SOME);
    }

    /** Measures one PUT of {@value #MANY}. */
    @Benchmark
    @OperationsPerInvocation(MANY)
    public int putOfMany() {
        return puts(MANY);
    }

    /** Measures a SEND in a pass of its own. */
    @Benchmark
    public int sendAlone() {
        return sends(1);
    }

    /** Measures one SEND of {@value #SOME}. */
    @Benchmark
    @OperationsPerInvocation(SOME)
    public int sendOfSome() {
        return sends(SOME);
    }

    /** Measures one SEND of {@value #MANY}. */
    @Benchmark
    @OperationsPerInvocation(MANY)
    public int sendOfMany() {
        return sends(MANY);
    }

    private int puts(int count) {
        for (int i = 0; i < count; i++) {
            nodes.put(i);
        }
        return nodes.pass();
    }

    private int sends(int count) {
        for (int i = 0; i < count; i++) {
            nodes.sendImmediate();
        }
        return nodes.pass() + nodes.receive();
    }
}
