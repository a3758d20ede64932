package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.memory.NodeLayout.Half;
import org.segno.engine.memory.NodeLayout.Part;

class NodeLayoutTest {
    private static final int LAYOUTS = 500;
    private static final long SPARSE_LENGTH = 1 << 28;

    /** Part, half, bytes of an item: a line of the table in the Javadoc. */
    private static final Pattern ROW = Pattern.compile("^ \\*  ([A-Z_]+)\\s+(owner|peers|arena)\\s+(\\w+)\\s.*");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldNeverLetPartsOverlap(long seed) {
        final Random chance = new Random(seed);
        for (int i = 0; i < LAYOUTS; i++) {
            final NodeDimensions dimensions = dimensions(chance);
            final NodeLayout layout = NodeLayout.of(dimensions);
            long end = 0;
            Half half = Half.OWNER;
            for (final Part part : Part.values()) {
                if (halfOf(part) != half) {
                    assertThat(end).as(dimensions + " " + half).isLessThanOrEqualTo(layout.length(half));
                    half = halfOf(part);
                    end = 0;
                }
                assertThat(layout.offset(part)).as(dimensions + " " + part).isGreaterThanOrEqualTo(end);
                assertThat(layout.offset(part) % NodeLayout.LINE_PAIR)
                        .as(dimensions + " " + part)
                        .isZero();
                end = layout.offset(part) + layout.length(part);
            }
            assertThat(end).as(dimensions + " " + half).isLessThanOrEqualTo(layout.length(half));
            assertHalvesFillTheFile(layout);
        }
    }

