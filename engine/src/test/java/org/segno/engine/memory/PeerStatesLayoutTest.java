package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
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
            assertThat(raw.capacity()).isEqualTo(NodeLayout.PEER_STATES_HEADER_LENGTH + 3);
            assertThat(raw.getLong(TABLE.offset("changes"))).isEqualTo(3);
            assertThat(raw.getLong(TABLE.offset("hub"))).isEqualTo(1);
            assertThat(raw.getByte(NodeLayout.PEER_STATES_HEADER_LENGTH)).isEqualTo((byte) PeerStates.JOINED);
            assertThat(raw.getByte(NodeLayout.PEER_STATES_HEADER_LENGTH + 1)).isEqualTo((byte) PeerStates.LEFT);
            assertThat(raw.getByte(NodeLayout.PEER_STATES_HEADER_LENGTH + 2)).isEqualTo((byte) PeerStates.DEAD);
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

    @Test
    void shouldKeepTheStatesOfNeighboursInAWord() {
        try (MappedNodes nodes =
                MappedNodes.create(directory, NodeSize.small().ranks(19).dimensions())) {
            final PeerStates states = new PeerStates(nodes.own(0));
            for (int rank = 0; rank < 19; rank++) {
                states.change(rank, rank % 3);
            }

            for (int rank = 0; rank < 19; rank++) {
                assertThat(states.stateAcquire(rank)).as("rank %d", rank).isEqualTo(rank % 3);
            }
            assertThat(states.changesAcquire()).isEqualTo(19);
        }
    }

    @Test
    void shouldTakeAnImpossibleByteForAJoinedRank() {
        try (MappedNodes nodes =
                MappedNodes.create(directory, NodeSize.small().ranks(3).dimensions())) {
            final NodeMemory node = nodes.own(0);
            final long states = node.layout().offset(Part.PEER_STATES) + NodeLayout.PEER_STATES_HEADER_LENGTH;
            node.owner().putByte(states + 1, (byte) 0xFE);

            assertThat(new PeerStates(node).stateAcquire(1)).isEqualTo(PeerStates.JOINED);
            assertThat(new PeerStates(node).byteAcquire(1)).isEqualTo(0xFE);
            assertThat(new PeerStates(node).isDead(0)).isFalse();
        }
    }

    /** Lets two threads change the states of alternate ranks, which share words, as membership and an engine do. */
    @Test
    void shouldLoseNoChangeOfTwoWriters() throws InterruptedException {
        final int ranks = 4096;
        try (MappedNodes nodes = MappedNodes.create(
                directory, NodeSize.small().ranks(ranks).mapped(1).dimensions(), 1)) {
            final PeerStates states = new PeerStates(nodes.own(0));
            final CyclicBarrier start = new CyclicBarrier(2);
            final Thread[] writers = new Thread[2];
            for (int writer = 0; writer < writers.length; writer++) {
                final int first = writer;
                writers[writer] = new Thread(() -> {
                    await(start);
                    for (int rank = first; rank < ranks; rank += 2) {
                        states.change(rank, PeerStates.LEFT + first);
                    }
                });
                writers[writer].start();
            }
            for (final Thread writer : writers) {
                writer.join();
            }

            for (int rank = 0; rank < ranks; rank++) {
                assertThat(states.stateAcquire(rank)).isEqualTo(PeerStates.LEFT + rank % 2);
            }
            assertThat(states.changesAcquire()).isEqualTo(ranks);
        }
    }

    private static void await(CyclicBarrier start) {
        try {
            start.await();
        } catch (final InterruptedException | BrokenBarrierException e) {
            throw new AssertionError(e);
        }
    }
}
