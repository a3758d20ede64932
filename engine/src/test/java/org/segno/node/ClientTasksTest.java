package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.memory.PeerStates;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;

/** Clients in which only some ranks of the job take part. */
@Timeout(60)
@OverMemoryAndLinks
class ClientTasksTest {
    private static final ClientConfig PAIR =
            ClientConfig.named("pair").withCounters(2, 2).withTasks(2, 0);

    private static final ClientConfig PAIR_WITH_WINDOW =
            ClientConfig.named("pair").withCounters(2, 8).withTasks(2, 0).withWindowBytes(128);

    @TempDir
    Path parent;

    private InProcessJob join(Threading threading) {
        return InProcessJob.join(
                parent,
                3,
                SmallNodes.config(threading, 3)
                        .withContexts(2)
                        .withEngines(2)
                        .withCounters(16, 32)
                        .withLaneBudgetBytes(1 << 20));
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldEnterBarriersWithoutTheRanksThatNeverOpenTheClient(Threading threading) throws Exception {
        final int rounds = 100;
        final AtomicIntegerArray entered = new AtomicIntegerArray(3);
        try (InProcessJob job = join(threading)) {
            job.onThreads(rank -> {
                if (rank != 1) {
                    final Context context = job.node(rank).openClient(PAIR).context();
                    for (int round = 1; round <= rounds; round++) {
                        entered.set(rank, round);
                        context.barrier(InProcessJob.deadline());
                        assertThat(entered.get(2 - rank)).isGreaterThanOrEqualTo(round);
                    }
                }
                // All ranks take part in the node's own client.
                job.context(rank).barrier(InProcessJob.deadline());
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    @MappedOnly(value = MappedOnly.ONE_THREAD, threading = "INVOKER")
    void shouldNotFailABarrierForTheDeathOfAnotherRank(Threading threading) throws Exception {
        try (InProcessJob job = join(threading)) {
            job.onThreads(rank -> {
                if (rank != 1) {
                    new PeerStates(job.node(rank).memory()).change(1, PeerStates.DEAD);
                    final Context context = job.node(rank).openClient(PAIR).context();
                    if (rank == 2) {
                        // The other task is in its barrier, or enters it soon.
                        final long untilNs = Deadline.in(20, TimeUnit.MILLISECONDS);
                        while (!Deadline.reached(untilNs)) {
                            context.advance();
                        }
                    }
                    context.barrier(InProcessJob.deadline());
                    assertThatThrownBy(() -> job.context(rank).barrier(InProcessJob.deadline()))
                            .isInstanceOf(PeerFailedException.class);
                }
            });
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldFailABarrierForTheDeathOfATask() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Context context = job.node(0).openClient(PAIR).context();
            job.node(2).openClient(PAIR);
            assertThatThrownBy(() -> context.barrier(Deadline.in(5, TimeUnit.MILLISECONDS)))
                    .isInstanceOf(DeadlineException.class)
                    .hasMessageContaining("misses 1 of 1 other ranks")
                    .hasMessageContaining("the tasks [0, 2] of client \"pair\"");
            new PeerStates(job.node(0).memory()).change(2, PeerStates.DEAD);

            assertThatThrownBy(() -> context.barrier(InProcessJob.deadline()))
                    .isInstanceOf(PeerFailedException.class)
                    .hasMessageContaining("rank 2 has died");
        }
    }

    @Test
    void shouldRefuseCountersThatAdmitARankWhichIsNoTask() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Client pair = job.node(0).openClient(PAIR_WITH_WINDOW);
            final Window window = pair.window(64);
            final ReceptionCounter counter = pair.receptionCounter(window, 0, 8, 2);
            counter.disable();
            final CounterPair.Sets sets = new CounterPair.Sets(0, 8, 8);
            final List<ThrowingCallable> calls = List.of(
                    () -> pair.receptionCounter(window, 0, 8, 1),
                    () -> pair.receptionCounter(window, 0, 8, new int[] {0, 1}),
                    () -> pair.counterPair(window, 0, 8, 8, 1),
                    () -> pair.counterPair(window, 0, 8, 8, new int[] {2, 1}),
                    () -> pair.enable(counter, window, 0, 8, 1),
                    () -> pair.enable(counter, window, 0, 8, new int[] {1}));
            for (final ThrowingCallable call : calls) {
                assertThatThrownBy(call)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("rank 1 is not a task of client \"pair\", so its counters cannot admit it:"
                                + " sources=1 tasks=[0, 2]; name the rank in ClientConfig.withTasks at every task, or"
                                + " make the counter with a client in which the rank takes part");
            }
            final CounterPair alternating = pair.counterPair(window, 0, 8, 8, new int[] {0, 2});
            alternating.disable();
            assertThatThrownBy(() -> pair.enable(alternating, window, sets, 1)).hasMessageContaining("sources=1");
            pair.close(alternating);
            pair.close(counter);
            assertThat(pair.tasks()).containsExactly(0, 2);
        }
    }

    @Test
    void shouldNotFailAWaitAtACounterForAnyTaskWhenAnotherRankDies() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Client pair = job.node(0).openClient(PAIR_WITH_WINDOW);
            final ReceptionCounter counter = pair.receptionCounter(pair.window(64), 0, 8);
            counter.expect(8);
            new PeerStates(job.node(0).memory()).change(1, PeerStates.DEAD);
            assertThatThrownBy(() -> pair.context().await(counter, Deadline.in(5, TimeUnit.MILLISECONDS)))
                    .isInstanceOf(DeadlineException.class);
            new PeerStates(job.node(0).memory()).change(2, PeerStates.DEAD);
            assertThatThrownBy(() -> pair.context().await(counter, InProcessJob.deadline()))
                    .isInstanceOf(PeerFailedException.class)
                    .hasMessageContaining("rank 2");
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldListTheTasks() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            assertThat(job.node(1).client().tasks()).containsExactly(0, 1, 2);
            final Client pair = job.node(0).openClient(PAIR);
            assertThat(pair.tasks()).containsExactly(0, 2);
            pair.tasks()[0] = 1;
            assertThat(pair.tasks()).containsExactly(0, 2);
            // All ranks by name are the same as all by default.
            job.node(1).openClient(ClientConfig.named("all").withCounters(0, 0).withTasks(2, 1, 0));
            final Client all = job.node(2).openClient(ClientConfig.named("all").withCounters(0, 0));
            assertThat(all.endpoint(1, 0, InProcessJob.deadline())).isNotNegative();
        }
    }

    @Test
    void shouldRefuseRanksThatAreNoTasks() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Client pair = job.node(0).openClient(PAIR);
            final Context context = pair.context();
            final String message = "rank 1 is not a task of client \"pair\", whose tasks are [0, 2]";

            assertThatThrownBy(() -> pair.endpoint(1, 0, InProcessJob.deadline()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(message);
            assertThatThrownBy(() -> context.attach(1, "inbox", InProcessJob.deadline()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(message);
            assertThatThrownBy(() -> context.sendImmediate(1, 3, new UnsafeBuffer(new byte[8]), 0, 8))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(message);
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldRefuseDifferentListsOfOneClient() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Context context = job.node(0).openClient(PAIR).context();
            job.node(2).openClient(PAIR.withTasks(1, 2));

            assertThatThrownBy(() -> context.barrier(InProcessJob.deadline()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("rank 2 opened client \"pair\" with other tasks than rank 0")
                    .hasMessageContaining("[0, 2]")
                    .hasMessageContaining("ClientConfig.withTasks");
        }
    }

    @Test
    void shouldRefuseListsThatAreNone() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            for (final int[] wrong : new int[][] {{0, 3}, {-1, 0}, {0, 0}}) {
                assertThatThrownBy(() -> job.node(0).openClient(PAIR.withTasks(wrong)))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("withTasks needs different ranks from 0 to 2");
            }
            assertThatThrownBy(() -> job.node(0).openClient(PAIR.withTasks(1, 2)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must name the rank that opens the client: rank=0 tasks=[1, 2]");
            // The refused calls have taken nothing.
            assertThat(job.node(0).openClient(PAIR.withTasks(0)).tasks()).containsExactly(0);
        }
    }
}