    private static void assertHalvesFillTheFile(NodeLayout layout) {
        long end = 0;
        for (final Half half : Half.values()) {
            assertThat(layout.fileOffset(half)).isEqualTo(end);
            assertThat(layout.length(half) % NodeLayout.PAGE).isZero();
            end += layout.length(half);
        }
        assertThat(layout.fileLength()).isEqualTo(end);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldFindEveryWordOfANodeInsideItsPart(long seed, @TempDir Path directory) throws IOException {
        final Random chance = new Random(seed);
        final Memory room = sparse(directory);
        for (int i = 0; i < LAYOUTS; i++) {
            final NodeDimensions d = dimensions(chance);
            final NodeLayout layout = NodeLayout.of(d);
            final NodeMemory node = new NodeMemory(0, layout, room, room, room);
            assertInside(layout, Part.COUNTER_VALUES, node.injectionValueOffset(0), NodeLayout.COUNTER_VALUE_LENGTH);
            assertThat(node.receptionValueOffset(0))
                    .isEqualTo(node.injectionValueOffset(d.injectionCounters() - 1) + NodeLayout.COUNTER_VALUE_LENGTH);
            assertInside(
                    layout,
                    Part.COUNTER_VALUES,
                    node.receptionValueOffset(d.receptionCounters() - 1),
                    NodeLayout.COUNTER_VALUE_LENGTH);
            assertInside(
                    layout,
                    Part.COUNTER_SETTINGS,
                    node.counterSettingsOffset(d.receptionCounters() - 1),
                    NodeLayout.COUNTER_SETTINGS_LENGTH);
            final int context = d.contexts() - 1;
            assertInside(
                    layout, Part.CONTEXT_STATES, node.contextStateOffset(context), NodeLayout.CONTEXT_STATE_LENGTH);
            assertInside(layout, Part.OWED_EVENTS, node.owedEventsOffset(context), NodeLayout.LINE_PAIR);
            final int lane = d.lanes() - 1;
            assertInside(layout, Part.LANES, node.laneOffset(context, lane), d.laneBytes());
            assertInside(layout, Part.LANE_HEADS, node.laneHeadOffset(context, lane), NodeLayout.LINE_PAIR);
            assertInside(
                    layout, Part.REPLY_LANES, node.replyLaneOffset(context, lane), NodeDimensions.REPLY_LANE_BYTES);
            assertThat(node.replyLaneHeadOffset(0, 0))
                    .isEqualTo(node.laneHeadOffset(context, lane) + NodeLayout.LINE_PAIR);
            assertInside(layout, Part.LANE_HEADS, node.replyLaneHeadOffset(context, lane), NodeLayout.LINE_PAIR);
        }
    }

    /** Returns memory for every node of this test, of which no block is ever touched. */
    private static Memory sparse(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(
                directory.resolve("sparse"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            return MappedMemory.of(channel.map(FileChannel.MapMode.READ_WRITE, 0, SPARSE_LENGTH));
        }
    }

    private static void assertInside(NodeLayout layout, Part part, long offset, long length) {
        assertThat(offset).isBetween(layout.offset(part), layout.offset(part) + layout.length(part) - length);
        assertThat(offset % Long.BYTES).isZero();
    }

    @Test
    void shouldMatchItsTable() throws IOException {
        // Counts without a common factor with any item's length, so that a part of other items could not divide.
        final NodeLayout layout =
                NodeLayout.of(new NodeDimensions(37, 3, 5, 2, 7, 2, 11, 13, 2, 17, 19, 23, 29, 4096, 31));
        final List<String> parts = new ArrayList<>();
        for (final String line : Files.readAllLines(Path.of("src/main/java/org/segno/engine/memory/NodeLayout.java"))) {
            final Matcher row = ROW.matcher(line);
            if (row.matches()) {
                final Part part = Part.valueOf(row.group(1));
                parts.add(part.name());
                assertThat(halfOf(part))
                        .as(line)
                        .isEqualTo(Half.valueOf(row.group(2).toUpperCase(Locale.ROOT)));
                final long item = row.group(3).equals("laneBytes") ? 4096 : Long.parseLong(row.group(3));
                assertThat(layout.length(part) % item).as(line).isZero();
            }
        }
        assertThat(parts)
                .containsExactlyElementsOf(
                        List.of(Part.values()).stream().map(Enum::name).toList());
    }

    @Test
    void shouldKeepWordsOfDifferentWritersApart() {
        // Parts begin at pairs of lines. So a record whose length is no multiple of a pair has one writer, or is
        // written as a whole before its first use.
        assertThat(NodeLayout.POSITIONS_LENGTH % NodeLayout.LINE_PAIR).isZero();
        assertThat(NodeLayout.FIFO_SETTINGS_LENGTH % NodeLayout.LINE_PAIR).isZero();
        assertThat(NodeLayout.COUNTER_VALUE_LENGTH % NodeLayout.LINE_PAIR).isZero();
        assertThat(NodeLayout.PEER_STATES_HEADER_LENGTH % NodeLayout.LINE_PAIR).isZero();
        assertThat(NodeLayout.METRICS_LENGTH % NodeLayout.LINE_PAIR).isZero();
        assertThat(NodeDimensions.MIN_LANE_BYTES % NodeLayout.LINE_PAIR).isZero();
        assertThat(NodeDimensions.MAX_FIFOS * Long.BYTES).isLessThanOrEqualTo(NodeLayout.POSITIONS_LENGTH);
    }

    @Test
    void shouldRefuseAHalfThatOneMappingCannotHold() {
        final NodeSize large = NodeSize.small().contexts(64).ranks(1 << 16).laneBytes(1 << 20);

        assertThatThrownBy(() -> NodeLayout.of(large.dimensions()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PEERS half")
                .hasMessageContaining("laneBytes=1048576");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 3, 6, 1 << 30})
    void shouldRefuseSlotsThatAreNoPowerOfTwoWithinItsRange(int slots) {
        assertThatThrownBy(() -> NodeSize.small().fifoSlots(slots).dimensions())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fifoSlots=" + slots);
    }

    private static Half halfOf(Part part) {
        return switch (part) {
            case OWED_EVENTS, LANES, REPLY_LANES -> Half.PEERS;
            case WINDOWS, COUNTER_VALUES -> Half.ARENA;
            default -> Half.OWNER;
        };
    }

    private static NodeDimensions dimensions(Random chance) {
        final int size = 1 + chance.nextInt(40);
        return new NodeDimensions(
                size,
                1 + chance.nextInt(size),
                1 + chance.nextInt(6),
                1 + chance.nextInt(6),
                1 + chance.nextInt(NodeDimensions.MAX_FIFOS - 2),
                2 << chance.nextInt(8),
                1 + chance.nextInt(10_000),
                1 + chance.nextInt(10_000),
                2 << chance.nextInt(8),
                1 + chance.nextInt(300),
                1 + chance.nextInt(300),
                1 + chance.nextInt(300),
                1 + chance.nextInt(300),
                NodeDimensions.MIN_LANE_BYTES << chance.nextInt(6),
                chance.nextInt(1 << 20));
    }
}
