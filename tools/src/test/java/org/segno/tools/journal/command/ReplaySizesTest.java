package org.segno.tools.journal.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.segno.engine.memory.NodeDimensions;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;

class ReplaySizesTest {
    private static final NodeConfig CONFIG = NodeConfig.defaults().withThreading(Threading.INVOKER);
    private static final int SIZE = 64;

    private static long bytes(long longestMessage, int patterns, long slots) {
        return new ReplaySizes(64, 64, false, longestMessage, patterns, slots)
                .fit(CONFIG, SIZE)
                .fileBytes(SIZE);
    }

    @Test
    void shouldKeepTheDefaultsWhereTheySuffice() {
        assertThat(bytes(4000, 100, 8000)).isEqualTo(CONFIG.fileBytes(SIZE));
    }

    @Test
    void shouldMakeLanesLongEnoughForTheLongestMessage() {
        final long added = bytes(NodeDimensions.MAX_LANE_BYTES / 4 - 100, 0, 0) - CONFIG.fileBytes(SIZE);
        assertThat(added).isGreaterThan(SIZE * (long) NodeDimensions.MAX_LANE_BYTES / 2);
    }

    @Test
    void shouldMakeRoomForAllPatterns() {
        assertThat(bytes(0, NodeConfig.DEFAULT_PATTERNS + 10_000, 0)).isGreaterThan(CONFIG.fileBytes(SIZE));
        assertThat(bytes(0, 1, 20_000)).isGreaterThan(CONFIG.fileBytes(SIZE) + 20_000 * 64);
    }
}
