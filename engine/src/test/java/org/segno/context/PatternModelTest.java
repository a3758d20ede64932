package org.segno.context;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.metrics.Metric;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.Status;

/** Many patterns over one persistent FIFO, compared with a model of the messages that each must have sent. */
class PatternModelTest {
    private static final int PATTERNS = 10_000;
    private static final int MOST_PUTS = 5;
    /** Enough slots for all patterns at their average length, and a third more. */
    private static final int SLOTS = 30_000;

    private static final int RUNS = 16;

    /** Source and target of each pattern: this many words. */
    private static final int WORDS = MOST_PUTS;

    @TempDir
    Path directory;

    /** The model's record of one pattern id. */
    private static final class Entry {
        private @Nullable Pattern pattern;
        private long generation;
        private int slots;

        /** Pattern that was closed last, and its last round. */
        private @Nullable Pattern closed;

        private long lastGeneration;

        /** Values of the last round, by word. Words that it does not send keep the values of an older recording. */
        private final long[] landed = new long[WORDS];

        private int first;
        private int puts;
    }

    /** State of one run of the test. */
    private static final class Model {
        private final Random chance;
        private final EngineFixture engines;
        private final Context context;
        private final Window source;
        private final Window target;
        private final ReceptionCounter counter;
        private final Target to;
        private final CounterPair own;
        private final Entry[] entries = new Entry[PATTERNS];
        private final List<Entry> touched = new ArrayList<>();
        private long liveSlots;
        private long closingSlots;
        private long sentBytes;
        private long nextValue = 1;

        Model(EngineFixture engines, long seed) {
            this.engines = engines;
            this.chance = new Random(seed);
            this.context = engines.context(0);
            this.source = engines.client(0).window((long) PATTERNS * WORDS * Long.BYTES);
            this.target = engines.client(1).window((long) PATTERNS * WORDS * Long.BYTES);
            this.counter = engines.client(1).receptionCounter(target, 0, target.length());
            this.own = engines.client(0).counterPair(engines.client(0).window(64), 0, 32, 32);
            engines.client(1).publish("in", counter);
            this.to = context.attach(1, "in", Deadline.in(10, SECONDS));
            for (int id = 0; id < PATTERNS; id++) {
                entries[id] = new Entry();
            }
        }

        void record(int id) {
            final Entry it = entries[id];
            final int first = chance.nextInt(WORDS);
            final int puts = 1 + chance.nextInt(WORDS - first);
            final boolean arms = chance.nextInt(4) == 0;
            if (it.closed != null && it.closed.executedAcquire() < it.lastGeneration) {
                // A queued run of it reads the source when it is executed.
                settle();
            }
            writeSource(id);
            final Pattern pattern;
            final int[] done = new int[1];
            try {
                pattern = context.record(id, Rounds.ORDERED_BY_CALLER, () -> {
                    for (int word = first; word < first + puts; word++) {
                        context.put(to, at(id, word), source, at(id, word), Long.BYTES);
                        done[0]++;
                    }
                    if (arms) {
                        context.expect(own, 0);
                    }
                });
            } catch (final IllegalStateException full) {
                final String message = String.valueOf(full.getMessage());
                assertThat(message).containsAnyOf("is full", "are in use", "outgrows");
                notRecorded(id, first, done[0], message.contains("outgrows"));
                return;
            }
            if (it.pattern != null) {
                liveSlots -= it.slots;
            }
            it.pattern = pattern;
            it.first = first;
            it.puts = puts;
            it.slots = puts + (arms ? 1 : 0);
            liveSlots += it.slots;
            assertThat(pattern.generation()).isEqualTo(++it.generation);
            assertThat(pattern.descriptors()).isEqualTo(it.slots);
            sent(id);
        }

        /**
         * Keeps the words that were sent, and a pattern that existed before; the failed round counts as one of its
         * rounds.
         */
        private void notRecorded(int id, int first, int puts, boolean begun) {
            final Entry it = entries[id];
            it.generation += begun && it.pattern != null ? 1 : 0;
            for (int word = first; word < first + puts; word++) {
                it.landed[word] = source.buffer().getLong(at(id, word));
            }
            sentBytes += (long) puts * Long.BYTES;
            settle();
        }

