package org.segno.engine.fifo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BiConsumer;
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

    /**
     * Polls a lane that another process has written, which must end.
     *
     * @param forge receives the memory and the offset of the lane; writes the word at its begin last, with release
     */
    private void poll(BiConsumer<Memory, Long> forge) {
        try (MappedNodes nodes = MappedNodes.create(
                directory, NodeSize.small().laneBytes(CAPACITY).dimensions())) {
            final NodeMemory own = nodes.own(0);
            final ReceptionFifoConsumer consumer = ReceptionFifoConsumer.of(own, 0, 1);
            forge.accept(nodes.asPeer(0).peers(), own.laneOffset(0, 1));
            final LaneReader reader = new LaneReader();
            assertTimeoutPreemptively(Duration.ofSeconds(10), () -> consumer.poll(reader, 8));
            assertThat(reader.seen).isEmpty();
        }
    }

    @Test
    void shouldEndAPollOfALaneThatHasOnlyOriginsAndAPad() {
        poll((lane, at) -> {
            lane.putLong(at + 16, LaneRecord.header(CAPACITY - 16, 0, 0, LaneRecord.PAD));
            lane.putLongRelease(at, LaneRecord.originHeader(0));
        });
    }

    @Test
    void shouldEndAPollOfALaneThatIsFullOfOrigins() {
        poll((lane, at) -> {
            for (int i = CAPACITY - 16; i >= 0; i -= 16) {
                lane.putLongRelease(at + i, LaneRecord.originHeader(0));
            }
        });
    }
}
