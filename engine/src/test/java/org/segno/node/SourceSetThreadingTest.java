package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.memory.PeerStates;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.RefusedException;

/** Counter that admits a set of ranks, in every threading mode. */
@Timeout(120)
@OverMemoryAndLinks
class SourceSetThreadingTest {
    private static final int SIZE = 3;
    private static final int ROUNDS = 50;

    @TempDir
    Path parent;

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldAdmitTheRanksOfTheSetOnly(String modes) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(SIZE, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = job.context(rank);
                final Window window = client.window(64);
                // Every rank admits its two neighbours, but not itself.
                final int[] others = {(rank + 1) % SIZE, (rank + 2) % SIZE};
                final ReceptionCounter in = client.receptionCounter(window, 0, 24, others, Right.PUT, Right.GET);
                final InjectionCounter sent = client.injectionCounter();
                client.publish("in", in);
                final Target[] targets = new Target[SIZE];
                for (int peer = 0; peer < SIZE; peer++) {
                    targets[peer] = context.attach(peer, "in", InProcessJob.deadline());
                }
                for (int round = 1; round <= ROUNDS; round++) {
                    window.buffer().putLong(32, 1000L * rank + round);
                    in.expect(16);
                    for (final int peer : others) {
                        sent.expect(8);
                        context.put(targets[peer], 8L * rank, window, 32, 8, sent);
                    }
                    context.await(sent, InProcessJob.deadline());
                    context.await(in, InProcessJob.deadline());
                    for (final int peer : others) {
                        assertThat(window.buffer().getLong(8 * peer)).isEqualTo(1000L * peer + round);
                    }
                    context.barrier(InProcessJob.deadline());
                }
                sent.expect(8);
                context.get(targets[rank], 0, window, 40, 8, sent);
                assertThatThrownBy(() -> context.await(sent, InProcessJob.deadline()))
                        .isInstanceOf(RefusedException.class)
                        .hasMessageContaining("does not admit this source");
                context.barrier(InProcessJob.deadline());
            });
        }
    }

    /** Rank 2 dies for rank 0, while it waits for ranks 0 and 1 alone; then rank 1 does. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldFailAWaitOnlyByTheDeathOfARankOfTheSet(String modes) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(SIZE, SmallNodes.modes(modes)))) {
            final AtomicBoolean isDead = new AtomicBoolean();
            final AtomicBoolean isOver = new AtomicBoolean();
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = job.context(rank);
                final Window window = client.window(64);
                final ReceptionCounter in = client.receptionCounter(window, 0, 8, new int[] {0, 1}, Right.PUT);
                client.publish("in", in);
                final Target first = context.attach(0, "in", InProcessJob.deadline());
                context.barrier(InProcessJob.deadline());
                if (rank == 0) {
                    in.expect(8);
                    final PeerStates states = new PeerStates(job.node(0).memory());
                    states.change(2, PeerStates.DEAD);
                    assertThatThrownBy(() -> context.await(in, Deadline.in(5, TimeUnit.MILLISECONDS)))
                            .isInstanceOf(DeadlineException.class);
                    isDead.set(true);
                    context.await(in, InProcessJob.deadline());
                    in.expect(8);
                    states.change(1, PeerStates.DEAD);
                    assertThatThrownBy(() -> context.await(in, InProcessJob.deadline()))
                            .isInstanceOfSatisfying(
                                    PeerFailedException.class,
                                    e -> assertThat(e.rank()).isEqualTo(1));
                    isOver.set(true);
                } else if (rank == 1) {
                    context.await(isDead::get, InProcessJob.deadline());
                    context.put(first, 0, window, 32, 8);
                }
                // The others serve their links until then.
                context.await(() -> isOver.get() || rank == 0, InProcessJob.deadline());
            });
        }
    }
}
