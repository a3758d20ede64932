package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.dma.Reach;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternBuffer;
import org.segno.pattern.Rounds;

/** Sections with several targets. */
@ParameterizedClass
@EnumSource(Reach.class)
class GroupedSectionTest {
    private static final int RANKS = 5;
    private static final int WORDS = 16;

    @Parameter
    Reach reach = Reach.MAPPED;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context context;
    private Window window;
    private final List<Window> windows = new ArrayList<>();
    private final List<Target> targets = new ArrayList<>();

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory,
                NodeSize.small()
                        .ranks(RANKS)
                        .patternSlots(512)
                        .windowBytes(1 << 14)
                        .dimensions(),
                reach,
                EngineFixture.SMALL_LINK);
        context = engines.context(0);
        for (int rank = 0; rank < RANKS; rank++) {
            final Window far = engines.client(rank).window(WORDS * Long.BYTES);
            final ReceptionCounter counter = engines.client(rank).receptionCounter(far, 0, WORDS * Long.BYTES);
            windows.add(far);
            targets.add(new Target(rank, counter.id(), counter.incarnation(), counter.length(), false));
        }
        window = engines.client(0).window(1 << 12);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    /** Returns for each descriptor its operation, its rank and the offset at its target. */
    private List<long[]> section(Pattern pattern) {
        final long[] words = context.patterns().words(pattern);
        final List<long[]> all = new ArrayList<>();
        for (int at = 0; at < words.length; at += PatternBuffer.WORDS) {
            all.add(new long[] {
                Descriptor.operation(words[at]),
                Descriptor.rank(words[at]),
                words[at + Descriptor.TARGET_OFFSET_OFFSET / Long.BYTES],
                words[at + Descriptor.SOURCE_OFFSET_OFFSET / Long.BYTES]
            });
        }
        return all;
    }

    private List<Long> ranks(Pattern pattern) {
        return section(pattern).stream().map(descriptor -> descriptor[1]).toList();
    }

    private void putInTurn() {
        for (int i = 0; i < 3; i++) {
            for (int rank = 1; rank < RANKS; rank++) {
                context.put(targets.get(rank), 8L * i, window, 64L * rank + 8L * i, 8);
            }
        }
    }

    @Test
    void shouldMoveTheDescriptorsOfEachTargetTogetherWhenASectionIsPrepared() {
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, this::putInTurn);
        assertThat(ranks(pattern)).containsExactly(1L, 1L, 1L, 2L, 2L, 2L, 3L, 3L, 3L, 4L, 4L, 4L);
        assertThat(section(pattern).stream().map(descriptor -> descriptor[2]).limit(3))
                .containsExactly(0L, 8L, 16L);
    }

    @Test
    void shouldDoSoAtTheFirstReplayWhenASectionWasRecorded() {
        final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, this::putInTurn);
        assertThat(ranks(pattern)).startsWith(1L, 2L, 3L, 4L, 1L);
        engines.settle();
        for (int round = 2; round <= 3; round++) {
            window.buffer().putLong(64 * 3 + 8, round);
            assertThat(context.replay(pattern)).isEqualTo(round);
            assertThat(ranks(pattern)).startsWith(1L, 1L, 1L, 2L, 2L);
            engines.settle();
            assertThat(windows.get(3).buffer().getLong(8)).isEqualTo(round);
        }
    }

    @Test
    void shouldReuseALoadedPatternThatWasGrouped() {
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, this::putInTurn);
        context.patterns().offer(List.of(pattern));
        assertThat(context.prepare(Rounds.ORDERED_BY_CALLER, this::putInTurn)).isSameAs(pattern);
    }

    /** A PUT to the own rank writes what a later PUT may read; a COPY does, too. */
    @Test
    void shouldMoveNothingAcrossADescriptorThatWritesHere() {
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            context.put(targets.get(1), 0, window, 0, 8);
            context.put(targets.get(2), 0, window, 0, 8);
            context.put(targets.get(0), 0, window, 0, 8);
            context.put(targets.get(1), 0, window, 0, 8);
            context.put(targets.get(2), 0, window, 0, 8);
            context.copy(window, 8, window, 0, 8);
            context.put(targets.get(1), 8, window, 0, 8);
        });
        assertThat(ranks(pattern)).containsExactly(1L, 2L, 0L, 1L, 2L, 0L, 1L);
    }

    /** Random sections against the rules: what stays, what moves, and the order to each target. */
    @RepeatedTest(50)
    void shouldKeepTheOrderToEachTargetAndEveryOtherDescriptor(RepetitionInfo repetition) {
        final SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        final int length = 1 + random.nextInt(200);
        final List<long[]> injected = new ArrayList<>();
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            for (int i = 0; i < length; i++) {
                final int rank = random.nextInt(RANKS);
                final int offset = 8 * random.nextInt(WORDS);
                switch (random.nextInt(12)) {
                    case 0 -> {
                        context.copy(window, 8L * i, window, 2048, 8);
                        injected.add(new long[] {Operation.COPY, 0, 2048, 8L * i});
                    }
                    case 1, 2 -> {
                        context.count(targets.get(rank), -i);
                        injected.add(new long[] {Operation.COUNT, rank, -i, 0});
                    }
                    default -> {
                        context.put(targets.get(rank), offset, window, 8L * i, 8);
                        injected.add(new long[] {Operation.PUT, rank, offset, 8L * i});
                    }
                }
            }
        });
        final List<long[]> section = section(pattern);
        assertThat(section).hasSameSizeAs(injected);
        int from = 0;
        for (int at = 0; at <= length; at++) {
            final boolean stays = at == length || injected.get(at)[0] == Operation.COPY || injected.get(at)[1] == 0;
            if (stays) {
                assertThat(text(section.subList(from, at))).isEqualTo(grouped(injected.subList(from, at)));
                if (at < length) {
                    assertThat(section.get(at)).isEqualTo(injected.get(at));
                }
                from = at + 1;
            }
        }
    }

    private static List<String> grouped(List<long[]> stretch) {
        final Map<Integer, List<long[]>> byFirst = new TreeMap<>();
        for (final long[] descriptor : stretch) {
            int first = 0;
            while (stretch.get(first)[1] != descriptor[1]) {
                first++;
            }
            byFirst.computeIfAbsent(first, f -> new ArrayList<>()).add(descriptor);
        }
        return text(byFirst.values().stream().flatMap(List::stream).toList());
    }

    private static List<String> text(List<long[]> descriptors) {
        return descriptors.stream().map(Arrays::toString).toList();
    }
}
