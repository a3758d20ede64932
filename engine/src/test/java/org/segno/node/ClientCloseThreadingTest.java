package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.memory.NodeDimensions;
import org.segno.geometry.Endpoint;
import org.segno.memory.Closing;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.ThreadLevel;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;

/** Two nodes in every threading mode: a client that is closed and opened again while its peers use it. */
@Timeout(180)
@OverMemoryAndLinks
class ClientCloseThreadingTest {
    private static final int SIZE = 2;
    private static final int ID = 5;
    private static final int USES = 200;
    private static final int MORE_USES = 1000;
    private static final int FRESH = 10;
    private static final ClientConfig ALPHA =
            ClientConfig.named("alpha").withCounters(2, 2).withWindowBytes(1024);

    @TempDir
    Path parent;

    private InProcessJob join(String modes) {
        final List<NodeConfig> configs = new ArrayList<>();
        for (final NodeConfig config : SmallNodes.configs(SIZE, SmallNodes.modes(modes))) {
            configs.add(config.withContexts(2)
                    .withEngines(2)
                    .withLaneBudgetBytes(8L * NodeDimensions.MIN_LANE_BYTES)
                    .withThreadLevel(ThreadLevel.SERIALIZED));
        }
        return InProcessJob.join(parent, configs);
    }

    /**
     * Floods a client that is opened and closed {@value #USES} times and more rarely with threads of engines, at fresh
     * and at stale endpoints. Each message contains the endpoint that it is meant for, and its number there.
     */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldDeliverEachMessageToTheUseThatItIsMeantForAndLoseNone(String modes) throws Exception {
        floodUses(modes, modes.equals("INVOKER") ? USES : USES / 10);
    }

    @Tag("stress")
    @Timeout(600)
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldDeliverEachMessageToTheUseOfManyThatItIsMeantForAndLoseNone(String modes) throws Exception {
        floodUses(modes, modes.equals("INVOKER") ? MORE_USES : MORE_USES / 10);
    }

    private void floodUses(String modes, int uses) throws Exception {
        final AtomicLong present = new AtomicLong(-1);
        try (InProcessJob job = join(modes)) {
            job.onThreads(rank -> {
                if (rank == 0) {
                    flood(job.context(0), present);
                } else {
                    openAndClose(job.node(1), present, uses);
                    assertThat(job.node(1).client().context(1).endpoint()).isEqualTo(Endpoint.of(1, 0, 1, 1, uses));
                }
                job.context(rank).barrier(InProcessJob.deadline());
            });
        }
    }

    private static void openAndClose(Node node, AtomicLong present, int uses) {
        final Context own = node.client().context();
        for (int use = 0; use < uses; use++) {
            final Client client = node.openClient(ALPHA);
            final Context context = client.context();
            final long endpoint = context.endpoint();
            assertThat(Endpoint.use(endpoint)).isEqualTo(use);
            final AtomicLong received = new AtomicLong();
            context.handler(ID, (origin, buffer, m, ml, p, pl) -> {
                assertThat(buffer.getLong(p)).isEqualTo(endpoint);
                assertThat(buffer.getLong(p + 8)).isEqualTo(received.getAndIncrement());
            });
            present.set(endpoint);
            while (received.get() < FRESH) {
                context.advance();
                own.advance();
            }
            node.client().await(client.close(), own, InProcessJob.deadline());
        }
        present.set(Long.MAX_VALUE);
    }

