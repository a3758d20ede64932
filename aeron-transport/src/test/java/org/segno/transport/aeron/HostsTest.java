package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.collective.Call;
import org.segno.collective.Collective;
import org.segno.collective.Geometry;
import org.segno.collective.Reduction;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.message.Messenger;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;

/** Nodes of two hosts: memory joins those of a host, and links over Aeron those of different hosts. */
@Timeout(240)
class HostsTest {
    private static final int SIZE = TwoHosts.SIZE;
    private static final int ROUNDS = 50;

    /** Lengths of messages: immediate, short, of several datagrams, and such that are fetched by their receiver. */
    private static final int[] LENGTHS = {0, 1, 31, 64, 1_000, 5_000, 20_000, 100_000, 1_000_000};

    private static final int TOTAL = 1_126_096;

    @TempDir
    Path first;

    @TempDir
    Path second;

    @AfterEach
    void leaveNothingBehind() {
        assertThat(first).isEmptyDirectory();
        assertThat(second).isEmptyDirectory();
    }

    private static NodeConfig config() {
        return NodeConfig.defaults().withWindowBytes(1 << 16).withThreading(Threading.INVOKER);
    }

    @ParameterizedTest
    @EnumSource
    void shouldExchangeRecordedRoundsWithinAndBetweenHosts(Threading threading) throws Exception {
        try (TwoHosts job = new TwoHosts(first, second, config().withThreading(threading))) {
            job.onThreads(HostsTest::exchange);
        }
    }

    @Test
    void shouldUseLinksAloneIfTheyAreTheOnlyTransport() throws Exception {
        try (TwoHosts job = new TwoHosts(first, second, config().withTransport("aeron"))) {
            assertThat(job.node(3).mappedRanks()).containsExactly(3);
            job.onThreads(HostsTest::exchange);
        }
    }

    @Test
    void shouldMapTheMemoryOfTheRanksOfAHostAlone() throws Exception {
        try (TwoHosts job = new TwoHosts(first, second, config())) {
            assertThat(job.node(0).mappedRanks()).containsExactly(0, 1);
            assertThat(job.node(3).mappedRanks()).containsExactly(2, 3);
            assertThat(job.node(3).localRank()).isEqualTo(1);
        }
    }

    @Test
    void shouldPassCollectivesThroughOneRankOfEachHost() throws Exception {
        try (TwoHosts job = new TwoHosts(first, second, config().withWindowBytes(1 << 18))) {
            job.onThreads(HostsTest::combine);
        }
    }

    private static void combine(Node node) {
        final Client client = node.client();
        final Geometry world = Geometry.world(client, client.context(), "all", TwoHosts.deadline());
        final Geometry crossed = Objects.requireNonNull(world.split(0, -node.rank(), TwoHosts.deadline()));
        final Reduction sum = Reduction.of(ElementType.LONG, Operator.SUM);
        for (final Geometry geometry : List.of(world, crossed)) {
            final Collective total = geometry.prepare(Call.allreduce(Long.BYTES, sum), TwoHosts.deadline());
            final Collective told = geometry.prepare(Call.broadcast(1, 100_000), TwoHosts.deadline());
            assertThat(List.of(total.algorithm(), told.algorithm())).containsOnly("hosts");
            for (int round = 1; round <= ROUNDS; round++) {
                total.input().putLong(0, (long) round << (8 * node.rank()));
                total.run(TwoHosts.deadline());
                assertThat(total.output().getLong(0)).isEqualTo(round * 0x01010101L);
                final AtomicBuffer bytes = geometry.self() == 1 ? told.input() : told.output();
                bytes.putLong(99_992, geometry.self() == 1 ? round : -1);
                told.run(TwoHosts.deadline());
                assertThat(bytes.getLong(99_992)).isEqualTo(round);
                geometry.barrier(TwoHosts.deadline());
            }
            assertThat(geometry.algorithms(Call.barrier())).startsWith("hosts");
            total.close();
            told.close();
        }
        crossed.close();
        world.close();
    }

    @Test
    void shouldNameTheMembersOfBothHostsThatHaveNotStarted() throws Exception {
        final CountDownLatch late = new CountDownLatch(2);
        try (TwoHosts job = new TwoHosts(first, second, config().withWindowBytes(1 << 18))) {
            job.onThreads(node -> {
                final Client client = node.client();
                final Geometry world = Geometry.world(client, client.context(), "all", TwoHosts.deadline());
                final Collective barrier = world.prepare(Call.barrier().by("dissemination"), TwoHosts.deadline());
                barrier.run(TwoHosts.deadline());
                // Members 1 and 3 make no pass until the others have learnt that they are late.
                if (node.rank() % 2 == 1) {
                    assertThat(late.await(60, TimeUnit.SECONDS)).isTrue();
                    barrier.run(TwoHosts.deadline());
                } else {
                    assertThat(barrier.start()).isEqualTo(2);
                    assertThatThrownBy(() -> barrier.await(Deadline.in(200, TimeUnit.MILLISECONDS)))
                            .isInstanceOf(DeadlineException.class)
                            .hasMessageEndingWith("; member 1 (rank 1) has started 1 of 2 rounds here,"
                                    + " member 3 (rank 3) has started 1 of 2 rounds here");
                    late.countDown();
                    barrier.await(TwoHosts.deadline());
                }
                world.close();
            });
        }
    }

