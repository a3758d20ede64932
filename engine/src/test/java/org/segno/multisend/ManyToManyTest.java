package org.segno.multisend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.Window;
import org.segno.multisend.ManyToMany.Places;
import org.segno.multisend.ManyToMany.Sides;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.Status;

@OverMemoryAndLinks
class ManyToManyTest {
    private static final int BYTES = 24;

    @TempDir
    Path directory;

    /** Rank that exchanges pieces of its own values with all ranks, itself included. */
    private static final class Side {
        private final Client client;
        private final int self;
        private final int size;
        private final int pieces;
        private final long half;
        private final Window source;
        private final Window target;
        private final ManyToMany exchange;

        Side(Client client, int size, int pieces) {
            this.client = client;
            this.self = client.context().rank();
            this.size = size;
            this.pieces = pieces;
            this.half = (long) size * pieces * BYTES;
            this.source = client.window(half);
            this.target = client.window(2 * half);
            final Pieces sent = new Pieces();
            final Pieces received = new Pieces();
            for (int piece = 0; piece < pieces; piece++) {
                for (int rank = 0; rank < size; rank++) {
                    // The last piece between two ranks is empty.
                    final int length = piece == pieces - 1 ? 0 : BYTES;
                    sent.add(rank, offset(rank, piece), length);
                    received.add(rank, half - offset(rank, piece) - BYTES, length);
                }
            }
            exchange = ManyToMany.open(
                    client,
                    client.context(),
                    7,
                    new Sides(source, sent, new Places(target, 0, half, half), received),
                    InProcessJob.deadline());
        }

        private long offset(int rank, int piece) {
            return ((long) rank * pieces + piece) * BYTES;
        }

        private static long value(int from, int to, int piece, long round) {
            return from * 1_000_000_007L + to * 10_007L + piece * 101L + round * 1_000_003L;
        }

        void fill(long round) {
            for (int rank = 0; rank < size; rank++) {
                for (int piece = 0; piece < pieces; piece++) {
                    for (int at = 0; at < BYTES; at += Long.BYTES) {
                        source.buffer().putLong((int) offset(rank, piece) + at, value(self, rank, piece, round) + at);
                    }
                }
            }
        }

        long start() {
            long status = exchange.start();
            while (status == Status.BACK_PRESSURED) {
                client.context().advance();
                status = exchange.start();
            }
            return status;
        }

        void check(long round) {
            final long base = exchange.landingOffset(round);
            for (int rank = 0; rank < size; rank++) {
                for (int piece = 0; piece < pieces - 1; piece++) {
                    for (int at = 0; at < BYTES; at += Long.BYTES) {
                        assertThat(target.buffer().getLong((int) (base + half - offset(rank, piece) - BYTES) + at))
                                .as("round %d at rank %d, piece %d of rank %d", round, self, piece, rank)
                                .isEqualTo(value(rank, self, piece, round) + at);
                    }
                }
            }
        }
    }

    private static NodeConfig config() {
        return NodeConfig.defaults()
                .withThreading(NodeConfig.Threading.INVOKER)
                .withWindowBytes(1 << 18)
                .withFifoSlots(16)
                .withPatternBufferBytes(1 << 16);
    }