        void replay(int id) {
            final Entry it = entries[id];
            final Pattern pattern = Objects.requireNonNull(it.pattern);
            final boolean executed = pattern.executedAcquire() == it.generation;
            if (executed) {
                writeSource(id);
            }
            final long result = context.replay(pattern);
            if (!executed) {
                assertThat(result).isEqualTo(Status.BUSY);
            } else if (result == Status.BACK_PRESSURED) {
                settle();
            } else {
                assertThat(result).isEqualTo(++it.generation);
                sent(id);
            }
        }

        void close(int id) {
            final Entry it = entries[id];
            final Pattern pattern = Objects.requireNonNull(it.pattern);
            pattern.close();
            it.closed = pattern;
            it.lastGeneration = it.generation;
            it.pattern = null;
            liveSlots -= it.slots;
            closingSlots += it.slots;
            // An id that is used again restarts its count.
            it.generation = 0;
        }

        private void writeSource(int id) {
            for (int word = 0; word < WORDS; word++) {
                source.buffer().putLong(at(id, word), nextValue++);
            }
        }

        private void sent(int id) {
            final Entry it = entries[id];
            for (int word = it.first; word < it.first + it.puts; word++) {
                it.landed[word] = source.buffer().getLong(at(id, word));
            }
            sentBytes += (long) it.puts * Long.BYTES;
            touched.add(it);
        }

        private static int at(int id, int word) {
            return (id * WORDS + word) * Long.BYTES;
        }

        void settle() {
            engines.settle();
            assertThat(counter.valueAcquire()).isEqualTo(-sentBytes);
            closingSlots = 0;
            assertThat(context.patterns().free()).isEqualTo(SLOTS - liveSlots);
            for (final Entry it : touched) {
                final Pattern pattern = it.pattern;
                if (pattern != null) {
                    assertThat(pattern.executedAcquire()).isEqualTo(it.generation);
                    assertThat(pattern.isComplete()).isTrue();
                }
            }
            touched.clear();
        }

        void checkData() {
            for (int id = 0; id < PATTERNS; id++) {
                for (int word = 0; word < WORDS; word++) {
                    if (target.buffer().getLong(at(id, word)) != entries[id].landed[word]) {
                        Assertions.fail("pattern " + id + " word " + word);
                    }
                }
            }
        }
    }

    @Test
    @Tag("long")
    void shouldRecordReplayCloseAndRerecordTenThousandPatternsInAnyOrder() {
        useInAnyOrder(1, 20_000);
    }

    @Tag("stress")
    @ParameterizedTest
    @ValueSource(longs = {2, 3, 4, 5, 6, 7, 8, 9})
    void shouldRecordReplayCloseAndRerecordPatternsInManyOrders(long seed) {
        useInAnyOrder(seed, 60_000);
    }

    private void useInAnyOrder(long seed, int uses) {
        try (EngineFixture engines = EngineFixture.open(
                directory,
                NodeSize.small()
                        .patternSlots(SLOTS)
                        .patterns(PATTERNS)
                        .runSlots(RUNS)
                        .windowBytes(1 << 20)
                        .dimensions())) {
            final Model model = new Model(engines, seed);
            for (int id = 0; id < PATTERNS; id++) {
                model.record(id);
                if (id % RUNS == RUNS - 1) {
                    model.settle();
                }
            }
            for (int i = 0; i < uses; i++) {
                final int id = model.chance.nextInt(PATTERNS);
                final Entry it = model.entries[id];
                final int what = model.chance.nextInt(10);
                if (it.pattern == null) {
                    model.record(id);
                } else if (what < 7) {
                    model.replay(id);
                } else if (what < 8) {
                    model.close(id);
                } else if (it.pattern.isComplete()) {
                    model.record(id);
                }
                if (model.chance.nextInt(RUNS) == 0) {
                    model.settle();
                }
            }
            model.settle();
            model.checkData();
            for (int id = 0; id < PATTERNS; id++) {
                if (model.entries[id].pattern != null) {
                    model.replay(id);
                }
                if (id % RUNS == RUNS - 1) {
                    model.settle();
                }
            }
            model.checkData();
            assertThat(model.liveSlots + model.closingSlots).isLessThanOrEqualTo(SLOTS);
            for (int id = 0; id < PATTERNS; id++) {
                if (model.entries[id].pattern != null) {
                    model.close(id);
                }
            }
            assertThat(engines.context(0).patterns().free()).isEqualTo(SLOTS);
        }
    }