    private static void exchange(Node node) throws Exception {
        final int rank = node.rank();
        final Client client = node.client();
        final Context context = client.context();
        final Window window = client.window(256);
        final ReceptionCounter in = client.receptionCounter(window, 0, 8L * SIZE);
        client.publish("in", in);
        final Target[] targets = new Target[SIZE];
        for (int peer = 0; peer < SIZE; peer++) {
            targets[peer] = context.attach(peer, "in", TwoHosts.deadline());
        }
        // Every rank has found every counter before a round begins.
        context.barrier(TwoHosts.deadline());
        window.buffer().putLong(128, 1000L * rank + 1);
        final Pattern all = context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
            context.expect(in, 8L * (SIZE - 1));
            for (int peer = 0; peer < SIZE; peer++) {
                if (peer != rank) {
                    context.put(targets[peer], 8L * rank, window, 128, 8);
                }
            }
        });
        for (int round = 1; round <= ROUNDS; round++) {
            context.await(all, round, TwoHosts.deadline());
            for (int peer = 0; peer < SIZE; peer++) {
                assertThat(window.buffer().getLong(8 * peer)).isEqualTo(peer == rank ? 0 : 1000L * peer + round);
            }
            context.barrier(TwoHosts.deadline());
            window.buffer().putLong(128, 1000L * rank + round + 1);
            if (round < ROUNDS) {
                assertThat(context.replay(all)).isEqualTo(round + 1);
            }
        }
    }

    @Test
    void shouldDeliverMessagesOfEveryLengthBetweenHostsAndAnswerThem() throws Exception {
        try (TwoHosts job = new TwoHosts(first, second, config().withWindowBytes(4 << 20))) {
            job.onThreads(HostsTest::converse);
        }
    }

    /** Each rank sends to the next one, which is on the other host for two of them. */
    private static void converse(Node node) {
        final Client client = node.client();
        final Context context = client.context();
        final Messenger messenger = Messenger.open(client, context);
        final Window landed = client.window(TOTAL);
        final AtomicInteger received = new AtomicInteger();
        messenger.handler(1, message -> {
            final long length = message.length();
            final int offset = offsetOf(length);
            if (message.isLong()) {
                return message.into(landed, offset, failure -> {
                    assertThat(failure).isNull();
                    received.incrementAndGet();
                });
            }
            landed.buffer().putBytes(offset, message.buffer(), message.payloadOffset(), (int) length);
            received.incrementAndGet();
            return 1;
        });
        final Window source = client.window(TOTAL);
        for (int i = 0; i < TOTAL; i++) {
            source.buffer().putByte(i, (byte) (i * 31 + i / 256));
        }
        context.barrier(TwoHosts.deadline());
        final long next = client.endpoint((node.rank() + 1) % SIZE, 0, TwoHosts.deadline());
        for (final int length : LENGTHS) {
            final Message message = new Message().to(next, 1).payload(source, offsetOf(length), length);
            context.await(() -> messenger.send(message) >= 0, TwoHosts.deadline());
        }
        context.await(() -> received.get() == LENGTHS.length, TwoHosts.deadline());
        context.barrier(TwoHosts.deadline());
        for (int i = 0; i < TOTAL; i++) {
            assertThat(landed.buffer().getByte(i)).isEqualTo(source.buffer().getByte(i));
        }
    }

    private static int offsetOf(long length) {
        int offset = 0;
        for (final int one : LENGTHS) {
            if (one == length) {
                return offset;
            }
            offset += one;
        }
        throw new AssertionError("no message has " + length + " bytes");
    }

    @Test
    void shouldEndWaitsForARankOfALostHostByItsName() throws Exception {
        final CountDownLatch inBarrier = new CountDownLatch(SIZE);
        try (TwoHosts job = new TwoHosts(first, second, config())) {
            job.onThreads(node -> {
                final Client client = node.client();
                final ReceptionCounter in = client.receptionCounter(client.window(64), 0, 64);
                client.publish("in", in);
                client.context().attach((node.rank() + 2) % SIZE, "in", TwoHosts.deadline());
                client.context().barrier(TwoHosts.deadline());
                // Until then each rank serves the others, whose barrier waits for its engine.
                inBarrier.countDown();
                client.context().await(() -> inBarrier.getCount() == 0, TwoHosts.deadline());
                if (node.rank() == 2) {
                    job.loseSecondHost();
                } else if (node.rank() == 0) {
                    in.expect(8);
                    assertThatThrownBy(() -> client.context().await(in, TwoHosts.deadline()))
                            .isInstanceOf(PeerFailedException.class)
                            .hasMessageMatching(".*rank [23].*");
                }
            });
        }
    }
}
