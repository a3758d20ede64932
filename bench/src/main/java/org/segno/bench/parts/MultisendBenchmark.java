package org.segno.bench.parts;

import java.util.Arrays;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.segno.engine.descriptor.Descriptor;
import org.segno.multisend.Multicast;
import org.segno.operation.Message;
import org.segno.operation.Work;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/**
 * Benchmarks of a multicast's message to one receiver, executed and read by its handler; of a persistent request; and
 * of posted work.
 */
@State(Scope.Thread)
public class MultisendBenchmark {
    private static final int TARGETS = 16;
    private static final int DESCRIPTORS = (TARGETS + Descriptor.MAX_TARGETS - 1) / Descriptor.MAX_TARGETS;

    private final TwoNodes nodes = TwoNodes.join();
    private final long[] targets = targets();
    private final Multicast replayed = new Multicast(nodes.context(0), TwoNodes.DISPATCH_ID, nodes.outgoing(), targets)
            .metadata(nodes.outgoing(), 0, Long.BYTES);
    private final Message message = new Message()
            .to(targets[0], TwoNodes.DISPATCH_ID)
            .payload(nodes.outgoing(), 0, 0)
            .metadata(nodes.outgoing(), 0, Long.BYTES);
    private final Runnable multicasts = this::multicasts;
    private final Pattern prepared = nodes.context(0).prepare(Rounds.ORDERED_BY_CALLER, nodes::sendImmediate);
    private final Work work = this::work;
    private long worked;

    private long[] targets() {
        final long[] endpoints = new long[TARGETS];
        Arrays.fill(endpoints, nodes.context(1).endpoint());
        return endpoints;
    }

    private void multicasts() {
        for (int first = 0; first < TARGETS; first += Descriptor.MAX_TARGETS) {
            nodes.context(0).multicast(message, targets, first, Math.min(Descriptor.MAX_TARGETS, TARGETS - first));
        }
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
    public int multicastBatch() {
        TwoNodes.requireInjected(nodes.context(0).batch(DESCRIPTORS, multicasts));
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
