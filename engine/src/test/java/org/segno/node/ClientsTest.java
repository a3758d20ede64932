package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.Closing;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.operation.ThreadLevel;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.Status;

/** Clients of one node, each with an exclusive share. */
@Timeout(120)
@OverMemoryAndLinks
class ClientsTest {
    private static final int ID = 5;
    private static final int CONTEXTS = 2;
    private static final int ROUNDS = 200;
    private static final ClientConfig SHARE = ClientConfig.named("alpha")
            .withContexts(CONTEXTS)
            .withCounters(3, 6)
            .withWindowBytes(4096);

    @TempDir
    Path parent;

    private static NodeConfig config(Threading threading, int contexts) {
        // Each client has its own thread, and only it uses the client.
        return SmallNodes.config(threading, 2)
                .withContexts(contexts)
                .withEngines(contexts)
                .withCounters(16, 32)
                .withThreadLevel(ThreadLevel.FUNNELED)
                .withLaneBudgetBytes(1 << 20);
    }

    private static ClientConfig named(String name) {
        return new ClientConfig(name, CONTEXTS, 3, 6, 4096, List.of());
    }

    /** Uses equal dispatch ids, names of counters and ids of patterns in both; only the clients' names differ. */
    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldServeTwoMiddlewaresAtOnceAndMixNothing(Threading threading) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(threading, 2 * CONTEXTS))) {
            final Map<String, Object> opened = new ConcurrentHashMap<>();
            final ExecutorService threads = Executors.newFixedThreadPool(4);
            final List<Future<?>> ends = new ArrayList<>();
            for (int rank = 0; rank < 2; rank++) {
                for (final String name : List.of("alpha", "beta")) {
                    final Node node = job.node(rank);
                    // The order differs at rank 1: alpha opens there once beta has.
                    final boolean waits = (rank == 0) == name.equals("beta");
                    ends.add(threads.submit(() -> {
                        while (waits && !opened.containsKey(node.rank() + (name.equals("beta") ? "alpha" : "beta"))) {
                            Thread.onSpinWait();
                        }
                        final Client client = node.openClient(named(name));
                        opened.put(node.rank() + name, client);
                        new Middleware(client, node.rank()).run();
                    }));
                }
            }
            for (final Future<?> end : ends) {
                end.get(60, TimeUnit.SECONDS);
            }
            threads.shutdown();
        }
    }

    /** Library that is independent of others in its process. */
    private static final class Middleware {
        private final Client client;
        private final int rank;
        private final long tag;
        private final long[] received = new long[CONTEXTS];

        Middleware(Client client, int rank) {
            this.client = client;
            this.rank = rank;
            this.tag = client.name().hashCode();
        }

        void run() {
            for (int number = 0; number < CONTEXTS; number++) {
                final int at = number;
                client.context(number).handler(ID, (source, buffer, m, ml, p, pl) -> {
                    if (buffer.getLong(m) != tag || buffer.getLong(m + 8) != at) {
                        throw new AssertionError(client + " got a message of another client, or of another context: "
                                + buffer.getLong(m) + " " + buffer.getLong(m + 8));
                    }
                    received[at]++;
                });
            }
            final int peer = 1 - rank;
            final long there = client.endpoint(peer, 1, InProcessJob.deadline());
            assertThat(Endpoint.offset(there)).isEqualTo(1);
            assertThat(Endpoint.task(there)).isEqualTo(peer);
            final Context context = client.context();
            context.barrier(InProcessJob.deadline());
            messages(peer, there);
            rounds(context, peer);
            context.barrier(InProcessJob.deadline());
        }

        private void messages(int peer, long there) {
            final Window window = client.window(64);
            final UnsafeBuffer words = new UnsafeBuffer(new byte[16]);
            final Message message = new Message();
            words.putLong(0, tag);
            for (int round = 0; round < ROUNDS; round++) {
                words.putLong(8, 1);
                send(() -> client.context().sendImmediate(there, ID, words, 0, 16));
                message.to(peer, 1, ID).metadata(words, 0, 16).payload(window, 0, 8);
                send(() -> client.context(1).send(message));
                words.putLong(8, 0);
                send(() -> client.context(1).sendImmediate(peer, ID, words, 0, 16));
                message.to(client.context().endpoint(), ID).metadata(words, 0, 16);
                send(() -> client.context(1).send(message));
            }
            while (received[0] < 2 * ROUNDS || received[1] < 2 * ROUNDS || !client.isDrained()) {
                advance();
            }
        }

        private void send(LongSupplier sending) {
            while (sending.getAsLong() == Status.BACK_PRESSURED) {
                advance();
            }
        }

        @SuppressWarnings("ThreadPriorityCheck") // Yields, because the other threads need the core.
        private void advance() {
            if (client.context(0).advance() + client.context(1).advance() == 0) {
                Thread.yield();
            }
        }

        /** Exchanges a number with the peer in every round, and opens and closes other objects. */
        private void rounds(Context context, int peer) {
            final Window window = client.window(128);
            final CounterPair inbox = client.counterPair(window, 64, 72, 8);
            client.publish("inbox", inbox);
            final Target to = context.attach(peer, "inbox", InProcessJob.deadline());
            window.buffer().putLong(0, tag);
            final Pattern pattern = context.record(1, Rounds.ALTERNATE, () -> {
                context.expect(inbox, 8);
                context.put(to, 0, window, 0, 8);
            });
            for (long round = 1; round <= ROUNDS; round++) {
                context.await(pattern, round, InProcessJob.deadline());
                final long got = window.buffer().getLong(round % 2 == 0 ? 64 : 72);
                if (got != tag + round - 1) {
                    throw new AssertionError(client + " round " + round + " brought " + got);
                }
                if (round % 50 == 0) {
                    openAndClose();
                }
                if (round < ROUNDS) {
                    window.buffer().putLong(0, tag + round);
                    assertThat(context.replay(pattern)).isEqualTo(round + 1);
                }
            }
        }

        /**
         * Opens and closes a window and a counter. They are free once all engines are quiet, and those of the other
         * client may not be quiet any more.
         */
        private void openAndClose() {
            final Window window = client.window(256);
            final ReceptionCounter counter = client.receptionCounter(window, 0, 256);
            client.publish("passing", counter);
            client.close(counter);
            client.close(window);
        }
    }

    @Test
    void shouldLetTwoClientsOpenAndCloseAtOnce() throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, 1, config(Threading.SHARED, 3))) {
            final ExecutorService threads = Executors.newFixedThreadPool(2);
            final List<Future<?>> ends = new ArrayList<>();
            for (final String name : List.of("alpha", "beta")) {
                ends.add(threads.submit(() -> {
                    final Client client =
                            job.node(0).openClient(named(name).withContexts(1).withWindowBytes(1024));
                    for (int i = 0; i < 20; i++) {
                        passing(client, i);
                    }
                }));
            }
            for (final Future<?> end : ends) {
                end.get(60, TimeUnit.SECONDS);
            }
            threads.shutdown();
        }
    }

    private static void passing(Client client, int number) {
        final Context context = client.context();
        final Window window = client.window(1024);
        final ReceptionCounter counter = client.receptionCounter(window, 0, 1024);
        client.publish("passing", counter);
        final Target to = context.attach(0, "passing", InProcessJob.deadline());
        final long value = number + (long) client.name().hashCode();
        window.buffer().putLong(512, value);
        context.expect(counter, 8);
        context.put(to, 0, window, 512, 8);
        context.await(counter, InProcessJob.deadline());
        assertThat(window.buffer().getLong(0)).isEqualTo(value);
        final Closing first = client.close(counter);
        final Closing second = client.close(window);
        client.await(first, context, InProcessJob.deadline());
        client.await(second, context, InProcessJob.deadline());
    }

    @Test
    void shouldReportTheRestAndTheOtherOwnersWhenARequestIsTooLarge() {
        try (InProcessJob job = InProcessJob.join(parent, 1, config(Threading.INVOKER, 3))) {
            final Node node = job.node(0);
            node.client().context();
            node.openClient(SHARE);

            assertThatThrownBy(() -> node.openClient(named("beta")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("rank 0 has 0 contexts left in one run, 2 were requested")
                    .hasMessageContaining("the node's own client with 1 contexts")
                    .hasMessageContaining(
                            "client \"alpha\" with 2 contexts, 0 of 3 injection counters and 0 of 6 reception")
                    .hasMessageContaining("0 of 4096 window bytes")
                    .hasMessageContaining("withContexts");
        }
    }

    @Test
    void shouldReportTheFreeCountersAndMemory() {
        try (InProcessJob job = InProcessJob.join(parent, 1, config(Threading.INVOKER, 3))) {
            final Node node = job.node(0);
            final ClientConfig small = ClientConfig.named("beta");

            // 16 and 32, less one for the barrier of each context.
            assertThatThrownBy(() -> node.openClient(small.withCounters(17, 0)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("16 injection counters left in one run, 17 were requested");
            assertThatThrownBy(() -> node.openClient(small.withCounters(0, 30)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("29 reception counters left in one run, 30 were requested");
            assertThatThrownBy(() -> node.openClient(small.withCounters(0, 0).withWindowBytes((1 << 16) + 1)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining((1 << 16) + " window bytes left");

            assertThatThrownBy(() -> node.openClient(small.withCounters(0, 0).withWindowBytes(Long.MAX_VALUE)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining((1 << 16) + " window bytes left");

            // The refused calls have taken nothing.
            node.openClient(small.withContexts(3).withCounters(16, 29).withWindowBytes(1 << 16));
            assertThatThrownBy(() -> node.client().injectionCounter())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("all 0 injection counters");
            assertThatThrownBy(() -> node.client().window(1)).hasMessageContaining("left=0 of 0");
            assertThatThrownBy(() -> node.client().context())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("context 0 of rank 0")
                    .hasMessageContaining("client \"beta\"");
        }
    }

    @Test
    void shouldKeepSharesApartWhenAClientHasUsedUpItsOwn() {
        try (InProcessJob job = InProcessJob.join(parent, 1, config(Threading.INVOKER, 3))) {
            final Client alpha = job.node(0).openClient(SHARE);
            final Client own = job.node(0).client();
            final Window window = alpha.window(4096);
            for (int i = 0; i < 6; i++) {
                alpha.receptionCounter(window, 0, 8);
            }

            assertThatThrownBy(() -> alpha.receptionCounter(window, 0, 8))
                    .hasMessageContaining("all 6 reception counters");
            assertThatThrownBy(() -> alpha.window(1)).hasMessageContaining("left=0 of 4096");
            assertThatThrownBy(() -> own.receptionCounter(window, 0, 8))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another client");
            final ReceptionCounter counter = own.receptionCounter(own.window(4096), 0, 8);
            assertThatThrownBy(() -> alpha.close(counter)).hasMessageContaining("another client");
            assertThatThrownBy(() -> own.close(window)).hasMessageContaining("another client");
            assertThatThrownBy(() -> alpha.close(own.injectionCounter())).hasMessageContaining("another client");
            own.close(counter);
        }
    }

    @Test
    void shouldRefuseNamesThatAreNoneOrAreTaken() {
        try (InProcessJob job = InProcessJob.join(parent, 1, config(Threading.INVOKER, 3))) {
            final Node node = job.node(0);
            final ClientConfig none = ClientConfig.named("alpha").withCounters(0, 0);
            node.openClient(none);

            assertThatThrownBy(() -> node.openClient(none))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("already")
                    .hasMessageContaining("\"alpha\"");
            for (final String name : List.of("", "a/b", "a".repeat(32))) {
                assertThatThrownBy(
                                () -> node.openClient(ClientConfig.named(name).withCounters(0, 0)))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("1 to 31 bytes");
            }
            assertThatThrownBy(() -> ClientConfig.named("b").withContexts(0)).hasMessageContaining("contexts=0");
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldWaitForAClientThatItsPeerHasNotOpened() {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(Threading.INVOKER, 3))) {
            final Client client = job.node(0).openClient(SHARE);
            final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);

            assertThatThrownBy(() -> client.endpoint(1, 0, Deadline.in(5, TimeUnit.MILLISECONDS)))
                    .isInstanceOf(DeadlineException.class)
                    .hasMessageContaining("rank 1 to open client \"alpha\"");
            assertThatThrownBy(() -> client.context().sendImmediate(1, ID, bytes, 0, 8))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("client \"alpha\" has not been found at rank 1");

            job.node(1).openClient(SHARE.withContexts(1));
            assertThat(client.endpoint(1, 0, InProcessJob.deadline())).isEqualTo(Endpoint.of(1, 1, 0, 2));
            assertThat(client.context().sendImmediate(1, ID, bytes, 0, 8)).isNotNegative();
            assertThatThrownBy(() -> client.endpoint(1, 1, InProcessJob.deadline()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("client \"alpha\" has 1 there: context=1");
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldRefuseABarrierWithAContextThatAnotherClientHasThere() {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(Threading.INVOKER, 3))) {
            job.node(1).openClient(SHARE);
            final Context last = job.node(0).client().context(2);

            assertThatThrownBy(() -> last.barrier(InProcessJob.deadline()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("context 2 of rank 1 belongs to another client");
        }
    }
}
