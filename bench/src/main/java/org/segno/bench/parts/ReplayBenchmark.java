package org.segno.bench.parts;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.segno.bench.jmh.AllocatesByDesign;
import org.segno.pattern.Pattern;

/**
 * Benchmarks of one message of several that are replayed and executed in one pass. SENDs are also read by a handler of
 * the receiver.
 */
@State(Scope.Thread)
public class ReplayBenchmark {
    private static final int SOME = 64;
    private static final int MANY = 1000;
    private static final int RECORDED_AGAIN = 100;

    private final TwoNodes nodes = TwoNodes.join();
    private final Pattern onePut = nodes.recordPuts(1, 1);
    private final Pattern somePuts = nodes.recordPuts(2, SOME);
    private final Pattern manyPuts = nodes.recordPuts(3, MANY);
    private final Pattern oneSend = nodes.recordSends(4, 1);
    private final Pattern someSends = nodes.recordSends(5, SOME);
    private final Pattern manySends = nodes.recordSends(6, MANY);

    /** Leaves the job. */
    @TearDown
    public void close() {
        nodes.close();
    }

    /** Measures a replay of one PUT. */
    @Benchmark
    public int putAlone() {
        return replayPuts(onePut);
    }

    /** Measures one PUT of {@value #SOME}. */
    @Benchmark
    @OperationsPerInvocation(SOME)
    public int putOfSome() {
        return replayPuts(somePuts);
    }

    /** Measures one PUT of {@value #MANY}. */
    @Benchmark
    @OperationsPerInvocation(MANY)
    public int putOfMany() {
        return replayPuts(manyPuts);
    }

    /** Measures a replay of one SEND. */
    @Benchmark
    public int sendAlone() {
        return replaySends(oneSend);
    }

    /** Measures one SEND of {@value #SOME}. */
    @Benchmark
    @OperationsPerInvocation(SOME)
    public int sendOfSome() {
        return replaySends(someSends);
    }

    /** Measures one SEND of {@value #MANY}. */
    @Benchmark
    @OperationsPerInvocation(MANY)
    public int sendOfMany() {
        return replaySends(manySends);
    }

    /** Measures a pattern of {@value #SOME} PUTs that is recorded, executed and closed. */
    @Benchmark
    @AllocatesByDesign
    public int recordAndClose() {
        final Pattern pattern = nodes.recordPuts(RECORDED_AGAIN, SOME);
        pattern.close();
        return pattern.id();
    }

    private int replayPuts(Pattern pattern) {
        nodes.replay(pattern);
        return nodes.pass();
    }

    private int replaySends(Pattern pattern) {
        return replayPuts(pattern) + nodes.receive();
    }
}
