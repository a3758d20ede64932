package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.PeerFailedException;

/** Job of two processes with two ranks each: links inside a process, mapped memory between the processes. */
@Tag("long")
class MixedJobTest {
    private static final int SIZE = 4;
    private static final int ID = 5;
    private static final int ROUNDS = 300;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @EnumSource(names = {"INVOKER", "DEDICATED"})
    void shouldExchangeRoundsAmongAllRanks(Threading threading) {
        final JobConfig job = pool.job("mixed", SIZE);
        final TestProcess left = pool.start(Pair.class, job, threading, 0);
        final TestProcess right = pool.start(Pair.class, job, threading, 2);

        for (final TestProcess process : List.of(left, right)) {
            assertThat(process.expect("rounds")).isEqualTo(Integer.toString(2 * ROUNDS));
            process.awaitEnd();
        }
    }

    @Test
    void shouldFailTheWaitsOfBothRanksWhenTheOtherProcessIsKilled() {
        final JobConfig job = pool.job("mixed-death", SIZE);
        final TestProcess left = pool.start(Waiting.class, job, Threading.INVOKER, 0);
        final TestProcess right = pool.start(Waiting.class, job, Threading.INVOKER, 2);
        left.expect("waiting");
        left.expect("waiting");
        right.expect("waiting");
        right.expect("waiting");

        right.kill();

        assertThat(left.expect("failed rank")).isIn("2", "3");
        assertThat(left.expect("failed rank")).isIn("2", "3");
        left.awaitEnd();
    }

    /** Runs two ranks from that of the request on, on a thread each. Returns the sum of what they return. */
    private static int both(ScenarioRun run, RankBody body) {
        final NodeConfig config = run.config().withTransport("process", "shm").withWindowBytes(1 << 14);
        final int first = run.job().rank();
        final List<Node> nodes = Node.joinAll(List.of(run.job(), run.job().withRank(first + 1)), config);
        final ExecutorService threads = Executors.newFixedThreadPool(nodes.size());
        try {
            final List<Future<Integer>> ends = new ArrayList<>();
            for (final Node node : nodes) {
                ends.add(threads.submit(() -> {
                    try (node) {
                        return body.run(node);
                    }
                }));
            }
            int sum = 0;
            for (final Future<Integer> end : ends) {
                sum += end.get(60, TimeUnit.SECONDS);
            }
            return sum;
        } catch (ExecutionException | InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        } finally {
            threads.shutdown();
        }
    }

    /** Program of one rank. */
    @FunctionalInterface
    private interface RankBody {
        int run(Node node);
    }

    /** Process with two ranks that exchange rounds with all others. */
    static final class Pair implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            run.print("rounds " + both(run, Pair::rounds));
        }

        private static int rounds(Node node) {
            final int rank = node.rank();
            // All but the other rank of this process.
            assertThat(node.mappedRanks()).hasSize(SIZE - 1).contains(rank).doesNotContain(rank ^ 1);
            final Client client = node.client();
            final Context context = client.context();
            final int[] received = new int[SIZE];
            context.handler(ID, (origin, buffer, m, ml, p, pl) -> received[buffer.getInt(p)]++);
            final Window window = client.window(256);
            final CounterPair inbox = client.counterPair(window, 0, 8 * SIZE, 8 * SIZE);
            client.publish("inbox", inbox);
            final Target[] targets = new Target[SIZE];
            for (int peer = 0; peer < SIZE; peer++) {
                targets[peer] = context.attach(peer, "inbox", ScenarioRun.deadline());
            }
            context.barrier(ScenarioRun.deadline());
            window.buffer().putLong(128, rank + 1);
            final Pattern pattern = context.record(1, Rounds.ALTERNATE, () -> {
                context.expect(inbox, 8L * (SIZE - 1));
                for (int peer = 0; peer < SIZE; peer++) {
                    if (peer != rank) {
                        context.put(targets[peer], 8L * rank, window, 128, 8);
                    }
                }
            });
            final UnsafeBuffer self = new UnsafeBuffer(new byte[4]);
            self.putInt(0, rank);
            for (int round = 1; round <= ROUNDS; round++) {
                context.await(pattern, round, ScenarioRun.deadline());
                final int set = round % 2 * 8 * SIZE;
                for (int peer = 0; peer < SIZE; peer++) {
                    if (peer != rank) {
                        final long expected = (peer + 1) + (round - 1) * 1000L;
                        final long found = window.buffer().getLong(set + 8 * peer);
                        if (found != expected) {
                            throw new AssertionError("round " + round + " of " + peer + ": " + found);
                        }
                        final int to = peer;
                        context.await(() -> context.sendImmediate(to, ID, self, 0, 4) >= 0, ScenarioRun.deadline());
                    }
                }
                final int count = round;
                context.await(
                        () -> {
                            for (int peer = 0; peer < SIZE; peer++) {
                                if (peer != rank && received[peer] < count) {
                                    return false;
                                }
                            }
                            return true;
                        },
                        ScenarioRun.deadline());
                if (round < ROUNDS) {
                    window.buffer().putLong(128, (rank + 1) + round * 1000L);
                    context.await(() -> context.replay(pattern) > 0, ScenarioRun.deadline());
                }
            }
            context.barrier(ScenarioRun.deadline());
            return ROUNDS;
        }
    }

    /** Process with two ranks that wait for a barrier which the other process never enters. */
    static final class Waiting implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            both(run, node -> {
                final Context context = node.client().context();
                context.barrier(ScenarioRun.deadline());
                run.print("waiting");
                try {
                    if (node.rank() < 2) {
                        context.barrier(ScenarioRun.deadline());
                    } else {
                        context.await(() -> false, ScenarioRun.deadline());
                    }
                    return 0;
                } catch (PeerFailedException e) {
                    run.print("failed rank " + e.rank());
                    return 1;
                }
            });
        }
    }
}
