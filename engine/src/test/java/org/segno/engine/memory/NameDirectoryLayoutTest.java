package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.RecordTable;
import org.segno.engine.memory.NameDirectory.Entry;
import org.segno.engine.memory.NodeLayout.Part;

class NameDirectoryLayoutTest {
    private static final RecordTable TABLE = RecordTable.of(NameDirectory.class);

    @TempDir
    Path directory;

    @Test
    void shouldAccountForEveryByte() {
        assertThat(TABLE.requireWhole().length()).isEqualTo(NodeLayout.NAME_LENGTH);
        assertThat(TABLE.row("name").length()).isEqualTo(NameDirectory.MAX_NAME_BYTES);
    }

    @Test
    void shouldMatchItsTable() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final NodeMemory node = nodes.own(0);
            final NameDirectory names = new NameDirectory(node);
            names.publish("first", new Entry(NameDirectory.COUNTER, 1, 2, 3));
            names.publish("zwölf", new Entry(NameDirectory.PAIR, 4, 5, 1L << 40));

            final AtomicBuffer raw = node.owner().buffer(node.layout().offset(Part.NAMES), 2 * NodeLayout.NAME_LENGTH);
            final int second = NodeLayout.NAME_LENGTH;
            final byte[] name = new byte[raw.getInt(second + TABLE.offset("name length"))];
            raw.getBytes(second + TABLE.offset("name"), name);
            assertThat(new String(name, StandardCharsets.UTF_8)).isEqualTo("zwölf");
            assertThat(raw.getByte(second + TABLE.offset("state"))).isEqualTo((byte) 2);
            assertThat(raw.getInt(second + TABLE.offset("id"))).isEqualTo(4);
            assertThat(raw.getInt(second + TABLE.offset("incarnation"))).isEqualTo(5);
            assertThat(raw.getLong(second + TABLE.offset("length"))).isEqualTo(1L << 40);
        }
    }

    @Test
    void shouldBeReadByPeers() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final NameDirectory peers = new NameDirectory(nodes.asPeer(0));
            final Entry entry = new Entry(NameDirectory.COUNTER, 1, 2, 3);
            assertThat(peers.find("name")).isNull();

            new NameDirectory(nodes.own(0)).publish("name", entry);

            assertThat(peers.find("name")).isEqualTo(entry);
            assertThat(peers.find("nam")).isNull();
            assertThat(peers.find("names")).isNull();
        }
    }

    @Test
    void shouldRefuseANameThatIsTakenTooLongOrOneTooMany() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final NameDirectory names = new NameDirectory(nodes.own(0));
            final Entry entry = new Entry(NameDirectory.COUNTER, 1, 2, 3);
            final String longest = "ä".repeat(NameDirectory.MAX_NAME_BYTES / 2);
            names.publish(longest, entry);

            assertThat(names.find(longest)).isEqualTo(entry);
            assertThatThrownBy(() -> names.publish(longest, entry))
                    .hasMessageContaining("already published; withdraw it, or choose another: name=");
            assertThatThrownBy(() -> names.publish(longest + "x", entry)).hasMessageContaining("it has 97");
            assertThatThrownBy(() -> names.publish("", entry)).hasMessageContaining("it has 0");
            for (int i = 1; i < 16; i++) {
                names.publish("name " + i, entry);
            }
            assertThatThrownBy(() -> names.publish("more", entry))
                    .hasMessageContaining("all 16 names are in use")
                    .hasMessageContaining("more");
            assertThat(names.find("more")).isNull();
        }
    }
}