    /**
     * Uses the smallest possible rings, a buffer without a spare slot, and sections with lengths that are no powers of
     * two.
     */
    @Test
    void shouldLeakNothingInAMillionReplaysOverTheSmallestRings() {
        final int rounds = 250_000;
        final int[] lengths = {1, 3, 5, 7};
        try (EngineFixture engines = EngineFixture.open(
                directory,
                NodeSize.small()
                        .patternSlots(16)
                        .patterns(4)
                        .runSlots(2)
                        .fifoSlots(2)
                        .dimensions())) {
            final Context context = engines.context(0);
            final Window window = engines.client(0).window(1024);
            final CounterPair pair =
                    engines.client(1).counterPair(engines.client(1).window(1024), 0, 512, 512);
            engines.client(1).publish("in", pair);
            final Target to = context.attach(1, "in", Deadline.in(10, SECONDS));
            final Pattern[] patterns = new Pattern[lengths.length];
            for (int i = 0; i < lengths.length; i++) {
                final int length = lengths[i];
                final int at = 64 * i;
                patterns[i] = context.record(i, Rounds.ALTERNATE, () -> {
                    for (int word = 0; word < length; word++) {
                        context.put(to, at + 8L * word, window, 8L * word, 8);
                    }
                });
                engines.settle();
            }
            assertThat(context.patterns().free()).isZero();
            for (long round = 2; round <= rounds; round++) {
                for (final Pattern pattern : patterns) {
                    long generation = context.replay(pattern);
                    while (generation == Status.BACK_PRESSURED) {
                        context.advance();
                        generation = context.replay(pattern);
                    }
                    if (generation != round) {
                        Assertions.fail("round " + round + " of " + pattern + " returns " + generation);
                    }
                }
                engines.pass(0);
            }
            engines.settle();
            final long bytes = 8L * (1 + 3 + 5 + 7) * rounds / 2;
            assertThat(pair.counter(0).valueAcquire()).isEqualTo(-bytes);
            assertThat(pair.counter(1).valueAcquire()).isEqualTo(-bytes);
            assertThat(engines.metrics(0).get(Metric.REPLAYS)).isEqualTo(4L * (rounds - 1));
            assertThat(engines.metrics(0).get(Metric.DESCRIPTORS)).isEqualTo(16L * rounds);
            assertThat(persistent(engines).descriptorsAcquire()).isEqualTo(16L * (rounds - 1));
            assertThat(persistent(engines).fill()).isZero();
            assertThat(context.patterns().free()).isZero();
            for (final Pattern pattern : patterns) {
                assertThat(pattern.executedAcquire()).isEqualTo(rounds);
                pattern.close();
            }
            assertThat(context.patterns().free()).isEqualTo(16);
        }
    }

    private static FifoMetadata persistent(EngineFixture engines) {
        return new FifoMetadata(engines.memory(0), 0, 2);
    }

