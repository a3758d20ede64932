package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Views of bytes that somebody else has mapped. */
class MemoryViewTest {
    private final UnsafeBuffer bytes = new UnsafeBuffer(ByteBuffer.allocateDirect(256));
    private final MemoryView view = new MemoryView(64);
    private final Memory memory = view.memory();

    @Test
    void shouldAccessTheBytesWhereItIs() {
        bytes.putLong(32, 7);
        bytes.putLong(128, 8);
        view.move(bytes.addressOffset() + 32, 64);
        assertThat(memory.getLong(0)).isEqualTo(7);
        view.move(bytes.addressOffset() + 128, 16);
        assertThat(view.memory()).isSameAs(memory);
        assertThat(memory.getLong(0)).isEqualTo(8);
        memory.putLong(8, 9);
        assertThat(bytes.getLong(136)).isEqualTo(9);
    }

    @Test
    void shouldCopyToAndFromMappedMemory() {
        final Memory other = MappedMemory.ofProcess(1024);
        final MemoryView large = new MemoryView(200);
        large.move(bytes.addressOffset(), 200);
        bytes.setMemory(0, 200, (byte) 5);
        large.memory().copyTo(0, other, 100, 200);
        assertThat(other.getLong(292)).isEqualTo(0x0505050505050505L);
        other.buffer(0, 200).setMemory(0, 200, (byte) 6);
        other.copyTo(0, large.memory(), 0, 200);
        assertThat(bytes.getByte(199)).isEqualTo((byte) 6);
        assertThat(bytes.getByte(200)).isZero();
    }

    @Test
    void shouldGiveBuffersWhereItIs() {
        view.move(bytes.addressOffset() + 16, 24);
        memory.buffer(8, 8).putLong(0, 3);
        assertThat(bytes.getLong(24)).isEqualTo(3);
        final UnsafeBuffer wrapped = new UnsafeBuffer(0, 0);
        memory.wrap(wrapped, 16, 8);
        wrapped.putLong(0, 4);
        assertThat(bytes.getLong(32)).isEqualTo(4);
        assertThatThrownBy(() -> memory.buffer(60, 8)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void shouldRefuseAccessesOutsideTheLastMove() {
        assertThatThrownBy(() -> memory.getLong(0)).isInstanceOf(AssertionError.class);
        view.move(bytes.addressOffset(), 24);
        memory.putLong(16, 1);
        assertThatThrownBy(() -> memory.putLong(24, 1))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("offset=24");
        assertThatThrownBy(() -> view.move(bytes.addressOffset(), 72)).isInstanceOf(AssertionError.class);
    }
}
