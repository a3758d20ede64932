package org.segno.multisend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.context.Client;
import org.segno.memory.Window;
import org.segno.multisend.ManyToMany.Places;
import org.segno.multisend.ManyToMany.Sides;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/** Exchanges that are opened, closed and opened again, without a barrier in between. */
@Timeout(120)
@OverMemoryAndLinks
class ManyToManyOpeningTest {
    @TempDir
    Path directory;

    private static NodeConfig config() {
        return NodeConfig.defaults()
                .withThreading(NodeConfig.Threading.INVOKER)
                .withWindowBytes(1 << 18)
                .withFifoSlots(16)
                .withPatternBufferBytes(1 << 16);
    }

    /** Opens an exchange of one piece of 8 bytes from each rank to each, itself included. */
    private static ManyToMany open(Client client, int connection, int size, Window window, long deadlineNs) {
        final Pieces sent = new Pieces();
        final Pieces received = new Pieces();
        for (int rank = 0; rank < size; rank++) {
            sent.add(rank, 0, 8);
            received.add(rank, 8L * rank, 8);
        }
        final Places places = new Places(window, 8, 8 + 8L * size, 8L * size);
        return ManyToMany.open(
                client, client.context(), connection, new Sides(window, sent, places, received), deadlineNs);
    }

    @ParameterizedTest
    @CsvSource({"16, 3", "1, 16"})
    void shouldKeepNoWindowWhenCountersAreMissing(int injections, int receptions) {
        try (InProcessJob job =
                InProcessJob.join(directory, 1, config().withWindows(8).withCounters(injections, receptions))) {
            final Client client = job.node(0).client();
            final Window window = client.window(64);
            if (injections == 1) {
                client.injectionCounter();
            }
            for (int times = 0; times < 100; times++) {
                assertThatThrownBy(() -> open(client, 0, 1, window, InProcessJob.deadline()))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining(" counters are in use");
                client.context().advance();
            }
            client.close(client.window(64));
        }
    }

    @Test
    void shouldKeepOpeningsUnderOneConnectionApartWithoutABarrier() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, 3, config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Window window = client.window(64);
                for (int times = 1; times <= 100; times++) {
                    final ManyToMany exchange = open(client, 0, 3, window, InProcessJob.deadline());
                    for (int round = 1; round <= times % 4; round++) {
                        final long value = times * 100L + round;
                        window.buffer().putLong(0, value);
                        assertThat(exchange.start()).isEqualTo(round);
                        exchange.await(InProcessJob.deadline());
                        for (int from = 0; from < 3; from++) {
                            assertThat(window.buffer().getLong((int) exchange.landingOffset(round) + 8 * from))
                                    .as("opening %d, round %d from %d at %d", times, round, from, rank)
                                    .isEqualTo(value);
                        }
                    }
                    exchange.close();
                }
                client.context().barrier(InProcessJob.deadline());
            });
        }
    }

    @Test
    void shouldDelayNoOtherRankWhereItIsClosedAsSoonAsItIsOpen() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, 2, config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                for (int connection = 1; connection <= 200; connection++) {
                    final Window window = client.window(64);
                    open(client, connection, 2, window, InProcessJob.deadline()).close();
                    client.close(window);
                }
                client.context().barrier(InProcessJob.deadline());
            });
        }
    }

    @Test
    void shouldOpenWithARankThatHasGivenUpAndBegunAgain() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, 3, config())) {
            final CountDownLatch waits = new CountDownLatch(1);
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Window window = client.window(64);
                // Rank 0 gives up twice, because rank 2 has not opened yet, while rank 1 has found it.
                for (int times = 0; times < 2 && rank == 0; times++) {
                    assertThatThrownBy(() -> open(client, 1, 3, window, Deadline.in(50, TimeUnit.MILLISECONDS)))
                            .isInstanceOf(DeadlineException.class)
                            .hasMessageContaining("rank 2");
                }
                if (rank == 0) {
                    waits.countDown();
                }
                while (rank == 2 && waits.getCount() != 0) {
                    client.context().advance();
                }
                final ManyToMany exchange = open(client, 1, 3, window, InProcessJob.deadline());
                window.buffer().putLong(0, 7 + rank);
                assertThat(exchange.start()).isEqualTo(1);
                exchange.await(InProcessJob.deadline());
                for (int from = 0; from < 3; from++) {
                    assertThat(window.buffer().getLong((int) exchange.landingOffset(1) + 8 * from))
                            .isEqualTo(7 + from);
                }
                client.context().barrier(InProcessJob.deadline());
            });
        }
    }

    @Test
    void shouldNameRanksThatHaveNotOpenedAndRanksStillInAnOpeningThatIsClosedHere() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, 2, config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Window window = client.window(64);
                final ManyToMany exchange = open(client, 1, 2, window, InProcessJob.deadline());
                if (rank == 0) {
                    exchange.close();
                    assertThatThrownBy(() -> open(client, 1, 2, window, Deadline.in(50, TimeUnit.MILLISECONDS)))
                            .isInstanceOf(DeadlineException.class)
                            .hasMessageContaining("rank 1 ")
                            .hasMessageContaining("many-to-many.1");
                }
                client.context().barrier(InProcessJob.deadline());
                final Pieces sent = new Pieces().add(rank, 0, 8);
                final Pieces received = rank == 0 ? new Pieces().add(0, 0, 8).add(1, 8, 8) : new Pieces().add(1, 0, 8);
                final Places places = new Places(window, 8, 24, 16);
                final Sides sides = new Sides(window, sent, places, received);
                if (rank == 0) {
                    assertThatThrownBy(() -> ManyToMany.open(
                                    client, client.context(), 2, sides, Deadline.in(50, TimeUnit.MILLISECONDS)))
                            .isInstanceOf(DeadlineException.class)
                            .hasMessageContaining("ranks [1]")
                            .hasMessageContaining("many-to-many.2");
                }
                client.context().barrier(InProcessJob.deadline());
            });
        }
    }
}
