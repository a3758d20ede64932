package org.segno.engine.doorbell;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.segno.engine.metrics.Metric;
import org.segno.engine.metrics.NodeMetrics;

/**
 * Doorbell of one context, at which the thread that waits for it parks. One thread at a time parks here, from
 * {@link #begin} to {@link #end}; any thread may ring.
 *
 * <p>A park has three steps. {@link #begin} publishes it. Then the thread makes one more pass over everything that may
 * have arrived before. {@link #block} blocks until something arrives, for a bounded time.
 */
public final class Doorbell {
    private final DoorbellRecord record;
    private final WakeChannel channel;
    private final NodeMetrics metrics;
    private final AtomicReference<@Nullable Thread> parking = new AtomicReference<>();

    /**
     * Creates the doorbell of a context.
     *
     * @param record its record in the node's file
     * @param channel wakes the waiter
     * @param metrics counts of the context
     */
    public Doorbell(DoorbellRecord record, WakeChannel channel, NodeMetrics metrics) {
        this.record = record;
        this.channel = channel;
        this.metrics = metrics;
    }

    /**
     * Publishes that the calling thread is about to park. Returns false if another thread parks here. That thread is
     * woken, because the caller holds the context now.
     */
    public boolean begin() {
        if (!parking.compareAndSet(null, Thread.currentThread())) {
            channel.release();
            return false;
        }
        record.park();
        return true;
    }

    /** Blocks until the doorbell rings, for {@code limitNs} at most. */
    public void block(long limitNs) {
        metrics.add(Metric.PARKS, 1);
        channel.await(limitNs);
    }

    /** Ends a park that the calling thread has begun. */
    public void end() {
        record.wake();
        parking.set(null);
    }

    /** Withdraws the doorbell, at which no thread has parked yet. */
    void withdraw() {
        record.withdraw();
    }

    /** Returns true while a thread parks here. Any thread. */
    boolean isTaken() {
        return parking.get() != null;
    }

    /** Wakes the thread that parks here. Everything that the caller has stored before is visible to it. Any thread. */
    public void ring() {
        record.fence();
        if (DoorbellRecord.isParked(record.parksAcquire())) {
            channel.ring();
        }
    }
}
