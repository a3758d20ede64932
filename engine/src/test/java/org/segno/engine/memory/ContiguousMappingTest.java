package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContiguousMappingTest {
    private static final int SEGMENT = 1 << 20;
    private static final int LENGTH = 4 * SEGMENT + 3 * NodeLayout.PAGE;

    @TempDir
    Path directory;

    private FileChannel file;

    /** Mappings that obstruct the test's own, kept reachable. */
    private final List<MappedByteBuffer> obstacles = new ArrayList<>();

    @BeforeEach
    void make() throws IOException {
        file = FileChannel.open(
                directory.resolve("file"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    @Test
    void shouldShowTheFileAsOneRange() throws IOException {
        final Memory memory = ContiguousMapping.map(this::map, LENGTH, SEGMENT);
        final Memory whole = MappedMemory.of(map(0, LENGTH));

        assertThat(memory.length()).isEqualTo(LENGTH);
        for (long offset = 0; offset < LENGTH; offset += Long.BYTES) {
            memory.putLong(offset, offset * 31);
        }
        for (long offset = 0; offset < LENGTH; offset += Long.BYTES) {
            assertThat(whole.getLong(offset)).isEqualTo(offset * 31);
        }
        assertThatThrownBy(() -> memory.buffer(LENGTH - 7, 8)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void shouldCopyAcrossItsSeams() throws IOException {
        final Memory memory = ContiguousMapping.map(this::map, LENGTH, SEGMENT);
        final Memory whole = MappedMemory.of(map(0, LENGTH));
        for (final int length : new int[] {1, 8, 9, 127, 4000, 2 * SEGMENT + 5}) {
            for (int i = 0; i < length; i++) {
                whole.putByte(SEGMENT - 3 + i, (byte) (i * 7 + length));
            }
            // Copies from across one seam, or two, to across others.
            final int target = LENGTH - length - 5 - 2 * NodeLayout.PAGE;
            if (length < SEGMENT) {
                memory.copyTo(SEGMENT - 3, memory, 3L * SEGMENT - length / 2, length);
                assertSame(whole, 3 * SEGMENT - length / 2, length);
            }
            final Memory elsewhere =
                    ContiguousMapping.map((offset, bytes) -> map(LENGTH + offset, bytes), LENGTH, SEGMENT);
            memory.copyTo(SEGMENT - 3, elsewhere, target, length);
            assertSame(MappedMemory.of(map(LENGTH, LENGTH)), target, length);
        }
    }

    private static void assertSame(Memory found, int offset, int length) {
        for (int i = 0; i < length; i++) {
            if (found.getByte(offset + i) != (byte) (i * 7 + length)) {
                throw new AssertionError("byte " + i + " of " + length + " is " + found.getByte(offset + i));
            }
        }
    }

    @Test
    void shouldShowBuffersWithinASegmentAndAcrossSeams() throws IOException {
        final Memory memory = ContiguousMapping.map(this::map, LENGTH, SEGMENT);
        final int[][] ranges = {
            {0, 16}, {SEGMENT - 16, 16}, {SEGMENT, 16}, {SEGMENT - 8, 16}, {5, LENGTH - 5}, {SEGMENT, 0}, {LENGTH, 0}
        };
        for (final int[] range : ranges) {
            final AtomicBuffer buffer = memory.buffer(range[0], range[1]);
            assertThat(buffer.capacity()).isEqualTo(range[1]);
            for (int i = 0; i < range[1]; i += 4) {
                buffer.putByte(i, (byte) (i + 1));
                assertThat(memory.getByte(range[0] + i)).isEqualTo((byte) (i + 1));
            }
            assertThatThrownBy(() -> buffer.getByte(range[1])).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void shouldRetryWhereAnotherMappingLiesBetweenTheSegments() throws IOException {
        final int[] calls = {0};
        final Memory memory = ContiguousMapping.map(
                (offset, bytes) -> {
                    if (calls[0]++ < 20) {
                        obstacles.add(map(0, SEGMENT));
                    }
                    return map(offset, bytes);
                },
                LENGTH,
                SEGMENT);
        assertThat(calls[0]).isGreaterThan(20);
        memory.putLong(3L * SEGMENT - 4, 0x0102_0304_0506_0708L);
        assertThat(MappedMemory.of(map(0, LENGTH)).getLong(3L * SEGMENT - 4)).isEqualTo(0x0102_0304_0506_0708L);
    }

    @Test
    void shouldReportTheRemedyWhereMappingsAreNeverAdjacent() {
        assertThatThrownBy(() -> ContiguousMapping.map(
                        (offset, bytes) -> {
                            final MappedByteBuffer segment = map(offset, bytes);
                            obstacles.add(map(0, bytes));
                            obstacles.add(segment);
                            return segment;
                        },
                        LENGTH,
                        SEGMENT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(LENGTH + " bytes")
                .hasMessageContaining("withWindowBytes");
    }

    private MappedByteBuffer map(long offset, long bytes) throws IOException {
        return file.map(MapMode.READ_WRITE, offset, bytes);
    }
}
