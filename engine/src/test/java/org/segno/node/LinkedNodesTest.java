package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.status.ClosedException;
import org.segno.status.SegnoException;

/** Nodes of one process that links join, in every threading mode. */
@Timeout(120)
class LinkedNodesTest {
    private static final int SIZE = 3;
    private static final int ROUNDS = 200;

    @TempDir
    Path parent;

    private InProcessJob join(String modes, int contexts) {
        return InProcessJob.join(
                parent,
                SmallNodes.configs(SIZE, SmallNodes.modes(modes)).stream()
                        .map(config -> config.withTransport("process")
                                .withLaneBudgetBytes(1 << 20)
                                .withContexts(contexts))
                        .toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldExchangeRecordedRounds(String modes) throws Exception {
        try (InProcessJob job = join(modes, 1)) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = job.context(rank);
                final Window window = client.window(256);
                final ReceptionCounter in = client.receptionCounter(window, 0, 8L * SIZE);
                final InjectionCounter sent = client.injectionCounter();
                client.publish("in", in);
                final Target[] targets = new Target[SIZE];
                for (int peer = 0; peer < SIZE; peer++) {
                    targets[peer] = context.attach(peer, "in", InProcessJob.deadline());
                }
                for (int round = 1; round <= ROUNDS; round++) {
                    window.buffer().putLong(128, 1000L * rank + round);
                    in.expect(8L * (SIZE - 1));
                    for (int peer = 0; peer < SIZE; peer++) {
                        if (peer != rank) {
                            sent.expect(8);
                            context.put(targets[peer], 8L * rank, window, 128, 8, sent);
                        }
                    }
                    context.await(sent, InProcessJob.deadline());
                    context.await(in, InProcessJob.deadline());
                    for (int peer = 0; peer < SIZE; peer++) {
                        assertThat(window.buffer().getLong(8 * peer))
                                .isEqualTo(peer == rank ? 0 : 1000L * peer + round);
                    }
                    context.barrier(InProcessJob.deadline());
                }
                assertThat(job.node(rank).mappedRanks()).containsExactly(rank);
                assertThat(job.node(rank).peerState((rank + 1) % SIZE)).isEqualTo(Node.PeerState.RUNNING);
            });
        }
    }

    /** The thread of context 0 does not advance while context 1 receives what the peer's context 0 sends. */
    @Test
    void shouldReceiveForAContextWhileTheThreadOfAnotherDoesNotAdvance() throws Exception {
        try (InProcessJob job = join("INVOKER", 2)) {
            final AtomicInteger received = new AtomicInteger();
            final Context second = job.node(1).client().context(1);
            second.handler(
                    7, (origin, buffer, metadata, metadataLength, payload, length) -> received.incrementAndGet());
            final Context sender = job.context(0);
            final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
            final long endpoint = Endpoint.of(1, 0, 1, 1, 0);
            int sent = 0;
            while (received.get() < 1000) {
                if (sent < 1000 && sender.sendImmediate(endpoint, 7, bytes, 0, 8) >= 0) {
                    sent++;
                }
                sender.advance();
                second.advance();
            }
            assertThat(received).hasValue(1000);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    void shouldFindTheContextsOfAClientInEachOfItsUses(String modes) throws Exception {
        try (InProcessJob job = join(modes, 3)) {
            job.onThreads(rank -> {
                for (int use = 0; use < 4; use++) {
                    final int number = use;
                    final List<Integer> noted = new ArrayList<>();
                    final Client client =
                            job.node(rank).openClient(ClientConfig.named("part").withCounters(4, 4));
                    final Context context = client.context();
                    context.handler(
                            7,
                            (origin, buffer, metadata, metadataLength, payload, length) ->
                                    noted.add(buffer.getInt(payload)));
                    context.barrier(InProcessJob.deadline());
                    final UnsafeBuffer bytes = new UnsafeBuffer(new byte[4]);
                    bytes.putInt(0, number);
                    final int to = (rank + 1) % SIZE;
                    context.await(() -> context.sendImmediate(to, 7, bytes, 0, 4) >= 0, InProcessJob.deadline());
                    context.await(() -> !noted.isEmpty(), InProcessJob.deadline());
                    context.barrier(InProcessJob.deadline());
                    job.node(rank).client().await(client.close(), job.context(rank), InProcessJob.deadline());
                    assertThat(noted).containsExactly(number);
                    job.context(rank).barrier(InProcessJob.deadline());
                }
            });
        }
    }

    /** A context sends to a client that another context of the same client has found. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED"})
    void shouldKnowAClientInEveryContextOnceOneHasFoundIt(String modes) throws Exception {
        try (InProcessJob job = join(modes, 3)) {
            job.onThreads(rank -> {
                final Client client = job.node(rank)
                        .openClient(ClientConfig.named("part").withContexts(2).withCounters(4, 4));
                final AtomicInteger received = new AtomicInteger();
                for (int number = 0; number < 2; number++) {
                    client.context(number)
                            .handler(
                                    7,
                                    (origin, buffer, metadata, metadataLength, payload, length) ->
                                            received.incrementAndGet());
                }
                client.context(0).barrier(InProcessJob.deadline());
                final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
                final Context second = client.context(1);
                second.await(
                        () -> second.sendImmediate((rank + 1) % SIZE, 7, bytes, 0, 8) >= 0, InProcessJob.deadline());
                while (received.get() == 0 || !second.isDrained()) {
                    client.context(0).advance();
                    second.advance();
                }
                client.context(0).barrier(InProcessJob.deadline());
            });
        }
    }

    @Test
    void shouldEndTheBarrierOfAClientThatAPeerHasClosed() throws Exception {
        try (InProcessJob job = join("DEDICATED", 2)) {
            job.onThreads(rank -> {
                final Client client =
                        job.node(rank).openClient(ClientConfig.named("part").withCounters(4, 4));
                client.context().barrier(InProcessJob.deadline());
                if (rank == 0) {
                    client.close();
                } else {
                    assertThatThrownBy(() -> client.context().barrier(InProcessJob.deadline()))
                            .isInstanceOf(ClosedException.class)
                            .hasMessageContaining("rank 0 has closed client \"part\"");
                    client.close();
                }
                job.context(rank).barrier(InProcessJob.deadline());
            });
        }
    }

    @Test
    void shouldReceiveForAnApplicationThatComputes() {
        try (InProcessJob job = join("INVOKER", 2)) {
            final Client client = job.node(1).client();
            final Window window = client.window(64);
            final ReceptionCounter in = client.receptionCounter(window, 0, 64);
            client.publish("in", in);
            in.expect(8);

            // Only this context advances.
            final Context context = job.context(0);
            final Window source = job.node(0).client().window(64);
            source.buffer().putLong(0, 42);
            context.put(context.attach(1, "in", InProcessJob.deadline()), 0, source, 0, 8);
            context.fence(InProcessJob.deadline());

            assertThat(in.valueAcquire()).isZero();
            assertThat(window.buffer().getLong(0)).isEqualTo(42);
        }
    }

    /** The closes over both transports take their time limit together. */
    @Test
    @Tag("long")
    void shouldEndACloseWithinItsLimitAndNameWhatItHasNotSent() {
        final List<String> logged = Collections.synchronizedList(new ArrayList<>());
        final Logger logger = Logger.getLogger(Node.class.getName());
        logger.setFilter(entry -> !logged.add(entry.getMessage()));
        Stream.of(NodeFiles.MAPPED, ProcessLinks.NAME).parallel().forEach(this::closeWhileThePeerDoesNotAdvance);
        logger.setFilter(null);

        assertThat(logged)
                .filteredOn(text -> text.startsWith("rank 0 closes after 5 s"))
                .hasSize(2)
                .allMatch(text -> text.contains("its remaining descriptors are lost; context 0; the next descriptor of"
                        + " the context's own FIFO is a SEND for context 0 of rank 1"));
    }

    private void closeWhileThePeerDoesNotAdvance(String transport) {
        final Path directory = parent.resolve(transport);
        assertThat(directory.toFile().mkdir()).isTrue();
        final List<NodeConfig> configs = SmallNodes.configs(2, SmallNodes.modes("INVOKER")).stream()
                .map(config -> config.withTransport(transport))
                .toList();
        try (InProcessJob job = InProcessJob.join(directory, configs)) {
            final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
            InProcessJob.fill(job.context(0), () -> job.context(0).sendImmediate(1, 7, bytes, 0, 32));
            final long beginNs = System.nanoTime();
            job.node(0).close();
            assertThat(System.nanoTime() - beginNs).isLessThan(TimeUnit.SECONDS.toNanos(20));
        }
    }

    @Test
    void shouldNameTheTransportsThatReachNoPeer() {
        final List<NodeConfig> configs = new ArrayList<>(SmallNodes.configs(2, SmallNodes.modes("INVOKER")));
        configs.set(1, configs.get(1).withTransport("process"));

        assertThatThrownBy(() -> InProcessJob.join(parent, configs))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("uses the transport")
                .hasMessageContaining("set the same NodeConfig.withTransport for all ranks");
        assertThatThrownBy(() -> InProcessJob.join(
                        parent,
                        configs.stream()
                                .map(config -> config.withTransport("carrier-pigeon"))
                                .toList()))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("no transport \"carrier-pigeon\" is on the class path")
                .hasMessageContaining("SEGNO_TRANSPORT");
        assertThatThrownBy(() -> NodeConfig.defaults().withTransport("Shared Memory"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'Shared Memory'");
    }

    @Test
    void shouldSendTheLongestMessage() {
        try (InProcessJob job = InProcessJob.join(
                parent,
                2,
                NodeConfig.defaults()
                        .withThreading(NodeConfig.Threading.INVOKER)
                        .withTransport("process")
                        .withWindowBytes(1 << 17))) {
            final Client client = job.node(0).client();
            final Window window = client.window(1 << 17);
            final Message message = new Message().to(1, 7);
            final long longest = job.context(0).longestFor(message);
            window.putByte(longest - 1, (byte) 5);
            final List<Integer> received = new ArrayList<>();
            job.context(1).handler(7, (origin, buffer, metadata, metadataLength, payload, length) -> {
                received.add(length);
                received.add((int) buffer.getByte(payload + length - 1));
            });
            final InjectionCounter sent = client.injectionCounter();
            sent.expect(longest);
            assertThat(job.context(0).send(message.payload(window, 0, longest).completes(sent)))
                    .isNotNegative();
            job.settle();
            assertThat(received).containsExactly((int) longest, 5);
            assertThat(sent.valueAcquire()).isZero();
            assertThat(sent.errorAcquire()).isZero();
        }
    }
}
