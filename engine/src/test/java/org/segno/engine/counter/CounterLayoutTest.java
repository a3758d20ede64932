package org.segno.engine.counter;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.RecordTable;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.reuse.CounterGroup;
import org.segno.engine.reuse.WindowArena;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Window;

class CounterLayoutTest {
    private static final RecordTable SETTINGS = RecordTable.of(CounterSettings.class);
    private static final RecordTable INJECTION = RecordTable.of(InjectionCounter.class);
    private static final RecordTable RECEPTION = RecordTable.of(ReceptionCounter.class);
    private static final RecordTable OWED = RecordTable.of(OwedEvents.class);

    @TempDir
    Path directory;

    @Test
    void shouldAccountForEveryByte() {
        assertThat(SETTINGS.requireWhole().length()).isEqualTo(NodeLayout.COUNTER_SETTINGS_LENGTH);
        assertThat(INJECTION.requireWhole().length()).isEqualTo(NodeLayout.COUNTER_VALUE_LENGTH);
        assertThat(RECEPTION.requireWhole().length()).isEqualTo(NodeLayout.COUNTER_VALUE_LENGTH);
        assertThat(OWED.requireWhole().length()).isEqualTo(NodeLayout.LINE_PAIR);
        assertThat(RECEPTION.offset("memory")).isEqualTo(NodeLayout.COUNTER_MEMORY_OFFSET);
        assertThat(RECEPTION.row("memory").length()).isEqualTo(NodeLayout.COUNTER_MEMORY_LENGTH);
        assertThat(RECEPTION.offset("error")).as("behind the line of the value").isEqualTo(64);
    }

    @Test
    void shouldCountOwedEventsWhereTheTablesTell() {
        try (MappedNodes files = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final NodeMemory node = files.own(0);
            final OwedEvents owed = new OwedEvents(node);
            owed.add(1, 0);
            owed.add(2, 0);
            owed.add(1, 0);
            assertThat(node.values().getLong(node.receptionValueOffset(1) + RECEPTION.offset("owed")))
                    .isEqualTo(2)
                    .isEqualTo(owed.ofCounterAcquire(1));
            assertThat(node.peers().getLong(node.owedEventsOffset(0) + OWED.offset("owed")))
                    .isEqualTo(3)
                    .isEqualTo(owed.ofContextAcquire(0));
        }
    }

    @Test
    void shouldMatchTheTables() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final NodeMemory node = nodes.own(0);
            final WindowArena arena = new WindowArena(node);
            arena.open(200);
            final Window window = arena.open(1000);
            final CounterGroup group = new CounterGroup(node);
            group.bare(ReceptionCounter.ANYBODY);
            final ReceptionCounter counter = group.reception(window, 24, 512, 1, Right.PUT, Right.ATOMIC);
            MemoryAccess.events(counter, 0, id -> {});
            counter.forbidUnderflow();

            final AtomicBuffer raw =
                    node.owner().buffer(node.counterSettingsOffset(1), NodeLayout.COUNTER_SETTINGS_LENGTH);
            final long state = raw.getLong(SETTINGS.offset("state"));
            assertThat((int) state)
                    .isEqualTo(CounterSettings.ENABLED
                            | CounterSettings.EVENTS
                            | CounterSettings.PUT
                            | CounterSettings.ATOMIC
                            | CounterSettings.NO_UNDERFLOW);
            assertThat((int) (state >>> 32)).isEqualTo(counter.incarnation());
            assertThat(raw.getLong(SETTINGS.offset("base")))
                    .isEqualTo(window.base() + 24)
                    .isEqualTo(256 + 24);
            assertThat(raw.getLong(SETTINGS.offset("limit"))).isEqualTo(512);
            assertThat(raw.getInt(SETTINGS.offset("sources"))).isEqualTo(1);
            assertThat(raw.getInt(SETTINGS.offset("context"))).isZero();

            counter.expect(77);
            assertThat(node.values().getLong(node.receptionValueOffset(1) + RECEPTION.offset("value")))
                    .isEqualTo(77);

            MemoryAccess.refuse(node.values(), node.receptionValueOffset(1), -21, 4);
            assertThat(node.values().getLong(node.receptionValueOffset(1) + RECEPTION.offset("error")))
                    .isEqualTo(MemoryAccess.error(-21, 4))
                    .isEqualTo(counter.errorAcquire());

            group.injection();
            final InjectionCounter injection = group.injection();
            MemoryAccess.events(injection);
            injection.forbidUnderflow();
            injection.expect(0);
            injection.expect(78);
            MemoryAccess.refuse(node.values(), node.injectionValueOffset(1), -20, 3);
            final AtomicBuffer value =
                    node.values().buffer(node.injectionValueOffset(1), NodeLayout.COUNTER_VALUE_LENGTH);
            assertThat(value.getLong(INJECTION.offset("value"))).isEqualTo(78);
            assertThat(value.getLong(INJECTION.offset("flags"))).isEqualTo(3);
            assertThat(value.getLong(INJECTION.offset("events")))
                    .as("of the expectation of nothing, and of the refusal")
                    .isEqualTo(2);
            assertThat(value.getInt(INJECTION.offset("error"))).isEqualTo(-20);
            assertThat(value.getInt(INJECTION.offset("error") + Integer.BYTES)).isEqualTo(3);
        }
    }
}
