package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.HaloRounds;
import org.segno.geometry.Endpoint;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.Status;

/** Nodes of one process, each on its own thread, in every threading mode and in several together. */
@OverMemoryAndLinks
class ThreadingTest {
    @TempDir
    Path parent;

    /** Uses the smallest lanes and FIFOs; every rank sends to every rank before it polls. */
    @ParameterizedTest
    @CsvSource({
        "INVOKER, 2, 5000",
        "DEDICATED, 2, 800",
        "SHARED, 3, 400",
        "MIXED, 2, 800",
        "INVOKER, 3, 1500",
        "MIXED, 3, 400"
    })
    void shouldNotLockUpWhenAllFloodEachOther(String modes, int size, int count) throws Exception {
        flood(modes, size, count);
    }

    @Tag("stress")
    @Timeout(600)
    @ParameterizedTest
    @CsvSource({
        "INVOKER, 2, 50000",
        "DEDICATED, 2, 6000",
        "SHARED, 3, 2500",
        "MIXED, 2, 6000",
        "INVOKER, 3, 12500",
        "MIXED, 3, 2500"
    })
    void shouldNotLockUpWhenAllFloodEachOtherForLong(String modes, int size, int count) throws Exception {
        flood(modes, size, count);
    }

    private void flood(String modes, int size, int count) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(size, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> new Flood(job.node(rank), size, count).run());
            for (int rank = 0; rank < size; rank++) {
                assertThat(job.node(rank).metrics().received()).isEqualTo((long) count * size);
                assertThat(job.node(rank).metrics().unknownDispatch()).isZero();
            }
        }
    }

    /** Rank that sends {@code count} messages to every rank, itself included, and receives as many from each. */
    private static final class Flood {
        private static final int ID = 9;

        private final Context context;
        private final Window window;
        private final Random chance;
        private final int size;
        private final int count;
        private final long[] next;
        private long received;

        Flood(Node node, int size, int count) {
            this.context = node.client().context();
            this.window = node.client().window(2048);
            this.chance = new Random(node.rank());
            this.size = size;
            this.count = count;
            this.next = new long[size];
            context.handler(ID, (origin, buffer, m, ml, p, pl) -> {
                final int source = Endpoint.task(origin);
                // Immediate messages carry their number as payload, those from a window as metadata.
                final long number = buffer.getLong(m);
                if (number != next[source] || (ml != 0 && ml != 8)) {
                    throw new AssertionError("rank " + source + " sent " + number + " instead of " + next[source]);
                }
                next[source]++;
                received++;
            });
        }

        @SuppressWarnings("ThreadPriorityCheck") // Yields, because the other threads need the core.
        void run() {
            context.barrier(InProcessJob.deadline());
            final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
            final Message message = new Message();
            for (long number = 0; number < count; number++) {
                bytes.putLong(0, number);
                for (int rank = 0; rank < size; rank++) {
                    final boolean large = chance.nextInt(4) == 0;
                    message.to(rank, ID).metadata(bytes, 0, 8).payload(window, 0, chance.nextInt(900));
                    while ((large ? context.send(message) : context.sendImmediate(rank, ID, bytes, 0, 8))
                            == Status.BACK_PRESSURED) {
                        if (context.advance() == 0) {
                            Thread.yield();
                        }
                    }
                }
            }
            context.await(() -> received == (long) count * size, InProcessJob.deadline());
            context.barrier(InProcessJob.deadline());
        }
    }

    @ParameterizedTest
    @CsvSource({"INVOKER, 3, 1000", "INVOKER, 5, 300", "DEDICATED, 3, 100", "SHARED, 3, 100", "MIXED, 4, 100"})
    void shouldSumRightInEveryRoundWithoutAnyBarrier(String modes, int size, long rounds) throws Exception {
        sum(modes, size, rounds);
    }

    @Tag("stress")
    @Timeout(600)
    @ParameterizedTest
    @CsvSource({"INVOKER, 3, 8000", "INVOKER, 5, 2500", "DEDICATED, 3, 600", "SHARED, 3, 600", "MIXED, 4, 600"})
    void shouldSumRightInManyRoundsWithoutAnyBarrier(String modes, int size, long rounds) throws Exception {
        sum(modes, size, rounds);
    }

    private void sum(String modes, int size, long rounds) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(size, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> {
                final HaloRounds halo = new HaloRounds(job.node(rank).client(), rank, size);
                final Random chance = new Random(rank);
                halo.attach();
                halo.record();
                while (halo.round() < rounds) {
                    halo.await();
                    halo.check();
                    // Now and then a rank pauses for a while.
                    drift(chance);
                    halo.next();
                }
                halo.await();
                halo.check();
                job.context(rank).barrier(InProcessJob.deadline());
            });
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // Yields, because the other threads need the core.
    private static void drift(Random chance) {
        if (chance.nextInt(10) == 0) {
            for (int i = chance.nextInt(2000); i > 0; i--) {
                Thread.onSpinWait();
            }
        }
        if (chance.nextInt(10) == 0) {
            Thread.yield();
        }
    }

    /** Checks that no rank leaves a barrier before all have entered it, and that earlier messages have arrived. */
    @ParameterizedTest
    @CsvSource({
        "INVOKER, 1, 100",
        "INVOKER, 2, 500",
        "INVOKER, 3, 300",
        "INVOKER, 4, 200",
        "INVOKER, 5, 100",
        "INVOKER, 6, 100",
        "INVOKER, 7, 100",
        "DEDICATED, 2, 80",
        "MIXED, 3, 50"
    })
    void shouldLetNoRankLeaveABarrierBeforeAllHaveEntered(String modes, int size, int rounds) throws Exception {
        enterBarriers(modes, size, rounds);
    }

    @Tag("stress")
    @Timeout(600)
    @ParameterizedTest
    @CsvSource({
        "INVOKER, 2, 5000",
        "INVOKER, 3, 2500",
        "INVOKER, 5, 800",
        "INVOKER, 7, 500",
        "DEDICATED, 2, 400",
        "MIXED, 3, 250"
    })
    void shouldLetNoRankLeaveManyBarriersBeforeAllHaveEntered(String modes, int size, int rounds) throws Exception {
        enterBarriers(modes, size, rounds);
    }

    private void enterBarriers(String modes, int size, int rounds) throws Exception {
        final AtomicIntegerArray entered = new AtomicIntegerArray(size);
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(size, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = client.context();
                final Window window = client.window(8L * (size + 1));
                client.publish("slots", client.receptionCounter(window, 0, 8L * size));
                final Target[] slots = new Target[size];
                for (int peer = 0; peer < size; peer++) {
                    slots[peer] = context.attach(peer, "slots", InProcessJob.deadline());
                }
                final Random chance = new Random(rank);
                for (int round = 1; round <= rounds; round++) {
                    drift(chance);
                    window.buffer().putLong(8 * size, round);
                    for (int peer = 0; peer < size; peer++) {
                        while (context.put(slots[peer], 8L * rank, window, 8L * size, 8) == Status.BACK_PRESSURED) {
                            context.advance();
                        }
                    }
                    entered.set(rank, round);
                    context.barrier(InProcessJob.deadline());
                    for (int peer = 0; peer < size; peer++) {
                        assertThat(entered.get(peer)).isGreaterThanOrEqualTo(round);
                        assertThat(window.buffer().getLong(8 * peer)).isBetween((long) round, round + 1L);
                    }
                }
            });
        }
    }

    /** Lets each rank replay the two patterns in its own order and wait in that order too. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldNotDeadlockWhenRanksReplayInOppositeOrders(String modes) throws Exception {
        final int rounds = 150;
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(2, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = client.context();
                final Window window = client.window(1024);
                final Pattern[] patterns = new Pattern[2];
                final CounterPair[] pairs = new CounterPair[2];
                for (int id = 0; id < 2; id++) {
                    pairs[id] = client.counterPair(window, 128 + 256L * id, 256 + 256L * id, 64);
                    client.publish("in " + id, pairs[id]);
                }
                for (int i = 0; i < 2; i++) {
                    final int id = rank == 0 ? i : 1 - i;
                    final Target to = context.attach(1 - rank, "in " + id, InProcessJob.deadline());
                    patterns[id] = context.record(id, Rounds.ALTERNATE, () -> {
                        context.expect(pairs[id], 64);
                        context.put(to, 0, window, 0, 64);
                    });
                }
                for (long round = 2; round <= rounds; round++) {
                    for (int i = 0; i < 2; i++) {
                        final Pattern next = patterns[rank == 0 ? i : 1 - i];
                        context.await(next, round - 1, InProcessJob.deadline());
                        long started = context.replay(next);
                        while (started == Status.BACK_PRESSURED) {
                            // The engine has executed the last round, and is about to return its run.
                            context.advance();
                            started = context.replay(next);
                        }
                        assertThat(started).isEqualTo(round);
                    }
                }
                context.await(patterns[0], rounds, InProcessJob.deadline());
                context.await(patterns[1], rounds, InProcessJob.deadline());
                context.barrier(InProcessJob.deadline());
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    void shouldEndItsWaitsWhenClosedByAnotherThread(Threading mode) throws Exception {
        final ExecutorService waiter = Executors.newSingleThreadExecutor();
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(mode, 2))) {
            final AtomicInteger looks = new AtomicInteger();
            final Future<?> wait = waiter.submit(
                    () -> job.context(0).await(() -> looks.incrementAndGet() < 0, InProcessJob.deadline()));
            while (looks.get() < 100) {
                Thread.onSpinWait();
            }
            job.node(0).close();
            job.node(0).close();

            assertThatThrownBy(() -> wait.get(20, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(ClosedException.class)
                    .hasMessageContaining("rank 0 was closed");
            assertThatThrownBy(() -> job.context(0).barrier(InProcessJob.deadline()))
                    .isInstanceOf(ClosedException.class);
            // Its peer is notified that it has left.
            final ReceptionCounter never =
                    job.node(1).client().receptionCounter(job.node(1).client().window(8), 0, 8, 0);
            never.expect(8);
            assertThatThrownBy(() -> job.context(1).await(never, InProcessJob.deadline()))
                    .isInstanceOf(ClosedException.class)
                    .hasMessageContaining("has left the job");
        } finally {
            waiter.shutdownNow();
        }
    }

    /**
     * Lets all other ranks leave: this rank's messages to itself still arrive, and only then does a wait fail for lack
     * of peers.
     */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    void shouldWaitForItsOwnEngineWhenAllOthersHaveLeft(Threading mode) {
        final int length = 32 << 20;
        try (InProcessJob job =
                InProcessJob.join(parent, 2, SmallNodes.config(mode, 2).withWindowBytes(2L * length))) {
            final Client client = job.node(0).client();
            final Window source = client.window(length);
            final Window target = client.window(length);
            final ReceptionCounter counter = client.receptionCounter(target, 0, length);
            client.publish("self", counter);
            final Target self = client.context().attach(0, "self", InProcessJob.deadline());
            source.buffer().putLong(length - 8, 42);
            job.node(1).close();
            client.context().await(() -> job.node(0).peerState(1) == Node.PeerState.LEFT, InProcessJob.deadline());

            counter.expect(length);
            client.context().put(self, 0, source, 0, length);
            client.context().await(counter, InProcessJob.deadline());
            assertThat(target.buffer().getLong(length - 8)).isEqualTo(42);

            counter.expect(1);
            assertThatThrownBy(() -> client.context().await(counter, InProcessJob.deadline()))
                    .isInstanceOf(ClosedException.class)
                    .hasMessageContaining("has left the job");
        }
    }
}