    /** Queues sections of more than one quantum: each ends as a whole before the next begins. */
    @Test
    void shouldCarryOutRunsLongerThanAQuantumInTheirOrder() {
        final int puts = FifoMetadata.DEFAULT_QUANTUM_DESCRIPTORS + 100;
        try (EngineFixture engines = EngineFixture.open(
                directory, NodeSize.small().patternSlots(3 * puts).dimensions())) {
            final Context context = engines.context(0);
            final Window window = engines.client(0).window(1024);
            final CounterPair pair = engines.client(0).counterPair(window, 256, 512, 8);
            final Target to = new Target(0, pair.id(), 1, 8, true);
            final Pattern[] patterns = new Pattern[2];
            for (int i = 0; i < 2; i++) {
                final int at = 8 * i;
                patterns[i] = context.record(i, Rounds.ALTERNATE, () -> {
                    for (int put = 0; put < puts; put++) {
                        context.put(to, 0, window, at, 8);
                    }
                });
                engines.settle();
            }
            for (long round = 2; round < 20; round++) {
                window.buffer().putLong(0, round);
                window.buffer().putLong(8, 1000 + round);
                context.replay(patterns[0]);
                context.replay(patterns[1]);
                assertThat(engines.pass(0)).isEqualTo(FifoMetadata.DEFAULT_QUANTUM_DESCRIPTORS);
                assertThat(patterns[0].executedAcquire()).isEqualTo(round - 1);
                assertThat(engines.pass(0)).isEqualTo(FifoMetadata.DEFAULT_QUANTUM_DESCRIPTORS);
                assertThat(patterns[0].executedAcquire()).isEqualTo(round);
                assertThat(patterns[1].executedAcquire()).isEqualTo(round - 1);
                assertThat(engines.pass(0)).isEqualTo(200);
                assertThat(engines.pass(0)).isZero();
                assertThat(patterns[1].executedAcquire()).isEqualTo(round);
                assertThat(window.buffer().getLong((int) pair.offset(round))).isEqualTo(1000 + round);
            }
        }
    }

    /** Lets two ranks replay two patterns that exchange with each other, in opposite orders. */
    @Test
    void shouldNotDeadlockWhenTwoRanksReplayInOppositeOrders() {
        try (EngineFixture engines = EngineFixture.open(
                directory, NodeSize.small().runSlots(2).fifoSlots(2).dimensions())) {
            final Exchange[][] exchanges = new Exchange[2][2];
            for (int rank = 0; rank < 2; rank++) {
                for (int id = 0; id < 2; id++) {
                    exchanges[rank][id] = new Exchange(engines, rank, id);
                }
            }
            for (int rank = 0; rank < 2; rank++) {
                for (int id = 0; id < 2; id++) {
                    exchanges[rank][rank == 0 ? id : 1 - id].record();
                    engines.settle();
                }
            }
            for (long round = 2; round < 20_000; round++) {
                exchanges[0][0].replay(round);
                exchanges[1][1].replay(round);
                exchanges[0][1].replay(round);
                exchanges[1][0].replay(round);
                engines.settle();
                for (final Exchange[] ofRank : exchanges) {
                    for (final Exchange exchange : ofRank) {
                        exchange.check(round);
                    }
                }
            }
        }
    }

    /** Pattern of one rank: it sends a word to the other rank's pattern of the same id and expects one from it. */
    private static final class Exchange {
        private final Context context;
        private final Window window;
        private final CounterPair pair;
        private final int rank;
        private final int id;

        @SuppressWarnings("NullAway.Init") // by record
        private Pattern pattern;

        Exchange(EngineFixture engines, int rank, int id) {
            this.context = engines.context(rank);
            this.window = engines.client(rank).window(256);
            this.pair = engines.client(rank).counterPair(window, 64, 128, 8);
            this.rank = rank;
            this.id = id;
            engines.client(rank).publish("in " + id, pair);
        }

        void record() {
            final Target to = context.attach(1 - rank, "in " + id, Deadline.in(10, SECONDS));
            window.buffer().putLong(0, value(rank, 1));
            pattern = context.record(id, Rounds.ALTERNATE, () -> {
                context.expect(pair, 8);
                context.put(to, 0, window, 0, 8);
            });
        }

        private long value(int of, long round) {
            return of * 1_000_000L + id * 500_000L + round;
        }

        void replay(long round) {
            window.buffer().putLong(0, value(rank, round));
            if (context.replay(pattern) != round) {
                Assertions.fail("round " + round + " of " + pattern);
            }
        }

        void check(long round) {
            if (!pattern.isComplete() || window.buffer().getLong((int) pair.offset(round)) != value(1 - rank, round)) {
                Assertions.fail("round " + round + " of " + pattern + " at rank " + rank);
            }
        }
    }
}
