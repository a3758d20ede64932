package org.segno.bench.parts;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.segno.engine.fifo.DueEvents;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.fifo.RunRing;
import org.segno.engine.memory.NodeMemory;

/**
 * Benchmarks of runs in a run ring: queued by the application, consumed by the engine, which sets head and tail to
 * their section.
 */
@State(Scope.Thread)
public class RunRingBenchmark {
    private static final int BATCH = 64;
    private static final int SLOTS = 10;

    private final RunRing runs;
    private final InjectionFifoConsumer consumer;
    private long generation;

    /** Creates both ends of a ring. */
    public RunRingBenchmark() {
        final NodeMemory node = MappedNode.map();
        runs = RunRing.open(node, 0, FifoMetadata.PERSISTENT);
        consumer = InjectionFifoConsumer.activate(node, 0, runs.metadata(), new DueEvents());
    }

    /** Measures one run, finished before the next. */
    @Benchmark
    public long run() {
        offer();
        return take();
    }

    /** Measures one run of {@value #BATCH} that are queued together. */
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
