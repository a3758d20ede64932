package org.segno.engine.reuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.RecordTable;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.WindowTable;
import org.segno.memory.Window;

class WindowArenaLayoutTest {
    private static final RecordTable TABLE = RecordTable.of(WindowTable.class);

    @TempDir
    Path directory;

    @Test
    void shouldAccountForEveryByte() {
        assertThat(TABLE.requireWhole().length()).isEqualTo(NodeLayout.WINDOW_LENGTH);
    }

    @Test
    void shouldMatchItsTable() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final NodeMemory node = nodes.own(0);
            final AtomicBuffer table = node.owner().buffer(node.layout().offset(Part.WINDOW_TABLE), (int)
                    node.layout().length(Part.WINDOW_TABLE));
            final WindowArena arena = new WindowArena(node);
            arena.open(1);
            arena.open(1000);

            final int second = NodeLayout.WINDOW_LENGTH;
            assertThat(table.getLong(second + TABLE.offset("base"))).isEqualTo(NodeLayout.LINE_PAIR);
            assertThat(table.getLong(second + TABLE.offset("length"))).isEqualTo(1000);
            assertThat(table.getLong(2 * second + TABLE.offset("length"))).isEqualTo(WindowTable.NO_WINDOW);
            final WindowTable found = new WindowTable(node);
            assertThat(found.open(1)).isEqualTo(1000);
            assertThat(found.base()).isEqualTo(NodeLayout.LINE_PAIR);
        }
    }

    @Test
    void shouldFindNoWindowOutsideItsTable() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            assertThat(new WindowArena(nodes.own(0)).free()).isPositive();
            final WindowTable table = new WindowTable(nodes.own(0));
            for (final int id : new int[] {-1, 0, 15, 16, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
                assertThat(table.open(id)).as("window " + id).isEqualTo(WindowTable.NO_WINDOW);
            }
        }
    }

    @Test
    void shouldFindNoWindowWithAnEntryOutsideTheArena() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final NodeMemory node = nodes.own(0);
            final int id = new WindowArena(node).open(64).id();
            final long entry = node.layout().offset(Part.WINDOW_TABLE);
            final WindowTable table = new WindowTable(node);
            final long end = node.arena().length();
            final long[][] forged = {
                {end, 1},
                {end - 63, 64},
                {-1, 64},
                {0, end + 1},
                {Long.MAX_VALUE, 1},
                {1, Long.MAX_VALUE},
                {Long.MIN_VALUE, 64},
                {0, Long.MIN_VALUE},
                {0, -2}
            };
            for (final long[] words : forged) {
                node.owner().putLong(entry, words[0]);
                node.owner().putLong(entry + WindowTable.LENGTH_OFFSET, words[1]);
                assertThat(table.open(id)).as(words[0] + " " + words[1]).isEqualTo(WindowTable.NO_WINDOW);
            }
            node.owner().putLong(entry, end - 64);
            node.owner().putLong(entry + WindowTable.LENGTH_OFFSET, 64);
            assertThat(table.open(id)).isEqualTo(64);
        }
    }

    /** Checks that the application does not read a field back that another process could have written. */
    @Test
    void shouldReuseAnEntryDespiteAnyChangeOfItsIncarnationInTheFile() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final NodeMemory node = nodes.own(0);
            final WindowArena arena = new WindowArena(node);
            final Window first = arena.open(64);
            node.owner().putInt(node.layout().offset(Part.WINDOW_TABLE) + WindowTable.INCARNATION_OFFSET, -77);
            final long bytes = first.length();
            arena.close(first);
            arena.disable(first);
            arena.release(first, bytes);

            final Window second = arena.open(64);

            assertThat(second.id()).isNotNegative().isNotEqualTo(first.id());
            assertThat(new WindowTable(node).open(second.id())).isEqualTo(64);
        }
    }

    @Test
    void shouldReportTheFreeBytesWhenTheArenaIsFull() {
        try (MappedNodes nodes =
                MappedNodes.create(directory, NodeSize.small().windowBytes(1000).dimensions())) {
            final WindowArena arena = new WindowArena(nodes.own(0));
            arena.open(500);

            assertThatThrownBy(() -> arena.open(489))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("bytes=489, left=488 of 1000")
                    .hasMessageContaining("withWindowBytes");
            assertThatThrownBy(() -> arena.open(0)).hasMessageContaining("bytes=0");
            assertThatThrownBy(() -> arena.open(-1)).hasMessageContaining("bytes=-1");
            assertThat(arena.open(488).length()).isEqualTo(488);
            assertThatThrownBy(() -> arena.open(1)).hasMessageContaining("left=0");
        }
    }

    @Test
    void shouldGiveEveryWindowItsOwnMemory() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final WindowArena arena = new WindowArena(nodes.own(0));
            final Window[] windows = new Window[16];
            for (int i = 0; i < windows.length; i++) {
                windows[i] = arena.open(1 + i * 37L);
                windows[i].buffer().setMemory(0, (int) windows[i].length(), (byte) i);
            }
            for (int i = 0; i < windows.length; i++) {
                for (int at = 0; at < windows[i].length(); at++) {
                    assertThat(windows[i].buffer().getByte(at)).isEqualTo((byte) i);
                }
            }
            assertThatThrownBy(() -> arena.open(1)).hasMessageContaining("all 16 windows are in use");
        }
    }
}
