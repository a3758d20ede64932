package org.segno.context;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/**
 * A pattern buffer that is full most of the time: a recording that does not fit is refused and harms no other pattern.
 */
class FullPatternBufferTest {
    private static final int SLOTS = 100;
    private static final int PATTERNS = 48;
    private static final int LONGEST = 12;
    private static final int OPENED = 3_000;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context context;
    private Window source;
    private Window target;
    private Target to;

    /**
     * Each slot's pattern, or -1. A section is taken at the start of the largest free section, of equal ones at the
     * first.
     */
    private final int[] taken = new int[SLOTS];

    private final @Nullable Pattern[] patterns = new Pattern[PATTERNS];
    private long nextValue = 1;

    @BeforeEach
    void open() {
        engines = EngineFixture.open(
                directory,
                NodeSize.small().patternSlots(SLOTS).patterns(PATTERNS).dimensions());
        context = engines.context(0);
        source = engines.client(0).window((long) PATTERNS * LONGEST * Long.BYTES);
        target = engines.client(1).window(source.length());
        engines.client(1).publish("in", engines.client(1).receptionCounter(target, 0, target.length()));
        to = context.attach(1, "in", Deadline.in(10, SECONDS));
        Arrays.fill(taken, -1);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void shouldFindFreeSlotsExactlyWhereAModelDoes(long seed) {
        final Random chance = new Random(seed);
        int opened = 0;
        int full = 0;
        int outgrown = 0;
        while (opened < OPENED) {
            final int id = chance.nextInt(PATTERNS);
            final int length = 1 + chance.nextInt(LONGEST);
            final int largest = largest();
            if (patterns[id] != null) {
                if (chance.nextInt(8) == 0) {
                    shut(id);
                } else {
                    replay(id);
                }
            } else if (length <= largest) {
                record(id, length);
                opened++;
            } else {
                final String why = largest == 0 ? "is full: all " + SLOTS : "largest free section of " + largest;
                assertThatThrownBy(() -> record(id, length))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining(why)
                        .hasMessageContainingAll("close", "withPatternBufferBytes");
                engines.settle();
                full += largest == 0 ? 1 : 0;
                outgrown += largest == 0 ? 0 : 1;
            }
            assertThat(context.patterns().free())
                    .as("after %d of seed %d", opened, seed)
                    .isEqualTo(free());
        }
        assertThat(full).isPositive();
        assertThat(outgrown).isPositive();
        int survivors = 0;
        for (int id = 0; id < PATTERNS; id++) {
            if (patterns[id] != null) {
                replay(id);
                survivors++;
            }
        }
        assertThat(survivors).isPositive();
        for (int id = 0; id < PATTERNS; id++) {
            if (patterns[id] != null) {
                shut(id);
            }
        }
        assertThat(context.patterns().free()).isEqualTo(SLOTS);
    }

    @Test
    void shouldKeepEveryPatternWhenItIsFullAndRecordAgainWhenOneIsClosed() {
        final List<Integer> ids = new ArrayList<>();
        for (int id = 0; free() >= 10; id++) {
            record(id, 10);
            ids.add(id);
        }
        assertThat(context.patterns().free()).isZero();
        for (int attempt = 0; attempt < 100; attempt++) {
            assertThatThrownBy(() -> record(PATTERNS - 1, 1))
                    .hasMessageContaining("the pattern buffer is full: all " + SLOTS + " slots hold patterns")
                    .hasMessageContaining("advance, close some, or raise NodeConfig.withPatternBufferBytes");
        }
        assertThat(context.pattern(PATTERNS - 1)).isNull();
        ids.forEach(this::replay);

        shut(3);

        assertThatThrownBy(() -> record(PATTERNS - 1, 11)).hasMessageContaining("largest free section of 10 slots");
        engines.settle();
        record(PATTERNS - 1, 10);
        replay(PATTERNS - 1);
        ids.remove(Integer.valueOf(3));
        ids.forEach(this::replay);
    }

    private void record(int id, int length) {
        fill(id, length);
        final Pattern pattern = context.record(id, Rounds.ORDERED_BY_CALLER, () -> {
            for (int word = 0; word < length; word++) {
                context.put(to, at(id, word), source, at(id, word), Long.BYTES);
            }
        });
        assertThat(pattern.descriptors()).isEqualTo(length);
        patterns[id] = pattern;
        mark(id, length);
        engines.settle();
        requireLanded(id, length);
    }

    private void replay(int id) {
        final Pattern pattern = patterns[id];
        if (pattern == null) {
            throw new AssertionError("no pattern " + id);
        }
        fill(id, pattern.descriptors());
        final long next = pattern.generation() + 1;
        assertThat(context.replay(pattern)).isEqualTo(next);
        engines.settle();
        requireLanded(id, pattern.descriptors());
    }

    private void shut(int id) {
        final Pattern pattern = patterns[id];
        if (pattern != null) {
            pattern.close();
        }
        patterns[id] = null;
        for (int slot = 0; slot < SLOTS; slot++) {
            taken[slot] = taken[slot] == id ? -1 : taken[slot];
        }
    }

    private void fill(int id, int length) {
        for (int word = 0; word < length; word++) {
            source.buffer().putLong(at(id, word), nextValue++);
        }
    }

    private void requireLanded(int id, int length) {
        for (int word = 0; word < length; word++) {
            assertThat(target.buffer().getLong(at(id, word)))
                    .as("word %d of pattern %d", word, id)
                    .isEqualTo(source.buffer().getLong(at(id, word)));
        }
    }

    private static int at(int id, int word) {
        return (id * LONGEST + word) * Long.BYTES;
    }

    private int free() {
        return (int) Arrays.stream(taken).filter(owner -> owner < 0).count();
    }

    private int largest() {
        int most = 0;
        int run = 0;
        for (final int owner : taken) {
            run = owner < 0 ? run + 1 : 0;
            most = Math.max(most, run);
        }
        return most;
    }

    private void mark(int id, int length) {
        final int most = largest();
        int run = 0;
        for (int slot = 0; slot < SLOTS; slot++) {
            run = taken[slot] < 0 ? run + 1 : 0;
            if (run == most) {
                final int first = slot + 1 - most;
                Arrays.fill(taken, first, first + length, id);
                return;
            }
        }
    }
}
