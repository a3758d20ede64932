package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/**
 * Neighbours that exchange halos round after round without any other synchronization, neither reduction nor barrier.
 * They drift, and are stopped and resumed, so that one is often a round ahead of the other; a sum of the wrong round
 * fails.
 */
@Tag("long")
class HaloExchangeTest {
    private static final int RANKS = 4;
    private static final int ROUNDS = 10_000;
    private static final int STOPS = 20;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @CsvSource({"INVOKER, 1", "INVOKER, 2", "DEDICATED, 3"})
    void shouldNeverSumAnotherRoundThoughTheRanksDriftAndStop(Threading threading, long seed)
            throws InterruptedException {
        final JobConfig job = pool.job("halo", RANKS);
        final List<TestProcess> processes = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            processes.add(pool.start(Neighbour.class, job, threading, rank, seed));
        }
        processes.forEach(process -> process.expect("going"));

        final Random chance = new Random(seed);
        for (int stop = 0; stop < STOPS; stop++) {
            final TestProcess stopped = processes.get(chance.nextInt(RANKS));
            stopped.observe(TimeUnit.MICROSECONDS.toNanos(chance.nextInt(20_000)));
            stopped.stop();
            // Long enough for the others to advance as far as they can without it.
            stopped.observe(TimeUnit.MICROSECONDS.toNanos(chance.nextInt(20_000)));
            stopped.resume();
        }
        processes.forEach(TestProcess::signalScenario);

        processes.forEach(TestProcess::awaitEnd);
    }

    /** Exchanges, checks both sums of every round, and sometimes pauses. */
    static final class Neighbour implements Scenario {
        private static final int SLOT = 8;
        private static final int HALO = 24 * SLOT;

        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                final Random chance = new Random(31 * Long.parseLong(run.argument(0)) + node.rank());
                final int left = (node.rank() + RANKS - 1) % RANKS;
                final int right = (node.rank() + 1) % RANKS;
                final Client client = node.client();
                final Context context = client.context();
                final Window window = client.window(5 * HALO);
                final CounterPair fromLeft = client.counterPair(window, HALO, 2 * HALO, HALO, left);
                final CounterPair fromRight = client.counterPair(window, 3 * HALO, 4 * HALO, HALO, right);
                client.publish("from left", fromLeft);
                client.publish("from right", fromRight);
                final Target atLeft = context.attach(left, "from right", ScenarioRun.deadline());
                final Target atRight = context.attach(right, "from left", ScenarioRun.deadline());
                fill(window, node.rank(), 1);
                final Pattern exchange = context.record(1, Rounds.ALTERNATE, () -> {
                    context.expect(fromLeft, HALO);
                    context.expect(fromRight, HALO);
                    for (int offset = 0; offset < HALO; offset += SLOT) {
                        context.put(atRight, offset, window, offset, SLOT);
                        context.put(atLeft, offset, window, offset, SLOT);
                    }
                });
                run.print("going");
                for (long round = 1; round <= ROUNDS; round++) {
                    context.await(exchange, round, Deadline.in(60, TimeUnit.SECONDS));
                    final long sum = sum(window, fromLeft.offset(round)) + sum(window, fromRight.offset(round));
                    if (sum != expected(left, round) + expected(right, round)) {
                        throw new IllegalStateException("round " + round + ": " + sum + ", seed " + run.argument(0));
                    }
                    drift(chance);
                    if (round < ROUNDS) {
                        fill(window, node.rank(), round + 1);
                        assertThat(context.replay(exchange)).isEqualTo(round + 1);
                    }
                }
                run.awaitSignal();
            }
        }

        private static void fill(Window window, int rank, long round) {
            for (int offset = 0; offset < HALO; offset += SLOT) {
                window.buffer().putLong(offset, value(rank, round, offset));
            }
        }

        private static long value(int rank, long round, int offset) {
            return (round * 31 + rank) * 1_000_003 + offset;
        }

        private static long sum(Window window, long start) {
            long sum = 0;
            for (int offset = 0; offset < HALO; offset += SLOT) {
                sum += window.buffer().getLong((int) start + offset);
            }
            return sum;
        }

        private static long expected(int rank, long round) {
            long sum = 0;
            for (int offset = 0; offset < HALO; offset += SLOT) {
                sum += value(rank, round, offset);
            }
            return sum;
        }

        /** Returns at once or, one time in 64, after a short spin. */
        private static void drift(Random chance) {
            final int length = chance.nextInt(64) == 0 ? chance.nextInt(2_000) : 0;
            for (int i = 0; i < length; i++) {
                Thread.onSpinWait();
            }
        }
    }
}
