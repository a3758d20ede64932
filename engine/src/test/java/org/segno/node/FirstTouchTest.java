package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A page of memory lies on the memory node (NUMA) of the thread that first writes to it. The thread that joins a rank
 * writes to all pages of its file. Linux counts the bytes that each thread has written.
 */
class FirstTouchTest {
    private static final Path WRITTEN = Path.of("/proc/thread-self/io");
    private static final String FIELD = "wchar: ";
    private static final long MEBIBYTE = 1 << 20;

    @TempDir
    Path parent;

    @Test
    void shouldWriteToAllPagesOfARankInTheThreadThatJoinsIt() throws Exception {
        assumeTrue(Files.isReadable(WRITTEN), "the kernel does not count the bytes of each thread: " + WRITTEN);
        final List<Long> windows = List.of(8 * MEBIBYTE, 24 * MEBIBYTE);
        final ExecutorService threads = Executors.newFixedThreadPool(windows.size());
        final List<Future<Long>> written = windows.stream()
                .map(bytes -> threads.submit(() -> join(windows.indexOf(bytes), bytes)))
                .toList();
        for (int rank = 0; rank < windows.size(); rank++) {
            // Beside the windows a small node takes less than a mebibyte.
            assertThat(written.get(rank).get(30, TimeUnit.SECONDS))
                    .as("bytes that the thread of rank " + rank + " has written")
                    .isBetween(windows.get(rank), windows.get(rank) + 2 * MEBIBYTE);
        }
        threads.shutdown();
    }

    private long join(int rank, long windowBytes) throws IOException {
        final NodeConfig config =
                SmallNodes.config(NodeConfig.Threading.INVOKER, 2).withWindowBytes(windowBytes);
        final long before = written();
        final Node node =
                Node.join(JobConfig.of("test-00000000000000aa", rank, 2).withDirectory(parent), config);
        final long bytes = written() - before;
        assertThat(node.memory().layout().fileLength()).isLessThanOrEqualTo(bytes);
        node.close();
        return bytes;
    }

    private static long written() throws IOException {
        return Files.readAllLines(WRITTEN).stream()
                .filter(line -> line.startsWith(FIELD))
                .mapToLong(line -> Long.parseLong(line.substring(FIELD.length())))
                .findFirst()
                .orElseThrow();
    }
}