    @ParameterizedTest
    @CsvSource({"3, 4", "2, 100", "1, 2"})
    void shouldDeliverEveryPieceInEveryRound(int size, int pieces) throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, size, config())) {
            job.onThreads(rank -> {
                final Side side = new Side(job.node(rank).client(), size, pieces);
                for (long round = 1; round <= 300; round++) {
                    side.fill(round);
                    assertThat(side.start()).isEqualTo(round);
                    side.exchange.await(InProcessJob.deadline());
                    side.check(round);
                }
                side.client.context().barrier(InProcessJob.deadline());
            });
        }
    }

    @Test
    void shouldReturnBusyWhileTheLastRoundIsNotComplete() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, 2, config())) {
            final Side[] sides = new Side[2];
            job.onThreads(rank -> {
                sides[rank] = new Side(job.node(rank).client(), 2, 3);
                if (rank == 0) {
                    assertThat(sides[0].exchange.start()).isEqualTo(1);
                    assertThat(sides[0].exchange.start()).isEqualTo(Status.BUSY);
                }
                job.context(rank).barrier(InProcessJob.deadline());
                if (rank == 1) {
                    assertThat(sides[1].exchange.start()).isEqualTo(1);
                }
                sides[rank].exchange.await(InProcessJob.deadline());
                job.context(rank).barrier(InProcessJob.deadline());
            });
        }
    }

    @ParameterizedTest
    @EnumSource(NodeConfig.Threading.class)
    void shouldDistinguishExchangesByTheirConnection(NodeConfig.Threading threading) throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, 2, config().withThreading(threading))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Window window = client.window(64);
                final ManyToMany[] exchanges = new ManyToMany[2];
                for (int i = 0; i < 2; i++) {
                    final Pieces sent = new Pieces().add(1 - rank, 8L * i, 8);
                    final Pieces received = new Pieces().add(1 - rank, 0, 8);
                    exchanges[i] = ManyToMany.open(
                            client,
                            client.context(),
                            i,
                            new Sides(window, sent, new Places(window, 16 + 16L * i, 24 + 16L * i, 8), received),
                            InProcessJob.deadline());
                    window.buffer().putLong(8 * i, 100 * rank + i);
                }
                for (final int i : new int[] {rank, 1 - rank}) {
                    assertThat(exchanges[i].start()).isEqualTo(1);
                }
                for (int i = 0; i < 2; i++) {
                    exchanges[i].await(InProcessJob.deadline());
                    assertThat(window.buffer().getLong((int) exchanges[i].landingOffset(1)))
                            .isEqualTo(100 * (1 - rank) + i);
                }
                client.context().barrier(InProcessJob.deadline());
            });
        }
    }

    @Test
    void shouldReopenAClosedConnection() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, 2, config())) {
            job.onThreads(rank -> {
                for (int times = 0; times < 3; times++) {
                    final Side side = new Side(job.node(rank).client(), 2, 3);
                    side.fill(1);
                    assertThat(side.start()).isEqualTo(1);
                    side.exchange.await(InProcessJob.deadline());
                    side.check(1);
                    job.context(rank).barrier(InProcessJob.deadline());
                    side.exchange.close();
                    job.context(rank).barrier(InProcessJob.deadline());
                }
            });
        }
    }

    @Test
    void shouldEndARoundInProgressAfterItsCloseAndThenReleaseItsCounters() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, 2, config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = job.context(rank);
                final long free = ContextAccess.freePairs(client);
                for (int times = 0; times < 3; times++) {
                    final Side side = new Side(client, 2, 3);
                    for (long round = 1; round <= times; round++) {
                        side.fill(round);
                        assertThat(side.start()).isEqualTo(round);
                        side.exchange.await(InProcessJob.deadline());
                        side.check(round);
                    }
                    final long last = times + 1L;
                    side.fill(last);
                    if (rank == 0) {
                        assertThat(side.start()).isEqualTo(last);
                        side.exchange.close();
                    }
                    context.barrier(InProcessJob.deadline());
                    if (rank == 1) {
                        assertThat(side.start()).isEqualTo(last);
                        side.exchange.await(InProcessJob.deadline());
                        side.check(last);
                        side.exchange.close();
                    }
                }
                context.await(() -> ContextAccess.freePairs(client) == free, InProcessJob.deadline());
                // The other rank waits for the quiet of this one's engine, too.
                context.barrier(InProcessJob.deadline());
            });
        }
    }

    @Test
    void shouldBeClosedAfterItsNode() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, 2, config())) {
            final Side[] sides = new Side[2];
            job.onThreads(rank -> {
                sides[rank] = new Side(job.node(rank).client(), 2, 3);
                if (rank == 0) {
                    sides[0].start();
                }
            });
            job.node(0).close();
            job.node(1).close();

            for (final Side side : sides) {
                side.exchange.close();
                side.exchange.close();
                assertThatThrownBy(side.exchange::start).hasMessageContaining("is closed");
            }
        }
    }

    @Test
    void shouldReportHowTwoSidesDiffer() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, 2, config())) {
            assertThatThrownBy(() -> job.onThreads(rank -> {
                        final Client client = job.node(rank).client();
                        final Window window = client.window(64);
                        final Pieces sent = new Pieces().add(1 - rank, 0, rank == 0 ? 8 : 16);
                        final Pieces received = new Pieces().add(1 - rank, 0, 8);
                        ManyToMany.open(
                                client,
                                client.context(),
                                1,
                                new Sides(window, sent, new Places(window, 16, 32, 16), received),
                                InProcessJob.deadline());
                        client.context().barrier(InProcessJob.deadline());
                    }))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("piece 0")
                    .hasMessageContaining("has 8 bytes there and 16 here");
        }
    }

    @Test
    void shouldReleaseEverythingWhenItCannotBeOpened() {
        try (InProcessJob job = InProcessJob.join(directory, 1, config().withCounters(4, 8))) {
            final Client client = job.node(0).client();
            final Window window = client.window(64);
            final Places places = new Places(window, 16, 32, 16);
            final Pieces eight = new Pieces().add(0, 0, 8);
            for (int times = 0; times < 20; times++) {
                assertThatThrownBy(() -> ManyToMany.open(
                                client,
                                client.context(),
                                1,
                                new Sides(window, new Pieces().add(0, 0, 16), places, eight),
                                InProcessJob.deadline()))
                        .hasMessageContaining("has 8 bytes there and 16 here");
                job.settle();
            }
            assertThatThrownBy(() -> ManyToMany.open(
                            client,
                            client.context(),
                            1,
                            new Sides(window, new Pieces().add(1, 0, 8), places, new Pieces().add(1, 0, 8)),
                            InProcessJob.deadline()))
                    .hasMessageContaining("pieces must go to ranks 0 to 0");
            assertThatThrownBy(() -> ManyToMany.open(
                            client,
                            client.context(),
                            1,
                            new Sides(
                                    window,
                                    eight,
                                    places,
                                    new Pieces().add(0, 0, 8).add(5, 8, 8)),
                            InProcessJob.deadline()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("pieces must come from ranks 0 to 0: ranks=[0, 5]");
            final ManyToMany exchange = ManyToMany.open(
                    client, client.context(), 1, new Sides(window, eight, places, eight), InProcessJob.deadline());
            assertThat(exchange.start()).isEqualTo(1);
            exchange.await(InProcessJob.deadline());
            exchange.close();
            exchange.close();
            assertThatThrownBy(exchange::start).hasMessageContaining("is closed");
            job.settle();
            client.close(window);
        }
    }

    @Test
    void shouldRejectAReceiverThatSendsNothing() {
        try (InProcessJob job = InProcessJob.join(directory, 1, config())) {
            final Window window = job.node(0).client().window(64);
            final Places places = new Places(window, 16, 32, 8);
            assertThatThrownBy(() -> new Sides(window, new Pieces().add(0, 0, 8), places, new Pieces()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("receive a piece of no bytes");
            assertThatThrownBy(() -> new Sides(window, new Pieces().add(0, 60, 8), places, new Pieces()))
                    .hasMessageContaining("sent piece 0");
            assertThatThrownBy(() -> new Sides(window, new Pieces(), places, new Pieces().add(0, 4, 8)))
                    .hasMessageContaining("received piece 0 ends at 12");
        }
    }
}
