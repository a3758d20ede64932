package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.RecordTable;
import org.segno.engine.memory.NodeLayout.Part;

class PeerStatesLayoutTest {
    private static final RecordTable TABLE = RecordTable.of(PeerStates.class);

    @TempDir
    Path directory;

    @Test
    void shouldMatchItsTable() {
        assertThat(TABLE.offset("changes")).isZero();
        assertThat(TABLE.offset("reserved") + TABLE.row("reserved").length())
                .isEqualTo(NodeLayout.PEER_STATES_HEADER_LENGTH);
        try (MappedNodes nodes =
                MappedNodes.create(directory, NodeSize.small().ranks(3).dimensions())) {
            final NodeMemory node = nodes.own(0);
            final PeerStates states = new PeerStates(node);
            states.change(2, PeerStates.DEAD);
            states.change(1, PeerStates.LEFT);
            states.loseHub();

            final AtomicBuffer raw = node.owner().buffer(node.layout().offset(Part.PEER_STATES), (int)
                    node.layout().length(Part.PEER_STATES));
            assertThat(raw.getLong(TABLE.offset("changes"))).isEqualTo(3);
            assertThat(raw.getLong(TABLE.offset("hub"))).isEqualTo(1);
            assertThat(raw.getLong(NodeLayout.PEER_STATES_HEADER_LENGTH)).isEqualTo(PeerStates.JOINED);
            assertThat(raw.getLong(NodeLayout.PEER_STATES_HEADER_LENGTH + Long.BYTES))
                    .isEqualTo(PeerStates.LEFT);
            assertThat(raw.getLong(NodeLayout.PEER_STATES_HEADER_LENGTH + 2 * Long.BYTES))
                    .isEqualTo(PeerStates.DEAD);
        }
    }

    @Test
    void shouldNeitherLetADeadRankLeaveNorADepartedRankDie() {
        try (MappedNodes nodes =
                MappedNodes.create(directory, NodeSize.small().ranks(3).dimensions())) {
            final PeerStates states = new PeerStates(nodes.own(0));
            states.change(1, PeerStates.LEFT);
            states.change(2, PeerStates.DEAD);
            final long changes = states.changesAcquire();

            states.change(1, PeerStates.DEAD);
            states.change(2, PeerStates.LEFT);

            assertThat(states.isDead(1)).isFalse();
            assertThat(states.isDead(2)).isTrue();
            assertThat(states.changesAcquire()).isEqualTo(changes);
        }
    }
}
