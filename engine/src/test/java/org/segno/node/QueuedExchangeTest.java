package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/**
 * An exchange of three ranks whose next round is queued while the last one is in progress: each round has the values of
 * that round.
 */
@Timeout(120)
@OverMemoryAndLinks
class QueuedExchangeTest {
    private static final int RANKS = 3;
    private static final int ROUNDS = 500;
    private static final int LENGTH = 8 * RANKS;

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldHaveTheValuesOfEachRound(Threading threading) throws Exception {
        final NodeConfig config = NodeConfig.defaults().withThreading(threading).withWindowBytes(1 << 14);
        try (InProcessJob job = InProcessJob.join(directory, RANKS, config)) {
            job.onThreads(rank -> {
                final Exchange exchange = new Exchange(job.node(rank).client(), rank);
                final Pattern pattern = exchange.context.prepare(Rounds.ALTERNATE, exchange::record);
                for (long round = 1; round <= ROUNDS; round++) {
                    exchange.write(round);
                    while (exchange.context.queue(pattern) < 0) {
                        exchange.context.advance();
                    }
                    if (round > 1) {
                        exchange.context.await(pattern, round - 1, InProcessJob.deadline());
                        exchange.check(round - 1);
                    }
                }
                exchange.context.await(pattern, ROUNDS, InProcessJob.deadline());
                exchange.check(ROUNDS);
                exchange.context.barrier(InProcessJob.deadline());
            });
        }
    }

    /** Section of one rank: it sends its value to all, waits for the values of all, and copies them to its result. */
    private static final class Exchange {
        private final int rank;
        private final Context context;
        private final Window window;
        private final Window staging;
        private final CounterPair values;
        private final CounterPair slots;
        private final CounterPair results;
        private final InjectionCounter read;
        private final Target own;
        private final Target[] all = new Target[RANKS];

        Exchange(Client client, int rank) {
            this.rank = rank;
            this.context = client.context();
            this.window = client.window(1024);
            this.staging = client.window(64);
            this.values = client.counterPair(window, 0, 64, 8, rank, Right.GET);
            this.slots = client.counterPair(window, 128, 192, LENGTH, ReceptionCounter.ANYBODY, Right.PUT, Right.GET);
            this.results = client.counterPair(window, 256, 320, LENGTH);
            this.read = client.injectionCounter();
            client.publish("values", values);
            client.publish("slots", slots);
            this.own = context.attach(rank, "values", InProcessJob.deadline());
            for (int peer = 0; peer < RANKS; peer++) {
                all[peer] = context.attach(peer, "slots", InProcessJob.deadline());
            }
        }

        void record() {
            context.expect(slots, LENGTH);
            context.expect(results, LENGTH);
            context.expect(read, 8);
            context.get(own, 0, staging, 0, 8, read);
            context.waitUntil(read, 0);
            for (final Target slot : all) {
                context.put(slot, 8L * rank, staging, 0, 8);
            }
            context.waitUntil(slots, 0);
            context.get(all[rank], 0, results, 0, LENGTH, null);
            context.waitUntil(results, 0);
        }

        void write(long round) {
            window.buffer().putLong((int) values.offset(round), 1000 * round + rank);
        }

        void check(long round) {
            for (int peer = 0; peer < RANKS; peer++) {
                assertThat(window.buffer().getLong((int) results.offset(round) + 8 * peer))
                        .as("value of rank %d in round %d", peer, round)
                        .isEqualTo(1000 * round + peer);
            }
        }
    }
}
