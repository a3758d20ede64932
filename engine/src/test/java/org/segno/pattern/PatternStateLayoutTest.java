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
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Refusal;

class PatternStateLayoutTest {
    private static final RecordTable TABLE = RecordTable.of(PatternBuffer.class);

    @Test
    void shouldAccountForEveryByte() {
        assertThat(TABLE.requireWhole().length()).isEqualTo(NodeLayout.PATTERN_STATE_LENGTH);
    }

    @Test
    void shouldMatchItsTable(@TempDir Path directory) {
        try (EngineFixture engines =
                EngineFixture.open(directory, NodeSize.small().dimensions())) {
            final Context context = engines.context(0);
            final Window window = engines.client(0).window(64);
            context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.copy(window, 0, window, 32, 8));
            engines.settle();
            final Pattern pattern = context.record(2, Rounds.ORDERED_BY_CALLER, () -> {
                context.copy(window, 0, window, 32, 8);
                context.put(new Target(1, 9, 1, 8, false), 0, window, 0, 8);
            });
            engines.settle();
            context.replay(pattern);
            engines.settle();

            final NodeMemory node = engines.memory(0);
            final AtomicBuffer raw = node.owner()
                    .buffer(
                            node.layout().offset(Part.PATTERN_STATES)
                                    + (long) pattern.index() * NodeLayout.PATTERN_STATE_LENGTH,
                            NodeLayout.PATTERN_STATE_LENGTH);
            assertThat(pattern.index()).isEqualTo(1);
            assertThat(raw.getLong(TABLE.offset("executed"))).isEqualTo(2);
            assertThat(raw.getLong(TABLE.offset("error")))
                    .isEqualTo(MemoryAccess.error(Refusal.COUNTER_DISABLED.code(), 1));
        }
    }
}
