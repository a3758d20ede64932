package org.segno.bench.parts;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.segno.engine.fifo.DueEvents;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.fifo.InjectionFifoProducer;
import org.segno.engine.memory.NodeMemory;

/**
 * Benchmarks of slots of an injection FIFO: claimed and published by the application, consumed and returned by the
 * engine.
 */
@State(Scope.Thread)
public class InjectionFifoBenchmark {
    private static final int BATCH = 64;

    private final InjectionFifoProducer producer;
    private final InjectionFifoConsumer consumer;

    /** Creates both ends of a FIFO. */
    public InjectionFifoBenchmark() {
        final NodeMemory node = MappedNode.map();
        producer = InjectionFifoProducer.open(node, 0, 0);
        consumer = InjectionFifoConsumer.activate(node, 0, producer.metadata(), new DueEvents());
    }

    /** Measures one slot, returned before the next. */
    @Benchmark
    public long slot() {
        return publish() + take();
    }

    /** Measures one slot of {@value #BATCH} that are consumed together. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long slotOfBatch() {
        long sum = 0;
        for (int i = 0; i < BATCH; i++) {
            sum += publish();
        }
        return sum + take();
    }

    private long publish() {
        final long slot = producer.claim();
        producer.publish();
        return slot;
    }

    private long take() {
        long sum = 0;
        if (consumer.poll()) {
            final long end = consumer.tail();
            for (long position = consumer.head(); position != end; position++) {
                sum += consumer.slot(position);
            }
            consumer.advance(end, 0);
            consumer.commit();
        }
        return sum;
    }
}
