package org.segno.bench.parts;

import org.agrona.DirectBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.segno.engine.fifo.ReceptionFifo;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.fifo.RecordHandler;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;

/**
 * Benchmarks of records in a reception lane: appended and published by the engine that lands, read in place by the
 * context.
 */
@State(Scope.Thread)
public class ReceptionLaneBenchmark {
    private static final int BATCH = 64;
    private static final int SHORT = 8;
    private static final int LONG = 128;

    private final Memory source;
    private final ReceptionFifoProducer producer;
    private final ReceptionFifo consumer;
    private final Reader reader = new Reader();

    /** Creates both ends of a lane. */
    public ReceptionLaneBenchmark() {
        final NodeMemory node = MappedNode.map();
        source = node.arena();
        producer = ReceptionFifoProducer.of(node, 0, 0);
        consumer = ReceptionFifo.of(node, 0);
    }

    /** Measures one record of 8 bytes, read before the next. */
    @Benchmark
    public int record() {
        append(SHORT);
        return read();
    }

    /** Measures one record of 8 bytes of {@value #BATCH} that are read together. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public int recordOfBatch() {
        for (int i = 0; i < BATCH; i++) {
            append(SHORT);
        }
        return read();
    }

    /** Measures one record of 128 bytes of {@value #BATCH} that are read together. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public int longRecordOfBatch() {
        for (int i = 0; i < BATCH; i++) {
            append(LONG);
        }
        return read();
    }

    private void append(int length) {
        if (!producer.tryAppend(source, 0, length, 1, 0)) {
            throw new IllegalStateException("the reader has not kept up");
        }
    }

    private int read() {
        producer.flush();
        return consumer.poll(reader, BATCH) + (int) reader.sum;
    }

    private static final class Reader implements RecordHandler {
        private long sum;

        @Override
        public boolean onMessage(
                long origin, int dispatchId, DirectBuffer buffer, int offset, int metadataLength, int payloadLength) {
            sum += buffer.getLong(offset);
            return true;
        }

        @Override
        public void onEvent(int counter) {
            throw new IllegalStateException("unexpected event: counter=" + counter);
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
