package org.segno.bench.parts;

import java.util.Arrays;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.segno.multisend.Multicast;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.work.Work;

/**
 * Benchmarks of a multicast's message to one receiver, executed and read by its handler; of a persistent request; and
 * of posted work.
 */
@State(Scope.Thread)
public class MultisendBenchmark {
    private static final int TARGETS = 16;

    private final TwoNodes nodes = TwoNodes.join();
    private final Multicast replayed = multicast().replaying(true);
    private final Multicast together = multicast().replaying(false);
    private final Pattern prepared = nodes.context(0).prepare(Rounds.ORDERED_BY_CALLER, nodes::sendImmediate);
    private final Work work = this::work;
    private long worked;

    private Multicast multicast() {
        final long[] targets = new long[TARGETS];
        Arrays.fill(targets, nodes.context(1).endpoint());
        return new Multicast(nodes.context(0), TwoNodes.DISPATCH_ID, nodes.outgoing(), targets)
                .metadata(nodes.outgoing(), 0, Long.BYTES);
    }

    private long work() {
        return ++worked;
    }

    /** Leaves the job. */
    @TearDown
    public void close() {
        nodes.close();
    }

    /** Measures one of {@value #TARGETS} messages, replayed. */
    @Benchmark
    @OperationsPerInvocation(TARGETS)
    public int multicastReplayed() {
        TwoNodes.requireInjected(replayed.start());
        return nodes.pass() + nodes.receive();
    }

    /** Measures one of {@value #TARGETS} messages, injected with one store of the tail. */
    @Benchmark
    @OperationsPerInvocation(TARGETS)
    public int multicastTogether() {
        TwoNodes.requireInjected(together.start());
        return nodes.pass() + nodes.receive();
    }

    /** Measures a prepared SEND, started. */
    @Benchmark
    public int preparedStart() {
        nodes.replay(prepared);
        return nodes.pass() + nodes.receive();
    }

    /** Measures the same SEND, injected. */
    @Benchmark
    public int plainSend() {
        nodes.sendImmediate();
        return nodes.pass() + nodes.receive();
    }

    /** Measures work that is posted and run. */
    @Benchmark
    public int post() {
        TwoNodes.requireInjected(nodes.context(0).post(work));
        return nodes.pass();
    }
}
