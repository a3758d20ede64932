package org.segno.multisend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.work.WorkQueue;
import org.segno.memory.Window;
import org.segno.multisend.ManyToMany.Places;
import org.segno.multisend.ManyToMany.Sides;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;

/** Call-backs of multisends at the end of their rounds. */
@Timeout(60)
class RoundCompletionTest {
    private static final int ID = 5;

    private final List<@Nullable SegnoException> ends = new ArrayList<>();

    @TempDir
    Path parent;

    private InProcessJob join(Threading threading) {
        return InProcessJob.join(
                parent,
                2,
                NodeConfig.defaults()
                        .withThreading(threading)
                        .withFifoSlots(64)
                        .withPatterns(16)
                        .withCounters(32, 32)
                        .withWindowBytes(1 << 16));
    }

    private void awaitEnds(InProcessJob job, int count) {
        final long deadlineNs = InProcessJob.deadline();
        while (ends.size() < count && !Deadline.reached(deadlineNs)) {
            job.context(0).advance();
            job.context(1).advance();
        }
        assertThat(ends).hasSize(count);
    }

    private static Multicast multicast(InProcessJob job) {
        final Window window = job.node(0).client().window(64);
        final long there = job.node(0).client().endpoint(1, 0, InProcessJob.deadline());
        return new Multicast(job.context(0), ID, window, there, there).payload(window, 0, 8);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldReportEachRoundOfAMulticastOnceWithinAdvance(Threading threading) {
        try (InProcessJob job = join(threading)) {
            final long[] received = {0};
            job.context(1).handler(ID, (source, buffer, m, ml, p, pl) -> received[0]++);
            final Multicast multicast = multicast(job);
            // The call-back starts the next round.
            multicast.onComplete(failure -> {
                ends.add(failure);
                if (ends.size() < 5) {
                    assertThat(multicast.start()).isEqualTo(ends.size() + 1L);
                }
            });

            assertThat(multicast.start()).isEqualTo(1);
            assertThat(ends).as("only advance runs call-backs").isEmpty();
            awaitEnds(job, 5);
            for (int pass = 0; pass < 100; pass++) {
                job.context(0).advance();
                job.context(1).advance();
            }

            assertThat(ends).hasSize(5).containsOnlyNulls();
            assertThat(received[0]).isEqualTo(10);
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldStartNoRoundBeforeTheLastOneIsReported(Threading threading) {
        try (InProcessJob job = join(threading)) {
            job.context(1).handler(ID, (source, buffer, m, ml, p, pl) -> {});
            final Multicast multicast = multicast(job);
            multicast.onComplete(ends::add);
            int started = 0;
            final long deadlineNs = InProcessJob.deadline();
            while (started < 50 && !Deadline.reached(deadlineNs)) {
                // A round is complete before its call-back runs.
                multicast.await(deadlineNs);
                if (multicast.start() >= 0) {
                    started++;
                    assertThat(ends).as("reports before round %s", started).hasSize(started - 1);
                } else {
                    job.context(0).advance();
                }
                job.context(1).advance();
            }
            awaitEnds(job, 50);

            assertThat(ends).hasSize(50).containsOnlyNulls();
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldReportARoundBeforeTheWaitForItEnds(Threading threading) {
        try (InProcessJob job = join(threading)) {
            job.context(1).handler(ID, (source, buffer, m, ml, p, pl) -> {});
            final Multicast multicast = multicast(job);
            multicast.onComplete(ends::add);
            for (int round = 1; round <= 50; round++) {
                assertThat(multicast.start()).isEqualTo(round);
                multicast.await(InProcessJob.deadline());
                assertThat(ends).hasSize(round).containsOnlyNulls();
                job.context(1).advance();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldReportTheLastRoundOfAnExchangeThatIsClosed(boolean isComplete) {
        try (InProcessJob job = InProcessJob.join(
                parent,
                1,
                NodeConfig.defaults().withThreading(Threading.INVOKER).withWindowBytes(1 << 16))) {
            final Client client = job.node(0).client();
            final Context context = client.context();
            final Window window = client.window(1024);
            final Sides sides = new Sides(
                    window, new Pieces().add(0, 0, 8), new Places(window, 256, 512, 8), new Pieces().add(0, 0, 8));
            try (ManyToMany exchange = ManyToMany.open(client, context, 1, sides, InProcessJob.deadline())) {
                exchange.onComplete(ends::add);
                assertThat(exchange.start()).isEqualTo(1);
                while (isComplete && !exchange.isComplete()) {
                    context.advance();
                }
            }
            for (int pass = 0; pass < 100; pass++) {
                context.advance();
            }
            context.barrier(InProcessJob.deadline());
            assertThat(ends).containsExactly((SegnoException) null);
        }
    }

    @Test
    void shouldLeaveNoWorkBehindForRoundsThatAreAwaited() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            job.context(1).handler(ID, (source, buffer, m, ml, p, pl) -> {});
            final Multicast multicast = multicast(job);
            multicast.onComplete(ends::add);
            final boolean[] ran = {false};
            for (int round = 1; round <= 3 * WorkQueue.CAPACITY; round++) {
                assertThat(multicast.start()).isEqualTo(round);
                multicast.await(InProcessJob.deadline());
                job.context(1).advance();
            }
            job.context(0).post(() -> {
                ran[0] = true;
                return 0;
            });
            job.context(0).advance();

            assertThat(ran[0]).isTrue();
            assertThat(ends).hasSize(3 * WorkQueue.CAPACITY).containsOnlyNulls();
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldReportNothingForARoundThatDoesNotStart(Threading threading) {
        try (InProcessJob job = join(threading)) {
            final Multicast multicast = multicast(job);
            multicast.onComplete(ends::add);
            multicast.start();
            awaitEnds(job, 1);
            die(job);

            assertThatThrownBy(multicast::start).isInstanceOf(PeerFailedException.class);
            assertThat(ends).containsOnlyNulls();
        }
    }

    @Test
    void shouldReportTheDeathOfATargetInARoundThatHasStarted() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Multicast multicast = multicast(job);
            multicast.onComplete(ends::add);
            // The engine runs only in advance, after the death.
            multicast.start();
            die(job);
            awaitEnds(job, 1);

            assertThat(ends.get(0)).isInstanceOf(PeerFailedException.class).hasMessageContaining("rank 1 has died");
        }
    }

    private static void die(InProcessJob job) {
        new PeerStates(job.node(0).memory()).change(1, PeerStates.DEAD);
    }

    private static ManyToMany exchange(InProcessJob job, int rank) {
        final Client client = job.node(rank).client();
        final Window window = client.window(256);
        final Pieces pieces = new Pieces().add(1 - rank, 0, 8);
        return ManyToMany.open(
                client,
                client.context(),
                1,
                new Sides(window, pieces, new Places(window, 64, 128, 8), pieces),
                InProcessJob.deadline());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldReportAnExchangeWhenItsPiecesHaveArrivedOrTheirRankHasDied(Threading threading) throws Exception {
        final int rounds = 20;
        try (InProcessJob job = join(threading)) {
            job.onThreads(rank -> {
                final List<@Nullable SegnoException> reports = new ArrayList<>();
                final ManyToMany exchange = exchange(job, rank);
                exchange.onComplete(reports::add);
                for (int round = 1; round <= rounds; round++) {
                    assertThat(exchange.start()).isEqualTo(round);
                    advanceUntil(job.context(rank), reports, round);
                    assertThat(exchange.isComplete()).isTrue();
                }
                assertThat(reports).hasSize(rounds).containsOnlyNulls();
                job.context(rank).barrier(InProcessJob.deadline());
                if (rank == 0) {
                    // The other rank does not start this round any more.
                    assertThat(exchange.start()).isEqualTo(rounds + 1L);
                    job.context(0).advance();
                    die(job);
                    advanceUntil(job.context(0), reports, rounds + 1);
                    assertThat(reports.get(rounds))
                            .isInstanceOf(PeerFailedException.class)
                            .hasMessageContaining("rank 1 has died");
                }
            });
        }
    }

    private static void advanceUntil(Context context, List<@Nullable SegnoException> reports, int count) {
        final long deadlineNs = InProcessJob.deadline();
        while (reports.size() < count && !Deadline.reached(deadlineNs)) {
            context.advance();
        }
        assertThat(reports).hasSize(count);
    }

    @Test
    void shouldReportNothingOnceItIsRemoved() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Multicast multicast = multicast(job);
            multicast.onComplete(ends::add);
            multicast.start();
            multicast.onComplete(null);
            // A call-back that is set during a round concerns later rounds only.
            multicast.onComplete(ends::add);
            for (int pass = 0; pass < 10; pass++) {
                job.context(0).advance();
            }
            assertThat(ends).isEmpty();

            multicast.onComplete(ends::add);
            multicast.start();
            awaitEnds(job, 1);
        }
    }
}
