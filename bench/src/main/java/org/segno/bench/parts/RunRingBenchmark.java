package org.segno.bench.parts;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.segno.fifo.FifoMetadata;
import org.segno.fifo.InjectionFifoConsumer;
import org.segno.fifo.RunRing;
import org.segno.memory.NodeMemory;

/** Runs through a run ring: queued by the application, taken by the engine, which sets head and tail to their section. */
@State(Scope.Thread)
public class RunRingBenchmark {
    private static final int BATCH = 64;
    private static final int SLOTS = 10;

    private final RunRing runs;
    private final InjectionFifoConsumer consumer;
    private long generation;

    /** Both ends of a ring of their own. */
    public RunRingBenchmark() {
        final NodeMemory node = MappedNode.map();
        runs = RunRing.open(node, 0, FifoMetadata.PERSISTENT);
        consumer = InjectionFifoConsumer.activate(node, 0, runs.metadata());
    }

    /** One run, finished before the next. */
    @Benchmark
    public long run() {
        offer();
        return take();
    }

    /** A run of {@value #BATCH} that are queued together. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long runOfBatch() {
        for (int i = 0; i < BATCH; i++) {
            offer();
        }
        return take();
    }

    private void offer() {
        TwoNodes.requireInjected(runs.offer(0, SLOTS, 0, 0, ++generation));
    }

    private long take() {
        long slots = 0;
        while (consumer.poll()) {
            slots += consumer.tail() - consumer.head();
            consumer.advance(consumer.tail(), 0);
            consumer.commit();
        }
        return slots;
    }
}
