package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.operation.Rmw;

/** Allocation of links, at either end: 0 bytes per operation, by the JVM's own count for the thread that runs both. */
class LinkAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int OPERATIONS = 5_000;

    /** Bytes that the injection counter counts down for a PUT, a REMOTE_GET, an RMW, and the two below. */
    private static final int PER_ROUND = 3000 + 3000 + Rmw.LENGTH + 2 * 400 + 1000;

    @Test
    void shouldAllocateNothingForAnyOperation(@TempDir Path directory) {
        try (EngineFixture engines =
                EngineFixture.linked(directory, NodeSize.small().dimensions(), EngineFixture.SMALL_LINK)) {
            final Context origin = engines.context(0);
            final Context owner = engines.context(1);
            final Window own = engines.client(0).window(8192);
            final ReceptionCounter counter =
                    engines.client(1).receptionCounter(engines.client(1).window(8192), 0, 8192, 0, Right.values());
            final Target to = new Target(1, counter.id(), counter.incarnation(), 8192, false);
            final InjectionCounter done = engines.client(0).injectionCounter();
            final Rmw change = new Rmw().fetchAdd(1).result(own, 0).completes(done);
            final Message message = new Message().to(1, 5).payload(own, 0, 800);
            final long[] endpoints = {owner.endpoint(), origin.endpoint()};
            final Message several = new Message()
                    .to(0, 5)
                    .metadata(own, 0, 16)
                    .payload(own, 16, 400)
                    .completes(done);
            final Notification notification = new Notification().at(7).completes(done);
            final long[] received = new long[1];
            final long[] notified = new long[1];
            origin.handler(5, (from, buffer, m, ml, p, length) -> received[0] += length);
            owner.notified(7, (from, id, offset, bytes) -> notified[0] += bytes);
            owner.handler(5, (from, buffer, m, ml, p, length) -> received[0] += length);
            long least = Long.MAX_VALUE;
            for (int attempt = 0; attempt < 8 && least != 0; attempt++) {
                final long begun = done.valueAcquire();
                final long before = THREADS.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < OPERATIONS; i++) {
                    origin.put(to, 0, own, 0, 3000, done);
                    origin.send(message);
                    origin.count(to, 4000);
                    origin.get(to, 0, own, 4000, 3000, done);
                    origin.rmw(to, 0, change);
                    origin.multicast(several, endpoints, 0, 2);
                    origin.putNotifying(to, 0, own, 0, 1000, notification);
                    while (!origin.isDrained() || done.valueAcquire() > -(i + 1L) * PER_ROUND + begun) {
                        origin.advance();
                        owner.advance();
                    }
                }
                least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
            }
            assertThat(least).isZero();
            assertThat(received[0]).isPositive();
            assertThat(notified[0]).isPositive();
            engines.settle();
            assertThat(counter.valueAcquire()).isZero();
            assertThat(done.valueAcquire() % PER_ROUND).isZero();
        }
    }
}
