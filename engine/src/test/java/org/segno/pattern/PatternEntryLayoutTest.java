package org.segno.pattern;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.RecordTable;
import org.segno.context.Context;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.CounterPair;
import org.segno.memory.Window;

class PatternEntryLayoutTest {
    private static final RecordTable TABLE = RecordTable.of(PatternEntry.class);

    @Test
    void shouldAccountForEveryByte() {
        assertThat(TABLE.requireWhole().length()).isEqualTo(NodeLayout.PATTERN_ENTRY_LENGTH);
    }

    @Test
    void shouldMatchItsTable(@TempDir Path directory) {
        try (EngineFixture engines =
                EngineFixture.open(directory, NodeSize.small().dimensions())) {
            final Context context = engines.context(0);
            final Window window = engines.client(0).window(64);
            final CounterPair pair = engines.client(0).counterPair(window, 0, 8, 8);
            context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.copy(window, 0, window, 32, 8));
            engines.settle();
            final Pattern pattern = context.prepare(Rounds.ALTERNATE, () -> {
                context.expect(pair, 0);
                context.copy(window, 16, window, 32, 8);
                context.copy(window, 16, window, 40, 8);
            });

            final NodeMemory node = engines.memory(0);
            final long offset = PatternEntry.offset(node, 0, pattern.index());
            final AtomicBuffer raw = node.owner().buffer(offset, NodeLayout.PATTERN_ENTRY_LENGTH);
            assertThat(raw.getInt(TABLE.offset("id"))).isEqualTo(pattern.id()).isNegative();
            assertThat(raw.getInt(TABLE.offset("first"))).isEqualTo(1);
            final long extent = raw.getLong(TABLE.offset("extent"));
            assertThat(extent).isEqualTo(3 | 1L << 31 | (long) PatternEntry.ALTERNATE << 62);
            assertThat(PatternEntry.slots(extent)).isEqualTo(3);
            assertThat(PatternEntry.arms(extent)).isEqualTo(1);
            assertThat(PatternEntry.state(extent)).isEqualTo(PatternEntry.ALTERNATE);

            context.replay(pattern);
            engines.settle();
            pattern.close();
            context.record(9, Rounds.ORDERED_BY_CALLER, () -> context.copy(window, 0, window, 32, 8));
            assertThat(raw.getInt(TABLE.offset("id"))).isEqualTo(9);
        }
    }

    @Test
    void shouldBeEmptyOnceThePatternIsClosedAndCarriedOut(@TempDir Path directory) {
        try (EngineFixture engines =
                EngineFixture.open(directory, NodeSize.small().dimensions())) {
            final Context context = engines.context(0);
            final Window window = engines.client(0).window(64);
            final Pattern pattern =
                    context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.copy(window, 0, window, 32, 8));
            final NodeMemory node = engines.memory(0);
            final long offset = PatternEntry.offset(node, 0, pattern.index());
            assertThat(PatternEntry.state(PatternEntry.extent(node.owner(), offset)))
                    .isEqualTo(PatternEntry.ORDERED_BY_CALLER);
            engines.settle();
            pattern.close();
            assertThat(PatternEntry.state(PatternEntry.extent(node.owner(), offset)))
                    .isEqualTo(PatternEntry.NONE);
        }
    }
}
