package org.segno.engine.fifo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.RecordTable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.memory.ContextStates;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;

/** Layouts of the records of this package, compared with their tables: FIFO metadata, runs and lane records. */
class FifoLayoutTest {
    private static final RecordTable METADATA = RecordTable.of(FifoMetadata.class);
    private static final RecordTable RUN = RecordTable.of(RunRing.class);
    private static final RecordTable RECORD = RecordTable.of(LaneRecord.class);
    private static final int CONTEXT = 1;
    private static final int FIFO = 2;

    @TempDir
    Path directory;

    @Test
    void shouldAccountForEveryByteAndKeepWritersApart() {
        assertThat(METADATA.requireWhole().requireApart("application", "engine").length())
                .isEqualTo(NodeLayout.FIFO_SETTINGS_LENGTH);
        assertThat(RUN.requireWhole().length()).isEqualTo(NodeLayout.RUN_LENGTH);
    }

    @Test
    void shouldPlaceTheMetadataOfAFifoAsInTheTable() {
        try (MappedNodes nodes = MappedNodes.create(
                directory, NodeSize.small().contexts(2).fifos(3).dimensions())) {
            final NodeMemory node = nodes.own(0);
            final NodeLayout layout = node.layout();
            final FifoMetadata metadata = new FifoMetadata(node, CONTEXT, FIFO);
            metadata.activate(FifoMetadata.PERSISTENT, 4711, 13);
            metadata.deactivate();
            metadata.activate();
            metadata.priorityAndLinks(5, 6);
            metadata.quantum(7, 8);
            metadata.threshold(9);
            metadata.crossed();
            metadata.crossed();
            metadata.clearThreshold();
            metadata.crossed();
            metadata.sectionTailRelease(14);
            metadata.sectionChanged(20);
            metadata.sectionChanged(21);
            metadata.quarantine(-15);
            metadata.addDescriptors(16);
            node.owner().putLongRelease(metadata.tailOffset(), 17);
            metadata.headRelease(18);
            metadata.confirmActive();
            metadata.confirmInactive();

            final AtomicBuffer raw = node.owner()
                    .buffer(
                            layout.offset(Part.FIFO_SETTINGS)
                                    + (CONTEXT * (3 + 2) + FIFO) * (long) NodeLayout.FIFO_SETTINGS_LENGTH,
                            NodeLayout.FIFO_SETTINGS_LENGTH);
            assertThat(raw.getLong(METADATA.offset("start"))).isEqualTo(4711);
            assertThat(raw.getInt(METADATA.offset("slots"))).isEqualTo(13);
            assertThat(raw.getInt(METADATA.offset("kind"))).isEqualTo(FifoMetadata.PERSISTENT);
            assertThat(raw.getLong(METADATA.offset("enable"))).isEqualTo(1);
            assertThat(raw.getLong(METADATA.offset("activate"))).isEqualTo(2);
            assertThat(raw.getLong(METADATA.offset("deactivate"))).isEqualTo(1);
            assertThat(raw.getLong(METADATA.offset("inactive"))).isEqualTo(1);
            assertThat(raw.getInt(METADATA.offset("priority"))).isEqualTo(5);
            assertThat(raw.getInt(METADATA.offset("link mask"))).isEqualTo(6);
            assertThat(raw.getLong(METADATA.offset("quantum bytes"))).isEqualTo(7);
            assertThat(raw.getLong(METADATA.offset("quantum descriptors"))).isEqualTo(8);
            assertThat(raw.getLong(METADATA.offset("threshold"))).isEqualTo(9);
            assertThat(raw.getLong(METADATA.offset("threshold clears"))).isEqualTo(2);
            assertThat(raw.getLong(METADATA.offset("threshold crossings"))).isEqualTo(3);
            assertThat(raw.getLong(METADATA.offset("section tail"))).isEqualTo(14);
            assertThat(raw.getLong(METADATA.offset("section changes"))).isEqualTo(2L << 32 | 21);
            assertThat(raw.getLong(METADATA.offset("active"))).isEqualTo(2);
            assertThat(raw.getLong(METADATA.offset("quarantine"))).isEqualTo(-15);
            assertThat(raw.getLong(METADATA.offset("descriptors"))).isEqualTo(16);
            final long position = CONTEXT * (long) NodeLayout.POSITIONS_LENGTH + FIFO * Long.BYTES;
            assertThat(node.owner().getLong(layout.offset(Part.TAILS) + position))
                    .isEqualTo(17);
            assertThat(node.owner().getLong(layout.offset(Part.HEADS) + position))
                    .isEqualTo(18);
            assertThat(node.owner().getLong(layout.offset(Part.ANNOUNCEMENTS) + CONTEXT * (long) NodeLayout.LINE_PAIR))
                    .isEqualTo(6);
            assertThat(metadata.isActive()).isTrue();
        }
    }

    @Test
    void shouldPlaceTheThresholdOfTheFreeSlotsAsInTheTable() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final NodeMemory node = nodes.own(0);
            final FifoMetadata metadata = new FifoMetadata(node, 0, 0);
            metadata.freeThreshold(19);
            for (int i = 0; i < 5; i++) {
                metadata.freeCrossed();
            }
            metadata.clearFreeThreshold();
            metadata.freeCrossed();

