package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.memory.NodeHeader.Identity;
import org.segno.engine.memory.NodeLayout.Half;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.status.SegnoException;

/**
 * Node files with a header and a length that a fuzzer has changed. A joining or observing process maps memory inside
 * the file or reports the difference.
 */
@Tag("fuzz")
class NodeFileFuzzTest {
    private static final int SIZE = 2;
    private static final Identity IDENTITY = new Identity(1, 2, 1, 3, 4);
    private static final int CHANGES = 8;

    @TempDir
    Path directory;

    private Path path;
    private byte[] header = {};
    private long length;

    @BeforeEach
    void makeAFile() throws IOException {
        path = directory.resolve("node-1");
        final NodeLayout layout =
                NodeLayout.of(NodeSize.small().ranks(SIZE).windowBytes(4096).dimensions());
        NodeFile.create(path, layout, IDENTITY).close();
        length = Files.size(path);
        try (FileChannel channel = FileChannel.open(path)) {
            final ByteBuffer first = ByteBuffer.allocate(NodeHeader.LENGTH);
            channel.read(first, 0);
            header = first.array();
        }
    }

    @FuzzTest(maxDuration = "1m")
    void shouldMapNothingOutsideTheFile(FuzzedDataProvider data) throws IOException {
        final ByteBuffer changed = ByteBuffer.wrap(header.clone()).order(ByteOrder.nativeOrder());
        long end = length;
        if (data.consumeByte() == 1) {
            end = data.consumeLong(0, 2 * length);
        }
        for (int i = 0; i < CHANGES && data.remainingBytes() != 0; i++) {
            // The used fields lie in the first part of the page.
            final int word = data.consumeInt(0, 211);
            if (data.consumeBoolean()) {
                changed.putInt(Integer.BYTES * word, data.consumeInt());
            } else {
                changed.putInt(
                        Integer.BYTES * word, changed.getInt(Integer.BYTES * word) ^ (1 << data.consumeInt(0, 31)));
            }
        }
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.truncate(end);
            channel.write(changed, 0);
            channel.truncate(end);
            if (channel.size() < end) {
                channel.write(ByteBuffer.allocate(1), end - 1);
            }
        }
        join(end);
        look(end);
    }

    private void join(long end) {
        try (NodeFile file = NodeFile.open(path, IDENTITY, SIZE)) {
            requireInside(file.mapAsPeer(), end);
        } catch (SegnoException e) {
            assertThat(e).hasMessageContaining("node-1");
        }
    }

    private void look(long end) {
        try {
            requireInside(ObservedNode.open(path).memory(), end);
        } catch (SegnoException e) {
            assertThat(e).hasMessageContaining("node-1");
        }
    }

    /** Checks that every part lies in its half, every half in the file, and that every page can be read. */
    private static void requireInside(NodeMemory node, long end) {
        final NodeLayout layout = node.layout();
        assertThat(layout.fileLength()).isEqualTo(end);
        for (final Part part : Part.values()) {
            assertThat(layout.offset(part) + layout.length(part)).isLessThanOrEqualTo(layout.length(part.half()));
        }
        for (final Half half : Half.values()) {
            assertThat(layout.fileOffset(half) + layout.length(half)).isLessThanOrEqualTo(end);
        }
        node.touch();
    }
}
