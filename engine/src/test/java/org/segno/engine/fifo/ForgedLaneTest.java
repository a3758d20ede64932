package org.segno.engine.fifo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;

/** A forged lane: a record of an origin at its begin, and a pad to its end. Each header by itself is possible. */
class ForgedLaneTest {
    private static final int CAPACITY = 4096;

    @TempDir
    Path directory;

    @Test
    void shouldEndAPollOfALaneThatHasOnlyOriginsAndAPad() {
        try (MappedNodes nodes = MappedNodes.create(
                directory, NodeSize.small().laneBytes(CAPACITY).dimensions())) {
            final NodeMemory own = nodes.own(0);
            final ReceptionFifoConsumer consumer = ReceptionFifoConsumer.of(own, 0, 1);
            final Memory lane = nodes.asPeer(0).peers();
            final long at = own.laneOffset(0, 1);
            lane.putLong(at + 16, LaneRecord.header(CAPACITY - 16, 0, 0, LaneRecord.PAD));
            lane.putLongRelease(at, LaneRecord.originHeader(0));
            final LaneReader reader = new LaneReader();
            assertTimeoutPreemptively(Duration.ofSeconds(10), () -> consumer.poll(reader, 8));
            assertThat(reader.seen).isEmpty();
        }
    }

    @Test
    void shouldEndAPollOfALaneThatIsFullOfOrigins() {
        try (MappedNodes nodes = MappedNodes.create(
                directory, NodeSize.small().laneBytes(CAPACITY).dimensions())) {
            final NodeMemory own = nodes.own(0);
            final ReceptionFifoConsumer consumer = ReceptionFifoConsumer.of(own, 0, 1);
            final Memory lane = nodes.asPeer(0).peers();
            final long at = own.laneOffset(0, 1);
            for (int i = 0; i < CAPACITY; i += 16) {
                lane.putLongRelease(at + i, LaneRecord.originHeader(0));
            }
            final LaneReader reader = new LaneReader();
            assertTimeoutPreemptively(Duration.ofSeconds(10), () -> consumer.poll(reader, 8));
            assertThat(reader.seen).isEmpty();
        }
    }
}
