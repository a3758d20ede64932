package org.segno.bench.parts;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.segno.engine.dispatch.DispatchTable;
import org.segno.operation.ActiveMessageHandler;

/** Benchmarks of the dispatch from an id to its handler: one message of four that are sent to four ids. */
@State(Scope.Thread)
public class DispatchBenchmark {
    private static final int IDS = 4;

    private final DispatchTable alike = new DispatchTable(1);
    private final DispatchTable different = new DispatchTable(1);
    private final DirectBuffer buffer = new UnsafeBuffer(new byte[64]);
    private final long[] sums = new long[IDS];

    /** Registers handlers of one class and of four. */
    public DispatchBenchmark() {
        final long[] seen = sums;
        for (int id = 0; id < IDS; id++) {
            alike.register(
                    id, (source, message, at, metadataLength, offset, length) -> seen[0] += message.getLong(offset));
        }
        different.register(
                0, (source, message, at, metadataLength, offset, length) -> seen[0] += message.getLong(offset));
        different.register(
                1, (source, message, at, metadataLength, offset, length) -> seen[1] += message.getInt(offset));
        different.register(2, (source, message, at, metadataLength, offset, length) -> seen[2] += message.getByte(at));
        different.register(3, (source, message, at, metadataLength, offset, length) -> seen[3] += length);
    }

    /** Measures handlers of one class: the compiler binds the call. */
    @Benchmark
    @OperationsPerInvocation(IDS)
    public long alike() {
        return dispatch(alike);
    }

    /** Measures handlers of four classes: a true interface call. */
    @Benchmark
    @OperationsPerInvocation(IDS)
    public long different() {
        return dispatch(different);
    }

    private long dispatch(DispatchTable table) {
        for (int id = 0; id < IDS; id++) {
            final ActiveMessageHandler handler = table.handler(id);
            if (handler != null) {
                handler.onMessage(0, buffer, 0, 8, 8, 8);
            }
        }
        return sums[0];
    }
}
