package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.RecordTable;
import org.segno.engine.memory.NodeLayout.Part;

class NodeHeaderLayoutTest {
    private static final RecordTable TABLE = RecordTable.of(NodeHeader.class);

    @Test
    void shouldAccountForEveryByteAndKeepWritersApart() {
        TABLE.requireWhole().requireApart("owner", "membership");

        assertThat(TABLE.length()).isEqualTo(NodeHeader.LENGTH).isEqualTo(NodeLayout.PAGE);
        // State and heartbeat have a pair of lines each, away from the fields that a joining process reads.
        assertThat(TABLE.offset("state")).isEqualTo(NodeLayout.LINE_PAIR);
        assertThat(TABLE.offset("heartbeat")).isEqualTo(2 * NodeLayout.LINE_PAIR);
    }

    @Test
    void shouldMatchItsTable(@TempDir Path directory) {
        final NodeLayout layout = NodeLayout.of(NodeSize.small().ranks(3).dimensions());
        try (NodeFile file =
                NodeFile.create(directory.resolve("node"), layout, new NodeHeader.Identity(11, 12, 2, 13, 14))) {
            final NodeMemory node = file.mapAsOwner();
            final AtomicBuffer raw = node.owner().buffer(0, NodeHeader.LENGTH);
            new NodeHeader(node.owner()).heartbeatRelease(15);

            // The bytes of SEGNO lie above three bytes for the version.
            final byte[] magic = new byte[5];
            for (int i = 0; i < magic.length; i++) {
                magic[i] = (byte) (raw.getLong(TABLE.offset("magic")) >>> (56 - 8 * i));
            }
            assertThat(new String(magic, StandardCharsets.US_ASCII)).isEqualTo("SEGNO");
            assertThat(raw.getLong(TABLE.offset("magic")) & 0xFF_FFFF).isEqualTo(NodeLayout.VERSION);
            assertThat(raw.getInt(TABLE.offset("byte order"), ByteOrder.nativeOrder()))
                    .isEqualTo(1);
            assertThat(raw.getInt(TABLE.offset("layout hash"))).isEqualTo(NodeLayout.hash());
            assertThat(raw.getLong(TABLE.offset("job id"))).isEqualTo(11);
            assertThat(raw.getLong(TABLE.offset("job id") + Long.BYTES)).isEqualTo(12);
            assertThat(raw.getInt(TABLE.offset("rank"))).isEqualTo(2);
            assertThat(raw.getInt(TABLE.offset("size"))).isEqualTo(3);
            assertThat(raw.getLong(TABLE.offset("pid"))).isEqualTo(13);
            assertThat(raw.getLong(TABLE.offset("process start"))).isEqualTo(14);
            assertThat(raw.getLong(TABLE.offset("file length"))).isEqualTo(layout.fileLength());
            assertThat(raw.getInt(TABLE.offset("dimensions"))).isEqualTo(3);
            assertThat(raw.getInt(
                            TABLE.offset("dimensions") + TABLE.row("dimensions").length() - Integer.BYTES))
                    .isEqualTo(layout.dimensions().laneBytes());
            assertThat(raw.getLong(TABLE.offset("window bytes")))
                    .isEqualTo(layout.dimensions().windowBytes());
            assertThat(raw.getLong(TABLE.offset("state"))).isEqualTo(NodeHeader.MADE);
            assertThat(raw.getLong(TABLE.offset("heartbeat"))).isEqualTo(15);
            int entry = TABLE.offset("parts");
            for (final Part part : Part.values()) {
                assertThat(raw.getLong(entry)).isEqualTo(layout.offset(part));
                assertThat(raw.getLong(entry + Long.BYTES)).isEqualTo(layout.length(part));
                entry += NodeHeader.PART_LENGTH;
            }
            assertThat(entry)
                    .isEqualTo(TABLE.offset("parts") + TABLE.row("parts").length());
        }
    }
}
