package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.memory.NodeHeader.Identity;
import org.segno.status.SegnoException;

/** Node files on file systems that are too small for them. */
class FullFileSystemTest {
    private static final long MEGABYTE = 1 << 20;
    private static final long SECONDS = 20;

    @TempDir
    Path mountPoint;

    @ParameterizedTest
    @Tag("long")
    @ValueSource(ints = {1, 64})
    void shouldGiveOneExceptionWithBothFiguresAndLeaveNothingBehind(int megabytes) throws Exception {
        try (SmallFileSystem files = SmallFileSystem.mount(mountPoint, megabytes)) {
            final NodeLayout tooLarge = layout(megabytes * MEGABYTE);

            assertThatThrownBy(() -> create(0, tooLarge))
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContaining("needs " + tooLarge.fileLength() + " bytes")
                    .hasMessageContaining("has " + files.usable() + " left")
                    .hasMessageContaining("SEGNO_DIR")
                    .hasMessageContaining("withWindowBytes");
            assertThat(mountPoint).isEmptyDirectory();
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(ints = {1, 64})
    void shouldUseAFileSystemToItsLastBlock(int megabytes) throws Exception {
        try (SmallFileSystem files = SmallFileSystem.mount(mountPoint, megabytes)) {
            final long usable = files.usable();
            final long rest = usable - layout(0).fileLength();
            final NodeLayout fitting = layout(rest);
            assertThat(fitting.fileLength()).isEqualTo(usable);

            try (NodeFile file = create(0, fitting)) {
                final NodeMemory node = file.mapAsOwner();
                assertThat(files.usable()).isZero();
                // Every page has its block, so a store to any of them succeeds.
                for (long offset = 0; offset < rest; offset += NodeLayout.PAGE) {
                    node.arena().putByte(offset, (byte) 1);
                }
                assertThatThrownBy(() -> create(1, layout(0)))
                        .isInstanceOf(SegnoException.class)
                        .hasMessageContaining("has 0 left");
            }
        }
    }

    /**
     * Starts several ranks that each find enough free space, but not all get it: a late failure reports the same
     * figures.
     */
    @Test
    @Tag("long")
    void shouldGiveBothFiguresToRanksThatLoseTheRaceForTheLastBlocks() throws Exception {
        final NodeLayout large = layout(6 * MEGABYTE);
        final int ranks = 4;
        final ExecutorService threads = Executors.newFixedThreadPool(ranks);
        try (SmallFileSystem files = SmallFileSystem.mount(mountPoint, 16)) {
            assertThat(files.usable()).isPositive();
            final List<Future<NodeFile>> creations = new ArrayList<>();
            for (int rank = 0; rank < ranks; rank++) {
                final int self = rank;
                creations.add(threads.submit(() -> create(self, large)));
            }
            int made = 0;
            for (final Future<NodeFile> creation : creations) {
                try {
                    creation.get(SECONDS, TimeUnit.SECONDS).close();
                    made++;
                } catch (final ExecutionException e) {
                    assertThat(e.getCause())
                            .isInstanceOf(SegnoException.class)
                            .hasMessageContaining("needs " + large.fileLength() + " bytes")
                            .hasMessageContaining(" left; point SEGNO_DIR");
                }
            }
            assertThat(made).isLessThanOrEqualTo(2);
            try (Stream<Path> left = Files.list(mountPoint)) {
                assertThat(left).hasSize(made);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private NodeFile create(int rank, NodeLayout layout) {
        return NodeFile.create(mountPoint.resolve("node-" + rank), layout, new Identity(1, 2, rank, 3, 4));
    }

    private static NodeLayout layout(long windowBytes) {
        return NodeLayout.of(NodeSize.small().ranks(4).windowBytes(windowBytes).dimensions());
    }
}
