package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.memory.Closing;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;

/**
 * Closing of windows and counters within milliseconds while the peers are parked, in a wait or in an engine's thread.
 */
@Timeout(120)
@OverMemoryAndLinks
class ParkedPeersTest {
    private static final long PARK_MS = 60;

    /** Limit far below the time of the passes between two quiet points, each with a park: 64 x 60 ms. */
    private static final long LIMIT_MS = 2_000;

    @TempDir
    Path parent;

    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger idles = new AtomicInteger();

    @ParameterizedTest
    @EnumSource
    void shouldCloseWhilePeersAreParkedInAWait(Threading mode) throws Exception {
        final List<NodeConfig> configs = new ArrayList<>();
        configs.add(SmallNodes.config(Threading.INVOKER, 3));
        configs.add(SmallNodes.config(mode, 3).withIdle(Parking::new));
        configs.add(SmallNodes.config(mode, 3).withIdle(Parking::new));
        requireCloses(configs);
    }

    @Test
    void shouldCloseWhilePeersWaitByAStrategyThatParksLongFromTheStart() throws Exception {
        final Supplier<IdleStrategy> backoff = () -> {
            idles.addAndGet(1 << 20);
            return new BackoffIdleStrategy(1, 1, 30_000_000, 60_000_000);
        };
        final List<NodeConfig> configs = new ArrayList<>();
        configs.add(SmallNodes.config(Threading.INVOKER, 2));
        configs.add(SmallNodes.config(Threading.INVOKER, 2).withIdle(backoff));
        requireCloses(configs);
    }

    private void requireCloses(List<NodeConfig> configs) throws Exception {
        final ExecutorService threads = Executors.newCachedThreadPool();
        try (InProcessJob job = InProcessJob.join(parent, configs)) {
            final List<Future<?>> waits = new ArrayList<>();
            for (int rank = 1; rank < configs.size(); rank++) {
                final int peer = rank;
                waits.add(threads.submit(() -> job.context(peer).await(over::get, InProcessJob.deadline())));
            }
            final Client client = job.node(0).client();
            job.context(0).await(() -> idles.get() > 4_000, InProcessJob.deadline());

            for (int round = 0; round < 10; round++) {
                final var window = client.window(64);
                final Closing counter = client.close(client.receptionCounter(window, 0, 64));
                final Closing memory = client.close(window);
                final long limitNs = Deadline.in(LIMIT_MS, TimeUnit.MILLISECONDS);
                client.await(counter, job.context(0), limitNs);
                client.await(memory, job.context(0), limitNs);
            }

            over.set(true);
            for (final Future<?> wait : waits) {
                wait.get(30, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Closes under INVOKER while the second context of a node, and so its engine, is never used. */
    @Test
    void shouldNotWaitForEnginesThatHaveNeverRun() {
        final NodeConfig config = SmallNodes.config(Threading.INVOKER, 8).withContexts(2);
        try (InProcessJob job = InProcessJob.join(parent, 2, config)) {
            final Client client = job.node(0).client();
            final Closing counter = client.close(client.receptionCounter(client.window(64), 0, 64));

            client.await(counter, job.context(0), InProcessJob.deadline());

            assertThat(counter.isDone()).isTrue();
        }
    }

    /** Strategy that spins for a while, and then parks for long each time. */
    private final class Parking implements IdleStrategy {
        private int calls;

        @Override
        public void idle(int workCount) {
            if (workCount > 0) {
                reset();
            } else {
                idle();
            }
        }

        @Override
        public void idle() {
            idles.incrementAndGet();
            if (++calls > 2_200) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PARK_MS));
            } else {
                Thread.onSpinWait();
            }
        }

        @Override
        public void reset() {
            calls = 0;
        }
    }
}
