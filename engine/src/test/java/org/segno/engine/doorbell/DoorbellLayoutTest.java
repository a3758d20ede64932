package org.segno.engine.doorbell;

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

class DoorbellLayoutTest {
    private static final RecordTable TABLE = RecordTable.of(DoorbellRecord.class);

    @Test
    void shouldMatchItsTable(@TempDir Path directory) {
        assertThat(TABLE.offset("reserved") + TABLE.row("reserved").length()).isEqualTo(NodeLayout.LINE_PAIR);
        try (MappedNodes nodes =
                MappedNodes.create(directory, NodeSize.small().contexts(2).dimensions())) {
            final NodeMemory node = nodes.own(0);
            final DoorbellRecord doorbell = new DoorbellRecord(node, 1);
            assertThat(doorbell.isPresent()).isFalse();

            doorbell.pipe(77, 5);
            doorbell.park();
            final long parked = doorbell.parksAcquire();
            doorbell.wake();
            final long awake = doorbell.parksAcquire();
            doorbell.park();

            final AtomicBuffer raw = node.owner().buffer(node.doorbellOffset(1), NodeLayout.LINE_PAIR);
            assertThat(raw.getLong(TABLE.offset("parks"))).isEqualTo(3);
            assertThat(raw.getLong(TABLE.offset("pipe"))).isEqualTo(77);
            assertThat(raw.getInt(TABLE.offset("file"))).isEqualTo(5);
            assertThat(DoorbellRecord.isParked(parked)).isTrue();
            assertThat(DoorbellRecord.isParked(awake)).isFalse();
            assertThat(doorbell.isPresent()).isTrue();
            assertThat(new DoorbellRecord(node, 0).isPresent()).isFalse();

            doorbell.withdraw();
            assertThat(doorbell.isPresent()).isFalse();
        }
    }
}
