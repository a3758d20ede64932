package org.segno.bench.parts;

import org.agrona.DirectBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.segno.engine.counter.HitListener;
import org.segno.engine.fifo.ReceptionFifo;
import org.segno.engine.fifo.RecordHandler;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.reuse.CounterGroup;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;

/** Benchmarks of reception counters: the operations of their owner and of the engine that lands. */
@State(Scope.Thread)
public class CounterBenchmark {
    private static final int LENGTH = 8;

    private final ReceptionCounter plain;
    private final ReceptionCounter withEvents;
    private final Landing landing;
    private final ReceptionFifo lanes;
    private final Hits hits = new Hits();

    /** Creates two counters and a landing that reaches them. */
    public CounterBenchmark() {
        final NodeMemory node = MappedNode.map();
        final CounterGroup group = new CounterGroup(node);
        plain = group.bare(ReceptionCounter.ANYBODY);
        withEvents = group.bare(ReceptionCounter.ANYBODY);
        MemoryAccess.events(withEvents, 0, hits);
        landing = new Landing(node, 0, new PeerStates(node), new NodeMetrics(node));
        lanes = ReceptionFifo.of(node, 0);
    }

    /** Measures the owner's expectation of bytes. */
    @Benchmark
    public void expect() {
        plain.expect(LENGTH);
    }

    /** Measures the owner's check for completion. */
    @Benchmark
    public long value() {
        return plain.valueAcquire();
    }

    /** Measures the landing, which checks the counter and adds to it. */
    @Benchmark
    public int add() {
        return landing.count(plain.id(), plain.incarnation(), -LENGTH);
    }

    /** Measures a counter that reaches zero: expected, landed, its event written to the lane and read there. */
    @Benchmark
    public int hit() {
        withEvents.expect(LENGTH);
        landing.count(withEvents.id(), withEvents.incarnation(), -LENGTH);
        return lanes.poll(hits, 1) + hits.count;
    }

    private static final class Hits implements RecordHandler, HitListener {
        private int count;

        @Override
        public void onHit(int counter) {
            count++;
        }

        @Override
        public void onEvent(int counter) {
            count++;
        }

        @Override
        public boolean onMessage(
                long origin, int dispatchId, DirectBuffer buffer, int offset, int metadataLength, int payloadLength) {
            throw new IllegalStateException("unexpected message: origin=" + origin);
        }

        @Override
        public void onFifoEvent(int number) {
            throw new IllegalStateException("unexpected event of FIFO " + number);
        }

        @Override
        public void onQuarantine(int origin) {
            throw new IllegalStateException("the lane is quarantined");
        }
    }
}
