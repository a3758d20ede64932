package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;

/** Access to the memory of a window by offsets. {@code LargeArenaTest} accesses offsets beyond 2 GiB. */
class WindowAccessTest {
    private static final int LENGTH = 1000;

    @TempDir
    Path parent;

    private InProcessJob job;
    private Window window;

    @BeforeEach
    void join() {
        job = InProcessJob.join(
                parent,
                1,
                NodeConfig.defaults().withThreading(Threading.INVOKER).withWindowBytes(1 << 14));
        window = job.node(0).client().window(LENGTH);
    }

    @AfterEach
    void close() {
        job.close();
    }

    @Test
    void shouldReadAndWriteTheMemoryOfTheBuffer() {
        window.putByte(0, (byte) -3);
        window.putShort(2, (short) -300);
        window.putInt(4, -70_000);
        window.putLong(8, -5_000_000_000L);
        window.putFloat(16, -1.5f);
        window.putDouble(24, Math.PI);
        // Unaligned, and the last bytes of the window.
        window.putLong(LENGTH - 9, 77);

        assertThat(window.buffer().getByte(0)).isEqualTo((byte) -3).isEqualTo(window.getByte(0));
        assertThat(window.buffer().getShort(2)).isEqualTo((short) -300).isEqualTo(window.getShort(2));
        assertThat(window.buffer().getInt(4)).isEqualTo(-70_000).isEqualTo(window.getInt(4));
        assertThat(window.buffer().getLong(8)).isEqualTo(-5_000_000_000L).isEqualTo(window.getLong(8));
        assertThat(window.buffer().getFloat(16)).isEqualTo(-1.5f).isEqualTo(window.getFloat(16));
        assertThat(window.buffer().getDouble(24)).isEqualTo(Math.PI).isEqualTo(window.getDouble(24));
        assertThat(window.getLong(LENGTH - 9)).isEqualTo(77);
    }

    @Test
    void shouldCopyFromAndToBuffersAndWindows() {
        final UnsafeBuffer source = new UnsafeBuffer(new byte[50]);
        source.setMemory(0, 50, (byte) 9);
        window.putBytes(100, source, 3, 47);
        assertThat(window.getByte(99)).isZero();
        assertThat(window.getByte(100)).isEqualTo((byte) 9);
        assertThat(window.getByte(146)).isEqualTo((byte) 9);
        assertThat(window.getByte(147)).isZero();

        final Window other = job.node(0).client().window(LENGTH);
        window.copyTo(100, other, 500, 47);
        window.copyTo(100, window, 147, 47);
        final UnsafeBuffer target = new UnsafeBuffer(new byte[50]);
        other.getBytes(500, target, 3, 47);
        target.setMemory(0, 3, (byte) 9);
        assertThat(target.compareTo(source)).isZero();
        assertThat(window.getByte(193)).isEqualTo((byte) 9);
        assertThat(window.getByte(194)).isZero();
    }

    @Test
    void shouldCheckBounds() {
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[16]);
        final List<LongConsumer> accesses = List.of(
                window::getByte,
                window::getShort,
                window::getInt,
                window::getLong,
                window::getFloat,
                window::getDouble,
                at -> window.putByte(at, (byte) 0),
                at -> window.putShort(at, (short) 0),
                at -> window.putInt(at, 0),
                at -> window.putLong(at, 0),
                at -> window.putFloat(at, 0),
                at -> window.putDouble(at, 0),
                at -> window.getBytes(at, bytes, 0, 1),
                at -> window.putBytes(at, bytes, 0, 1),
                at -> window.copyTo(at, window, 0, 1),
                at -> window.copyTo(0, window, at, 1));
        for (final LongConsumer access : accesses) {
            for (final long at : new long[] {-1, LENGTH, LENGTH + 1L, 1L << 32, Long.MIN_VALUE, Long.MAX_VALUE}) {
                assertThatThrownBy(() -> access.accept(at))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("lies outside window 0 of 1000 bytes");
            }
        }
        assertThatThrownBy(() -> window.getLong(LENGTH - 7)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> window.getBytes(0, bytes, 0, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> window.getBytes(0, bytes, 10, 7)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> window.putBytes(0, bytes, 10, 7)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> window.copyTo(0, window, 10, 11))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must not overlap");
    }

    @Test
    void shouldRefuseAClosedWindow() {
        job.node(0).client().close(window);

        assertThatThrownBy(() -> window.getLong(0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("window 0 is closed");
        assertThatThrownBy(() -> window.putByte(0, (byte) 1)).isInstanceOf(IllegalStateException.class);
    }
}
