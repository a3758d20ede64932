package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.memory.CounterPair;
import org.segno.memory.Operand;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Combine;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/**
 * Patterns that send what has landed in the same round: their source is a counter pair. Every rank starts its next
 * round when its last one is complete, at random, so that ranks run ahead of each other by as much as rounds allow.
 */
class ForwardingTest {
    private static final int ROUNDS = 2_500;
    private static final int ID = 1;

    @TempDir
    private Path parent = Path.of("");

    private static NodeConfig config() {
        return NodeConfig.defaults().withThreading(Threading.INVOKER).withWindowBytes(1 << 16);
    }

    /** Program of one rank in one round. */
    private interface Rank {
        /** Writes the input of a round; nothing of the last one is in use any more. */
        void begin(long round);

        /** Checks the result of a round, which is complete. */
        void check(long round);
    }

    /** Runs all rounds of all patterns; the first one is in progress. */
    private static void run(InProcessJob job, List<Pattern> patterns, List<? extends Rank> ranks, long seed) {
        final Random chance = new Random(seed);
        final int size = patterns.size();
        final boolean[] ended = new boolean[size];
        int left = size;
        int idle = 0;
        while (left > 0) {
            final int rank = chance.nextInt(size);
            final Pattern pattern = patterns.get(rank);
            final Context context = job.context(rank);
            final int work = context.advance();
            final long round = pattern.generation();
            if (ended[rank] || !pattern.isComplete()) {
                idle = work == 0 ? idle + 1 : 0;
                assertThat(idle)
                        .as("passes without work of %s: %s", pattern, pattern.shortage(round))
                        .isLessThan(100_000);
                continue;
            }
            idle = 0;
            ranks.get(rank).check(round);
            if (round == ROUNDS) {
                ended[rank] = true;
                left--;
            } else {
                ranks.get(rank).begin(round + 1);
                assertThat(context.replay(pattern)).isEqualTo(round + 1);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"512, 1", "512, 2", "64, 3", "8, 4"})
    void shouldForwardDataOfTheSameRoundAroundARingOfThreeRanks(int block, long seed) {
        final int length = 512;
        try (InProcessJob job = InProcessJob.join(parent, 3, config())) {
            final List<RingRank> ring = new ArrayList<>();
            for (int rank = 0; rank < 3; rank++) {
                ring.add(new RingRank(job, rank, length));
            }
            final List<Pattern> patterns = new ArrayList<>();
            for (final RingRank rank : ring) {
                patterns.add(rank.record(block));
            }
            run(job, patterns, ring, seed);
        }
    }

    /** Rank of a ring: rank 0 sends its input, the others forward what they receive, and rank 0 gets it back. */
    private static final class RingRank implements Rank {
        private final Context context;
        private final int rank;
        private final int length;
        private final Window window;
        private final CounterPair inbox;
        private final Target next;

        RingRank(InProcessJob job, int rank, int length) {
            this.context = job.context(rank);
            this.rank = rank;
            this.length = length;
            this.window = job.node(rank).client().window(3L * length);
            this.inbox = job.node(rank).client().counterPair(window, length, 2L * length, length);
            job.node(rank).client().publish("inbox", inbox);
            final int right = (rank + 1) % 3;
            if (right < rank) {
                this.next = context.attach(right, "inbox", InProcessJob.deadline());
                return;
            }
            // The right neighbour publishes its counter later, with the same ids, because all ranks are alike.
            this.next = new Target(right, inbox.id(), inbox.incarnation(), length, true);
        }

        Pattern record(int block) {
            begin(1);
            return context.record(ID, Rounds.ALTERNATE, () -> {
                context.expect(inbox, length);
                for (int at = 0; at < length; at += block) {
                    if (rank == 0) {
                        context.put(next, at, window, at, block);
                    } else {
                        context.waitUntil(inbox, length - at - block);
                        context.put(next, at, inbox, at, block);
                    }
                }
            });
        }

        @Override
        public void begin(long round) {
            for (int at = 0; rank == 0 && at < length; at += Long.BYTES) {
                window.buffer().putLong(at, round << 16 | at);
            }
        }

        @Override
        public void check(long round) {
            for (int at = 0; at < length; at += Long.BYTES) {
                final long received = window.buffer().getLong((int) inbox.offset(round) + at);
                if (received != (round << 16 | at)) {
                    throw new AssertionError("rank " + rank + " round " + round + " byte " + at + ": round "
                            + (received >> 16) + " byte " + (received & 0xFFFF));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void shouldGatherFromAllRanksByRecursiveDoubling(long seed) {
        final int size = 4;
        try (InProcessJob job = InProcessJob.join(parent, size, config())) {
            final List<DoublingRank> ranks = new ArrayList<>();
            for (int rank = 0; rank < size; rank++) {
                ranks.add(new DoublingRank(job, rank, size));
            }
            final List<Pattern> patterns = new ArrayList<>();
            for (final DoublingRank rank : ranks) {
                patterns.add(rank.record());
            }
            run(job, patterns, ranks, seed);
        }
    }

    /**
     * Rank of an allgather of 8 bytes a rank by recursive doubling. The result is the range of all steps' pairs. In
     * each step a rank sends the part of it that is complete to its partner of that step, which has a pair of its own.
     */
    private static final class DoublingRank implements Rank {
        private final Context context;
        private final int rank;
        private final int size;
        private final Window window;
        private final List<CounterPair> steps = new ArrayList<>();

        DoublingRank(InProcessJob job, int rank, int size) {
            this.context = job.context(rank);
            this.rank = rank;
            this.size = size;
            final Client client = job.node(rank).client();
            final long length = (long) size * Long.BYTES;
            this.window = client.window(64 + 2 * length);
            for (int distance = 1; distance < size; distance *= 2) {
                steps.add(client.counterPair(window, 64, 64 + length, length));
            }
        }

        Pattern record() {
            begin(1);
            return context.record(ID, Rounds.ALTERNATE, () -> {
                int distance = 1;
                for (final CounterPair step : steps) {
                    context.expect(step, (long) distance * Long.BYTES);
                    distance *= 2;
                }
                context.copy(window, 0, steps.get(0), (long) rank * Long.BYTES, Long.BYTES);
                distance = 1;
                for (final CounterPair step : steps) {
                    final long complete = (long) (rank & -distance) * Long.BYTES;
                    final long bytes = (long) distance * Long.BYTES;
                    final Target partner =
                            new Target(rank ^ distance, step.id(), step.incarnation(), step.length(), true);
                    context.put(partner, complete, step, complete, bytes);
                    context.waitUntil(step, 0);
                    distance *= 2;
                }
            });
        }

        @Override
        public void begin(long round) {
            window.buffer().putLong(0, round * size + rank);
        }

        @Override
        public void check(long round) {
            for (int of = 0; of < size; of++) {
                final int at = (int) steps.get(0).offset(round) + of * Long.BYTES;
                final long gathered = window.buffer().getLong(at);
                if (gathered != round * size + of) {
                    throw new AssertionError("rank " + rank + " round " + round + " has of rank " + of + " "
                            + gathered % size + " of round " + gathered / size);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "700, 2"})
    void shouldReduceToAllRanksByRecursiveDoubling(int count, long seed) {
        final int size = 4;
        try (InProcessJob job = InProcessJob.join(parent, size, config())) {
            final List<ReducingRank> ranks = new ArrayList<>();
            for (int rank = 0; rank < size; rank++) {
                ranks.add(new ReducingRank(job, rank, size, count));
            }
            final List<Pattern> patterns = new ArrayList<>();
            for (final ReducingRank rank : ranks) {
                patterns.add(rank.record());
            }
            run(job, patterns, ranks, seed);
        }
    }

    /**
     * Rank of an allreduce of numbers by recursive doubling, which no application takes part in. In each step a rank
     * sends its sum to its partner, waits for the sum of that rank, and adds it. The sum of the last step goes to the
     * range of a pair, so that the result of one round is not overwritten in the next.
     */
    private static final class ReducingRank implements Rank {
        private static final int INPUT = 0;

        private final Context context;
        private final int rank;
        private final int size;
        private final int length;
        private final Window window;
        private final CounterPair result;
        private final List<CounterPair> steps = new ArrayList<>();

        ReducingRank(InProcessJob job, int rank, int size, int count) {
            this.context = job.context(rank);
            this.rank = rank;
            this.size = size;
            this.length = count * Long.BYTES;
            final Client client = job.node(rank).client();
            this.window = client.window(8L * length);
            this.result = client.counterPair(window, 6L * length, 7L * length, length);
            for (int step = 0; 1 << step < size; step++) {
                steps.add(client.counterPair(window, (2L + 2L * step) * length, (3L + 2L * step) * length, length));
            }
        }

        Pattern record() {
            begin(1);
            final Combine sum = Combine.of(ElementType.LONG, Operator.SUM);
            return context.record(ID, Rounds.ALTERNATE, () -> {
                steps.forEach(step -> context.expect(step, length));
                for (int step = 0; step < steps.size(); step++) {
                    final CounterPair theirs = steps.get(step);
                    final Target partner =
                            new Target(rank ^ 1 << step, theirs.id(), theirs.incarnation(), length, true);
                    final long sumAt = step == 0 ? INPUT : length;
                    context.put(partner, 0, window, sumAt, length);
                    context.waitUntil(theirs, 0);
                    if (step == steps.size() - 1) {
                        context.combine(theirs, 0, result, 0, length, three(window, sumAt));
                    } else if (step == 0) {
                        context.combine(window, INPUT, window, length, length, three(theirs, 0));
                    } else {
                        context.combine(theirs, 0, window, length, length, sum);
                    }
                }
                // Twice the sum: the target alternates, too, and is read.
                context.combine(result, 0, result, 0, length, sum);
            });
        }

        private static Combine three(Operand third, long offset) {
            return Combine.of(ElementType.LONG, Operator.SUM).with(third, offset);
        }

        @Override
        public void begin(long round) {
            for (int at = 0; at < length; at += Long.BYTES) {
                window.buffer().putLong(INPUT + at, round * 1_000_003 + rank + at);
            }
        }

        @Override
        public void check(long round) {
            final long ranks = (long) size * (size - 1) / 2;
            for (int at = 0; at < length; at += Long.BYTES) {
                final long found = window.buffer().getLong((int) result.offset(round) + at);
                final long expected = 2 * (size * (round * 1_000_003 + at) + ranks);
                if (found != expected) {
                    throw new AssertionError(
                            "rank " + rank + " round " + round + " byte " + at + ": " + found + " not " + expected);
                }
            }
        }
    }
}
