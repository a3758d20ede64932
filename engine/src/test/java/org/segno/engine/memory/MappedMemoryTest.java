package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.nio.file.Path;
import java.util.Random;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedMemoryTest {
    private static final int LONGEST = 300;
    private static final byte CANARY = 0x5A;

    @TempDir
    Path directory;

    @Test
    void shouldCopyEveryLengthBetweenAnyAlignmentsAndNothingBesideIt() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final Memory source = nodes.own(0).arena();
            final Memory target = nodes.own(1).arena();
            final AtomicBuffer from = source.buffer(0, 1024);
            final AtomicBuffer to = target.buffer(0, 1024);
            for (int i = 0; i < from.capacity(); i++) {
                from.putByte(i, (byte) (i * 7));
            }
            for (int length = 0; length <= LONGEST; length++) {
                final int sourceOffset = length % 11;
                final int targetOffset = 16 + length % 13;
                to.setMemory(0, to.capacity(), CANARY);

                source.copyTo(sourceOffset, target, targetOffset, length);

                for (int i = 0; i < to.capacity(); i++) {
                    final boolean copied = i >= targetOffset && i < targetOffset + length;
                    final byte expected = copied ? from.getByte(sourceOffset + i - targetOffset) : CANARY;
                    if (to.getByte(i) != expected) {
                        throw new AssertionError("length " + length + ", byte " + i + " is " + to.getByte(i));
                    }
                }
            }
        }
    }

    @Test
    void shouldContainNoRangeThatOverflows() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final Memory memory = nodes.own(0).arena();
            final long length = memory.length();
            final long[] edges = {
                Long.MIN_VALUE, -length, -1, 0, 1, length - 1, length, length + 1, Long.MAX_VALUE - 1, Long.MAX_VALUE
            };
            final Random chance = new Random(1);
            for (int i = 0; i < 10_000; i++) {
                final long offset = edges[chance.nextInt(edges.length)] + chance.nextInt(3) - 1;
                final long bytes = edges[chance.nextInt(edges.length)] + chance.nextInt(3) - 1;
                final boolean expected = offset >= 0
                        && bytes >= 0
                        && BigInteger.valueOf(offset)
                                        .add(BigInteger.valueOf(bytes))
                                        .compareTo(BigInteger.valueOf(length))
                                <= 0;
                assertThat(memory.contains(offset, bytes))
                        .as(offset + " + " + bytes)
                        .isEqualTo(expected);
            }
            assertThatThrownBy(() -> memory.buffer(length - 7, 8)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }
}