            final AtomicBuffer raw =
                    node.owner().buffer(node.layout().offset(Part.FIFO_SETTINGS), NodeLayout.FIFO_SETTINGS_LENGTH);
            assertThat(raw.getLong(METADATA.offset("free threshold"))).isEqualTo(19);
            assertThat(raw.getLong(METADATA.offset("free threshold clears"))).isEqualTo(5);
            assertThat(raw.getLong(METADATA.offset("free threshold crossings"))).isEqualTo(6);
            assertThat(metadata.wasFreeThresholdCrossed()).isTrue();
            assertThat(metadata.wasThresholdCrossed()).isFalse();
        }
    }

    @Test
    void shouldPlaceARunAsInTheTable() {
        try (MappedNodes nodes =
                MappedNodes.create(directory, NodeSize.small().contexts(2).dimensions())) {
            final NodeMemory node = nodes.own(0);
            final RunRing ring = RunRing.open(node, CONTEXT, FifoMetadata.PERSISTENT);
            assertThat(ring.offer(1, 2, 3, 4, 5)).isZero();
            assertThat(ring.offer(21, 22, 23, 24, 25)).isEqualTo(1);

            // Two rings per context, the recording one first.
            final long start = node.layout().offset(Part.RUN_RINGS)
                    + (CONTEXT * 2 + 1) * 4L * NodeLayout.RUN_LENGTH
                    + NodeLayout.RUN_LENGTH;
            final AtomicBuffer raw = node.owner().buffer(start, NodeLayout.RUN_LENGTH);
            assertThat(raw.getInt(RUN.offset("first"))).isEqualTo(21);
            assertThat(raw.getInt(RUN.offset("slots"))).isEqualTo(22);
            assertThat(raw.getInt(RUN.offset("arms"))).isEqualTo(23);
            assertThat(raw.getInt(RUN.offset("pattern"))).isEqualTo(24);
            assertThat(raw.getLong(RUN.offset("generation"))).isEqualTo(25);
            assertThat(raw.getLong(RUN.offset("end"))).isZero();
            ring.closeRelease(6);
            assertThat(raw.getLong(RUN.offset("end"))).isEqualTo(7);
        }
    }

    @Test
    void shouldPlaceALaneRecordAsInTheTable() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final NodeMemory node = nodes.own(0);
            final ReceptionFifoProducer lane = ReceptionFifoProducer.of(nodes.asPeer(0), 0, 1);
            final long body = lane.claim(3 + 10);
            assertThat(lane.from(ContextStates.origin(0x21))).isTrue();
            lane.publish(0xFEDC, 3);
            lane.flush();
            assertThat(lane.claim(0)).isNotNegative();
            lane.publishEvent(0xABCD);

            final long start = node.laneOffset(0, 1);
            assertThat(body - start).isEqualTo(LaneRecord.HEADER_LENGTH).isEqualTo(RECORD.offset("origin context") + 1);
            final AtomicBuffer raw = node.peers().buffer(start, 64);
            assertThat(raw.getInt(RECORD.offset("length, kind"))).isEqualTo(8 + 3 + 10 | LaneRecord.MESSAGE << 28);
            assertThat(raw.getShort(RECORD.offset("id"))).isEqualTo((short) 0xFEDC);
            assertThat(raw.getByte(RECORD.offset("metadata length"))).isEqualTo((byte) 3);
            assertThat(raw.getByte(RECORD.offset("origin context"))).isEqualTo((byte) 0x21);
            // The next record begins at a multiple of the alignment, and the header after it is zero.
            assertThat(raw.getInt(32 + RECORD.offset("length, kind")))
                    .isEqualTo(LaneRecord.HEADER_LENGTH | LaneRecord.EVENT << 28);
            assertThat(raw.getShort(32 + RECORD.offset("id"))).isEqualTo((short) 0xABCD);
            assertThat(raw.getByte(32 + RECORD.offset("origin context")))
                    .as("of no message")
                    .isZero();
            assertThat(raw.getLong(48)).isZero();

            assertThat(lane.from(ContextStates.origin(0x21 | 0x3FF << 6, 0x2A, 0x11)))
                    .isTrue();
            assertThat(raw.getInt(48 + RECORD.offset("length, kind")))
                    .isEqualTo(LaneRecord.HEADER_LENGTH | LaneRecord.ORIGIN << 28);
            assertThat(raw.getShort(48 + RECORD.offset("id"))).isEqualTo((short) (0x21 | 0x3FF << 6));
            assertThat(raw.getByte(48 + RECORD.offset("metadata length"))).isEqualTo((byte) 0x2A);
            assertThat(raw.getByte(48 + RECORD.offset("origin context"))).isEqualTo((byte) 0x11);
            assertThat(LaneRecord.ALIGNMENT % Long.BYTES).isZero();
            assertThat(LaneRecord.maxBodyLength(4096)).isEqualTo(1024 - 8);
            assertThat(LaneRecord.HEADER_LENGTH + Descriptor.MAX_METADATA_LENGTH)
                    .isLessThan(1024);
        }
    }
}