    private static void flood(Context context, AtomicLong present) {
        final SplittableRandom chance = new SplittableRandom(1);
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[16]);
        final List<Long> known = new ArrayList<>();
        final List<AtomicLong> numbers = new ArrayList<>();
        for (long now = present.get(); now != Long.MAX_VALUE; now = present.get()) {
            if (now >= 0 && (known.isEmpty() || known.get(known.size() - 1) != now)) {
                known.add(now);
                numbers.add(new AtomicLong());
            }
            if (!known.isEmpty()) {
                final int to = chance.nextInt(3) == 0 ? chance.nextInt(known.size()) : known.size() - 1;
                bytes.putLong(0, known.get(to));
                bytes.putLong(8, numbers.get(to).get());
                if (context.sendImmediate(known.get(to), ID, bytes, 0, 16) >= 0) {
                    numbers.get(to).incrementAndGet();
                }
            }
            context.advance();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldEndTheWaitsOfOtherThreadsAndThenComplete(String modes) throws Exception {
        try (InProcessJob job = join(modes)) {
            final CountDownLatch waits = new CountDownLatch(1);
            final AtomicReference<Closing> closing = new AtomicReference<>();
            final Client client = job.node(1).openClient(ALPHA);
            final Thread waiter = new Thread(() -> {
                client.context().post(() -> {
                    waits.countDown();
                    return 0;
                });
                assertThatThrownBy(() -> client.context().await(() -> false, InProcessJob.deadline()))
                        .isInstanceOf(ClosedException.class)
                        .hasMessageContaining("client \"alpha\" of rank 1 was closed");
                // The thread remains alive, and calls nothing more.
                while (!isDone(closing.get())) {
                    Thread.onSpinWait();
                }
            });
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            waiter.setUncaughtExceptionHandler((thread, thrown) -> failure.set(thrown));
            waiter.start();
            assertThat(waits.await(30, TimeUnit.SECONDS)).isTrue();
            job.onThreads(rank -> {
                if (rank == 1) {
                    closing.set(client.close());
                    final Closing begun = client.close();
                    job.node(1).client().await(begun, job.context(1), InProcessJob.deadline());
                    waiter.join(30_000);
                    assertThat(waiter.isAlive()).isFalse();
                    assertThat(failure.get()).isNull();
                }
                job.context(rank).barrier(InProcessJob.deadline());
            });
        }
    }

    private static boolean isDone(@Nullable Closing closing) {
        return closing != null && closing.isDone();
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldCloseAndOpenAtAllRanksBetweenBarriers(String modes) throws Exception {
        try (InProcessJob job = join(modes)) {
            job.onThreads(rank -> {
                final Context own = job.context(rank);
                for (int use = 0; use < 25; use++) {
                    final Client client = job.node(rank).openClient(ALPHA);
                    final Context context = client.context();
                    final Window window = client.window(64);
                    final ReceptionCounter in = client.receptionCounter(window, 0, 8);
                    client.publish("in", in);
                    final Target to = context.attach(1 - rank, "in", InProcessJob.deadline());
                    in.expect(8);
                    window.buffer().putLong(8, 100L * use + rank);
                    context.put(to, 0, window, 8, 8);
                    context.await(in, InProcessJob.deadline());
                    assertThat(window.buffer().getLong(0)).isEqualTo(100L * use + 1 - rank);
                    for (int round = 0; round < 3; round++) {
                        context.barrier(InProcessJob.deadline());
                    }
                    job.node(rank).client().await(client.close(), own, InProcessJob.deadline());
                    own.barrier(InProcessJob.deadline());
                }
            });
        }
    }

    /** The ranks agree beside their nodes, so that nothing has told a node of the other one's uses. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldEnterABarrierOfTheUsesInWhichAllRanksHaveOpenedTheClient(String modes) throws Exception {
        final AtomicInteger agreed = new AtomicInteger();
        try (InProcessJob job = join(modes)) {
            job.onThreads(rank -> {
                final Context own = job.context(rank);
                int agreements = 0;
                for (int use = 0; use < 50; use++) {
                    final Client client = job.node(rank).openClient(ALPHA);
                    agree(agreed, ++agreements, Thread::onSpinWait);
                    client.context().barrier(InProcessJob.deadline());
                    assertThat(Endpoint.use(client.endpoint(1 - rank, 0, InProcessJob.deadline())))
                            .isEqualTo(use);
                    agree(agreed, ++agreements, own::advance);
                    job.node(rank).client().await(client.close(), own, InProcessJob.deadline());
                    agree(agreed, ++agreements, own::advance);
                }
            });
        }
    }

    private static void agree(AtomicInteger agreed, int agreements, Runnable meanwhile) {
        final long deadline = InProcessJob.deadline();
        agreed.incrementAndGet();
        while (agreed.get() < SIZE * agreements) {
            assertThat(Deadline.reached(deadline)).isFalse();
            meanwhile.run();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "MIXED"})
    void shouldRunAContextInItsNextUseAsInItsFirst(String modes) throws Exception {
        useAgain(modes);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"DEDICATED", "SHARED"})
    void shouldRunAContextInItsNextUseAsInItsFirstInOtherModes(String modes) throws Exception {
        useAgain(modes);
    }

    /** Closes while messages of other FIFOs, replies and notices are under way in both directions. */
    private void useAgain(String modes) throws Exception {
        try (InProcessJob job = join(modes)) {
            job.onThreads(rank -> {
                final Context own = job.context(rank);
                final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
                for (int use = 0; use < 10; use++) {
                    final Client client = job.node(rank).openClient(ALPHA);
                    final Context context = client.context();
                    final AtomicLong replies = new AtomicLong();
                    final AtomicLong sum = new AtomicLong();
                    context.replyingHandler(
                            ID, (origin, buffer, m, ml, p, pl) -> context.sendImmediate(origin, ID + 1, buffer, p, 8));
                    context.handler(ID + 1, (origin, buffer, m, ml, p, pl) -> {
                        replies.incrementAndGet();
                        sum.addAndGet(buffer.getLong(p));
                    });
                    final long to = client.endpoint(1 - rank, 0, InProcessJob.deadline());
                    context.barrier(InProcessJob.deadline());
                    for (int i = 0; i < 100; i++) {
                        bytes.putLong(0, i);
                        while (context.sendImmediate(to, ID, bytes, 0, 8) < 0) {
                            context.advance();
                        }
                    }
                    context.await(() -> replies.get() == 100, InProcessJob.deadline());
                    assertThat(sum).hasValue(4950);
                    context.barrier(InProcessJob.deadline());
                    job.node(rank).client().await(client.close(), own, InProcessJob.deadline());
                    // Otherwise a rank could find the client that the other one is about to close.
                    own.barrier(InProcessJob.deadline());
                }
            });
        }
    }
}
