package org.segno.bench.experiment;

import java.util.List;
import java.util.function.LongSupplier;

/**
 * Latency of a ping-pong while its origin also sends a stream of long messages. Each round trip is timed by itself, and
 * a figure is half of it. A slice has at least {@value #LEAST} round trips, however long they take, so that p99 means
 * something. The bandwidth of the stream shows that it flowed.
 */
public final class LatencyBesideStream implements Side {
    /** Metrics of the side. The bandwidth is that of the stream. */
    public static final List<FigureKind> METRICS = List.of(FigureKind.P50, FigureKind.P99, FigureKind.BANDWIDTH);

    private static final int LEAST = 100;
    private static final int MOST = 1 << 16;
    private static final int RUN_IN = 8;
    private static final double TAIL = 99;

    private final Role role;
    private final Exchange exchange;
    private final LongSupplier streamedBytes;
    private final int size;
    private final TimeHistogram times = new TimeHistogram();

    /**
     * Creates one end, which closes the exchange at the end.
     *
     * @param exchange ping-pong; its origin keeps the stream going meanwhile
     * @param streamedBytes bytes that the origin has sent by the stream, a count that never falls
     * @param size payload of a message of the ping-pong in bytes
     */
    public LatencyBesideStream(Role role, Exchange exchange, LongSupplier streamedBytes, int size) {
        this.role = role;
        this.exchange = exchange;
        this.streamedBytes = streamedBytes;
        this.size = size;
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        final int roundTrips = Math.max(LEAST, Math.min(MOST, operations));
        exchange.prepare();
        if (role == Role.ECHO) {
            exchange.reply(RUN_IN + roundTrips);
            return;
        }
        exchange.request(RUN_IN);
        final long before = streamedBytes.getAsLong();
        times.reset();
        final long beginNs = System.nanoTime();
        long sentNs = beginNs;
        for (int i = 0; i < roundTrips; i++) {
            exchange.request(1);
            final long nowNs = System.nanoTime();
            times.record((nowNs - sentNs) / 2.0);
            sentNs = nowNs;
        }
        figures.set(0, times.medianNs());
        figures.set(1, times.percentileNs(TAIL));
        final long bytes = Math.max(1, streamedBytes.getAsLong() - before);
        figures.set(2, (sentNs - beginNs) * (double) size / bytes);
    }

    @Override
    public void close() {
        exchange.close();
    }
}
