package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.memory.SmallFileSystem;
import org.segno.status.SegnoException;

class NodeFootprintTest {
    private static final long MEGABYTE = 1 << 20;

    @TempDir
    Path parent;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 16, 17, 64, 255, 256})
    void shouldTakeFourMegabytesAtMostWithoutWindows(int size) {
        final long bytes = NodeConfig.defaults().fileBytes(size);
        assertThat(bytes).isPositive().isLessThanOrEqualTo(4 * MEGABYTE);
        assertThat(NodeConfig.defaults().withWindowBytes(MEGABYTE).fileBytes(size))
                .isEqualTo(bytes + MEGABYTE);
    }

    @Test
    void shouldFitEightDefaultNodesIntoAContainersSharedMemory() throws Exception {
        try (SmallFileSystem files = SmallFileSystem.mount(parent, 64)) {
            final NodeConfig config = NodeConfig.defaults().withThreading(NodeConfig.Threading.INVOKER);
            try (InProcessJob job = InProcessJob.join(parent, 8, config)) {
                job.onThreads(rank -> job.context(rank).barrier(InProcessJob.deadline()));
                assertThat(files.usable()).isPositive();
            }
            assertThat(parent).isEmptyDirectory();
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(ints = {1, 4, 16, 64})
    void shouldFailToJoinWithBothFiguresWhereTheFileSystemIsTooSmall(int megabytes) throws Exception {
        try (SmallFileSystem files = SmallFileSystem.mount(parent, megabytes)) {
            final NodeConfig config = NodeConfig.defaults()
                    .withThreading(NodeConfig.Threading.INVOKER)
                    .withWindowBytes(megabytes * MEGABYTE);
            final long needed = config.fileBytes(2);
            assertThatThrownBy(() -> InProcessJob.join(parent, 2, config))
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContaining("needs " + needed + " bytes")
                    .hasMessageContaining(" left; point SEGNO_DIR")
                    .hasMessageContaining("withWindowBytes");
            assertThat(files.usable()).isPositive();
        }
    }

    @Test
    void shouldNameTheFigureThatTheLanesOfALargeJobNeed() {
        assertThatThrownBy(() -> NodeConfig.defaults().dimensions(257))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 contexts x 257 ranks x 1 engines x 4096 = 1052672")
                .hasMessageContaining("laneBudgetBytes=1048576");
        assertThat(NodeConfig.defaults()
                        .withLaneBudgetBytes(1_052_672)
                        .dimensions(257)
                        .laneBytes())
                .isEqualTo(4096);
    }

    @Test
    void shouldRefuseAPatternBufferThatIsNoMultipleOfADescriptor() {
        for (final long wrong : new long[] {-64, 0, 63, 65, 1L << 31}) {
            assertThatThrownBy(() ->
                            NodeConfig.defaults().withPatternBufferBytes(wrong).dimensions(2))
                    .hasMessageContaining("patternBufferBytes=" + wrong);
        }
    }
}
