package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;

/** Two nodes in every threading mode: ranges that change, events of injection counters, and underflow. */
@Timeout(120)
@OverMemoryAndLinks
class CounterCallsThreadingTest {
    private static final int SIZE = 2;
    private static final int ROUNDS = 20;
    private static final int PLACES = 4;

    @TempDir
    Path parent;

    /** Moves the counter to another place after each round; the sender attaches again. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldLandInThePresentRange(String modes) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(SIZE, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = job.context(rank);
                final Window window = client.window(64);
                final ReceptionCounter in = client.receptionCounter(window, 0, 8, 1 - rank);
                client.publish("in", in);
                context.barrier(InProcessJob.deadline());
                Target old = null;
                for (int round = 1; round <= ROUNDS; round++) {
                    final Target to = context.attach(1 - rank, "in", InProcessJob.deadline());
                    assertThat(to).isNotEqualTo(old);
                    old = to;
                    window.buffer().putLong(32, 100L * rank + round);
                    in.expect(8);
                    context.put(to, 0, window, 32, 8);
                    context.await(in, InProcessJob.deadline());
                    final int place = 8 * ((round - 1) % PLACES);
                    assertThat(window.buffer().getLong(place)).isEqualTo(100L * (1 - rank) + round);
                    context.barrier(InProcessJob.deadline());
                    in.disable();
                    final long next = 8L * (round % PLACES);
                    context.await(() -> client.enable(in, window, next, 8, 1 - rank) == 0, InProcessJob.deadline());
                    context.barrier(InProcessJob.deadline());
                }
            });
        }
    }

    /** Admits the own rank, the peer, or both as a set, in turn; each rank puts at both ranks. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldAdmitThePresentSourcesAlone(String modes) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(SIZE, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = job.context(rank);
                final Window window = client.window(64);
                final InjectionCounter sent = client.injectionCounter();
                final int[][] sources = {{rank}, {1 - rank}, {0, 1}};
                final ReceptionCounter in = client.receptionCounter(window, 0, 16, sources[0][0]);
                client.publish("in", in);
                context.barrier(InProcessJob.deadline());
                for (int use = 0; use <= sources.length; use++) {
                    final int[] admitted = sources[use % sources.length];
                    in.expect(8L * admitted.length);
                    context.barrier(InProcessJob.deadline());
                    for (int to = 0; to < SIZE; to++) {
                        final Target target = context.attach(to, "in", InProcessJob.deadline());
                        final boolean isRefused = admitted.length == 1 && (admitted[0] == rank) != (to == rank);
                        final InjectionCounter of = isRefused ? client.injectionCounter() : sent;
                        of.expect(8);
                        context.put(target, 8L * rank, window, 32, 8, of);
                        if (isRefused) {
                            assertThatThrownBy(() -> context.await(of, InProcessJob.deadline()))
                                    .isInstanceOf(RefusedException.class)
                                    .hasMessageContaining(Refusal.SOURCE_NOT_ADMITTED.reason());
                            client.close(of);
                        } else {
                            context.await(of, InProcessJob.deadline());
                        }
                    }
                    context.await(in, InProcessJob.deadline());
                    context.barrier(InProcessJob.deadline());
                    assertThat(in.valueAcquire()).isZero();
                    in.disable();
                    final int[] next = sources[(use + 1) % sources.length];
                    context.await(
                            () -> (next.length == 1
                                            ? client.enable(in, window, 0, 16, next[0])
                                            : client.enable(in, window, 0, 16, next))
                                    == 0,
                            InProcessJob.deadline());
                    context.barrier(InProcessJob.deadline());
                }
            });
        }
    }

    /** Moves a pair to other places after two rounds of a pattern; the sender attaches again. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldLandInThePresentRangesOfAPair(String modes) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(SIZE, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = job.context(rank);
                final Window window = client.window(128);
                final CounterPair in = client.counterPair(window, 0, 8, 8, 1 - rank);
                client.publish("in", in);
                context.barrier(InProcessJob.deadline());
                for (int move = 1; move <= ROUNDS; move++) {
                    final Target to = context.attach(1 - rank, "in", InProcessJob.deadline());
                    window.buffer().putLong(96, 100L * rank + move);
                    final Pattern pattern = context.record(1, Rounds.ALTERNATE, () -> {
                        context.expect(in, 8);
                        context.put(to, 0, window, 96, 8);
                    });
                    awaitLast(context, pattern);
                    context.replay(pattern);
                    awaitLast(context, pattern);
                    for (int round = 0; round < 2; round++) {
                        assertThat(window.buffer().getLong((int) in.offset(round)))
                                .isEqualTo(100L * (1 - rank) + move);
                    }
                    pattern.close();
                    context.barrier(InProcessJob.deadline());
                    in.disable();
                    final long next = 16L * (move % PLACES);
                    context.await(
                            () -> client.enable(in, window, new CounterPair.Sets(next + 8, next, 8), 1 - rank) == 0,
                            InProcessJob.deadline());
                    assertThat(in.offset(0)).isEqualTo(next + 8);
                    context.barrier(InProcessJob.deadline());
                }
            });
        }
    }

    private static void awaitLast(Context context, Pattern pattern) {
        context.await(pattern, pattern.generation(), InProcessJob.deadline());
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldRunTheHandlerOfAnInjectionCounter(String modes) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(SIZE, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = job.context(rank);
                final Window window = client.window(64);
                client.publish("in", client.receptionCounter(window, 0, 8));
                final Target to = context.attach(1 - rank, "in", InProcessJob.deadline());
                final InjectionCounter sent = client.injectionCounter();
                final AtomicLong hits = new AtomicLong();
                final Thread user = Thread.currentThread();
                context.onHit(sent, id -> {
                    assertThat(Thread.currentThread()).isSameAs(user);
                    assertThat(sent.valueAcquire()).isNotPositive();
                    hits.incrementAndGet();
                });
                for (int round = 1; round <= 10 * ROUNDS; round++) {
                    final long expected = round;
                    sent.expect(8);
                    context.put(to, 0, window, 32, 8, sent);
                    context.await(() -> hits.get() == expected, InProcessJob.deadline());
                }
                context.barrier(InProcessJob.deadline());
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldReportUnderflow(String modes) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(SIZE, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = job.context(rank);
                final Window window = client.window(64);
                final ReceptionCounter in = client.receptionCounter(window, 0, 8);
                in.forbidUnderflow();
                client.publish("in", in);
                final Target to = context.attach(1 - rank, "in", InProcessJob.deadline());
                final InjectionCounter sent = client.injectionCounter();
                sent.forbidUnderflow();
                in.expect(8);
                sent.expect(8);
                context.barrier(InProcessJob.deadline());
                context.put(to, 0, window, 32, 8, sent);
                context.await(sent, InProcessJob.deadline());
                context.await(in, InProcessJob.deadline());
                context.barrier(InProcessJob.deadline());
                context.put(to, 0, window, 32, 8, sent);
                assertThatThrownBy(() -> {
                            context.fence(InProcessJob.deadline());
                            context.await(sent, InProcessJob.deadline());
                        })
                        .isInstanceOf(RefusedException.class);
                context.barrier(InProcessJob.deadline());
                assertThatThrownBy(() -> context.await(in, InProcessJob.deadline()))
                        .isInstanceOfSatisfying(
                                RefusedException.class,
                                e -> assertThat(e.rank()).isEqualTo(1 - rank));
                context.barrier(InProcessJob.deadline());
            });
        }
    }
}
