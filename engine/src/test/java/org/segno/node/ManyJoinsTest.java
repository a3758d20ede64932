package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.memory.SmallFileSystem;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;

/** Joins of one process that joins and closes repeatedly, on a file system that holds a few of its nodes at a time. */
class ManyJoinsTest {
    private static final int JOINS = 25;
    private static final int MEGABYTES = 128;
    private static final long WINDOW_BYTES = 40L << 20;

    @TempDir
    Path mountPoint;

    @Test
    void shouldReuseTheMemoryOfClosedNodes() throws Exception {
        try (SmallFileSystem files = SmallFileSystem.mount(mountPoint, MEGABYTES)) {
            assertThat(files.usable()).isLessThan(4 * WINDOW_BYTES);
            final JobConfig job = JobConfig.of("often", 0, 1).withDirectory(mountPoint);
            final NodeConfig config = SmallNodes.config(Threading.INVOKER, 1).withWindowBytes(WINDOW_BYTES);
            for (int join = 0; join < JOINS; join++) {
                try (Node node = Node.join(job, config)) {
                    final Window window = node.client().window(WINDOW_BYTES);
                    window.buffer().putLong((int) WINDOW_BYTES - Long.BYTES, join);
                }
            }
            assertThat(mountPoint).isEmptyDirectory();
        }
    }

    /** Reads a window's buffer after its node was closed, which is allowed as long as the application holds it. */
    @Test
    void shouldKeepTheMemoryOfABufferThatIsStillInUse() throws Exception {
        try (SmallFileSystem files = SmallFileSystem.mount(mountPoint, MEGABYTES)) {
            assertThat(files.usable()).isPositive();
            final JobConfig job = JobConfig.of("often", 0, 1).withDirectory(mountPoint);
            final NodeConfig config = SmallNodes.config(Threading.INVOKER, 1).withWindowBytes(WINDOW_BYTES);
            final AtomicBuffer held = heldBuffer(job, config);
            for (int join = 0; join < 5; join++) {
                Node.join(job, config).close();
            }
            assertThat(held.getLong(0)).isEqualTo(4711);
        }
    }

    private static AtomicBuffer heldBuffer(JobConfig job, NodeConfig config) {
        try (Node node = Node.join(job, config)) {
            final Window window = node.client().window(64);
            window.buffer().putLong(0, 4711);
            return window.buffer();
        }
    }
}
