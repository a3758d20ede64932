package org.segno.saved;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.node.InProcessJob;
import org.segno.node.OverMemoryAndLinks;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/** Prepared patterns of one job, found by an equal preparation in the next. */
@Timeout(120)
@OverMemoryAndLinks
class PreparedAgainTest {
    @TempDir
    Path parent;

    @TempDir
    Path files;

    private Path file;

    @BeforeEach
    void name() {
        file = files.resolve("rank-0");
    }

    private static List<Pattern> load(TwoRanks ranks, Path file) {
        return ranks.load(0, file, InProcessJob.deadline());
    }

    private static Pattern prepareCopy(TwoRanks ranks, int length) {
        final Context context = ranks.context(0);
        return context.prepare(
                Rounds.ORDERED_BY_CALLER, () -> context.copy(ranks.windows[0], 0, ranks.windows[0], 512, length));
    }

    /** Prepares over slots with older contents, too: the words of the descriptors are the same. */
    @Test
    void shouldFindEveryKindOfDescriptor() {
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            ranks.context(0).prepare(Rounds.ORDERED_BY_CALLER, ranks.everything());
            SavedPatterns.save(ranks.client(0), file);
        }
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            final Context context = ranks.context(0);
            final UnsafeBuffer ones = new UnsafeBuffer(new byte[32]);
            ones.setMemory(0, 32, (byte) 0xFF);
            final Pattern dirty = context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
                for (int i = 0; i < 60; i++) {
                    context.sendImmediate(1, 3, ones, 0, 32);
                }
            });
            ranks.job.advanceUntil(() -> ranks.received.size() == 60);
            ranks.job.settle();
            dirty.close();
            ranks.received.clear();

            final Pattern loaded = load(ranks, file).get(0);
            final Pattern prepared = context.prepare(Rounds.ORDERED_BY_CALLER, ranks.everything());

            assertThat(prepared).isSameAs(loaded);
            ranks.job.settle();
            assertThat(ranks.received).as("nothing is sent by it").isEmpty();
            for (long round = 1; round <= 5; round++) {
                assertThat(context.replay(prepared)).isEqualTo(round);
                ranks.job.settle();
                context.await(prepared, round, InProcessJob.deadline());
                assertThat(ranks.received).hasSize(4);
                ranks.received.clear();
            }
            prepared.close();
            ranks.client(0).close(ranks.singles[0]);
            ranks.client(0).close(ranks.injected[0]);
        }
    }

    @Test
    void shouldReturnEachOfSeveralEqualPatternsOnce() {
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            prepareCopy(ranks, 8);
            prepareCopy(ranks, 8);
            prepareCopy(ranks, 16);
            assertThat(SavedPatterns.save(ranks.client(0), file)).isEqualTo(3);
        }
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            final List<Pattern> loaded = load(ranks, file);
            final Pattern first = prepareCopy(ranks, 8);
            final Pattern second = prepareCopy(ranks, 8);
            final Pattern third = prepareCopy(ranks, 8);
            final Pattern other = prepareCopy(ranks, 24);
            assertThat(loaded).contains(first, second).doesNotContain(third, other);
            assertThat(first).isNotSameAs(second);
            assertThat(loaded).contains(prepareCopy(ranks, 16));
            assertThat(SavedPatterns.save(ranks.client(0), file)).isEqualTo(5);
        }
    }

    @Test
    void shouldNotReturnPatternsThatAreClosedOrReplayedOrRecordedOrOrderedOtherwise() {
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            for (int i = 0; i < 3; i++) {
                prepareCopy(ranks, 8 + 8 * i);
            }
            final Context context = ranks.context(0);
            context.record(
                    1, Rounds.ORDERED_BY_CALLER, () -> context.copy(ranks.windows[0], 0, ranks.windows[0], 512, 64));
            ranks.job.settle();
            SavedPatterns.save(ranks.client(0), file);
        }
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            final Context context = ranks.context(0);
            final List<Pattern> loaded = load(ranks, file);
            for (final Pattern pattern : loaded) {
                if (pattern.id() == -1) {
                    pattern.close();
                } else if (pattern.id() == -2) {
                    assertThat(context.replay(pattern)).isEqualTo(1);
                }
            }
            assertThat(loaded).doesNotContain(prepareCopy(ranks, 8), prepareCopy(ranks, 16), prepareCopy(ranks, 64));
            assertThat(loaded)
                    .doesNotContain(context.prepare(
                            Rounds.ALTERNATE, () -> context.copy(ranks.windows[0], 0, ranks.windows[0], 512, 24)));
            assertThat(loaded).contains(prepareCopy(ranks, 24));
        }
    }

    /** Takes 40 of 64 slots, so that the rest is too short for the same pattern again. */
    @Test
    void shouldRefuseToLoadPatternsThatCouldNotBePreparedAgain() {
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            prepareMany(ranks, 40);
            SavedPatterns.save(ranks.client(0), file);
        }
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            assertThatThrownBy(() -> load(ranks, file))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll(
                            "pattern -1 of 40 descriptors",
                            "of context 0 of rank 0 could not be prepared again",
                            "15 patterns and 24 adjacent slots are free; raise NodeConfig.withPatterns or withPatternBufferBytes");
            assertThat(ranks.context(0).pattern(-1)).isNull();
            final Pattern cold = prepareMany(ranks, 40);
            assertThat(ranks.context(0).replay(cold)).isEqualTo(1);
        }
    }

    @Test
    void shouldRefuseToLoadPatternsThatLeaveNoneToPrepareWith() {
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            for (int i = 0; i < 16; i++) {
                prepareMany(ranks, 1);
            }
            SavedPatterns.save(ranks.client(0), file);
        }
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            assertThatThrownBy(() -> load(ranks, file)).hasMessageContaining("0 patterns and 48 adjacent slots");
            for (int i = 0; i < 16; i++) {
                prepareMany(ranks, 1);
            }
        }
    }

    private static Pattern prepareMany(TwoRanks ranks, int slots) {
        final Context context = ranks.context(0);
        return context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            for (int i = 0; i < slots; i++) {
                context.copy(ranks.windows[0], 0, ranks.windows[0], 512, 8);
            }
        });
    }

    /** Loads a file a second time, which is refused. */
    @Test
    void shouldFindLoadedPatternsAfterASecondLoadWasRefused() {
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            prepareCopy(ranks, 8);
            SavedPatterns.save(ranks.client(0), file);
        }
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            final Pattern loaded = load(ranks, file).get(0);
            assertThatThrownBy(() -> load(ranks, file)).hasMessageContaining("already recorded");
            assertThat(prepareCopy(ranks, 8)).isSameAs(loaded);
        }
    }
}
