package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.ObjLongConsumer;
import org.junit.jupiter.api.Test;

/** Bounds of accesses in programs with assertions, such as these tests. */
class CheckedMemoryTest {
    private static final int LENGTH = 64;

    private static final List<ObjLongConsumer<Memory>> WORDS = List.of(
            Memory::getLong,
            (memory, at) -> memory.putLong(at, 1),
            Memory::getLongAcquire,
            (memory, at) -> memory.putLongRelease(at, 1),
            (memory, at) -> memory.getAndAddLong(at, 1),
            (memory, at) -> memory.compareAndSetLong(at, 0, 1));

    private static final List<ObjLongConsumer<Memory>> PARTS = List.of(
            Memory::getByte,
            (memory, at) -> memory.putByte(at, (byte) 1),
            Memory::getShort,
            (memory, at) -> memory.putShort(at, (short) 1),
            Memory::getInt,
            (memory, at) -> memory.putInt(at, 1));

    private static void assertOutside(ObjLongConsumer<Memory> access, long offset) {
        assertThatThrownBy(() -> access.accept(MappedMemory.ofProcess(LENGTH), offset))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("offset=" + offset)
                .hasMessageContaining("64 mapped bytes");
    }

    @Test
    void shouldRefuseEveryAccessOutsideTheMemory() {
        for (final ObjLongConsumer<Memory> access : WORDS) {
            access.accept(MappedMemory.ofProcess(LENGTH), LENGTH - Long.BYTES);
            assertOutside(access, LENGTH - Long.BYTES + 1);
        }
        for (final ObjLongConsumer<Memory> access : PARTS) {
            access.accept(MappedMemory.ofProcess(LENGTH), LENGTH - Integer.BYTES);
            assertOutside(access, LENGTH);
            assertOutside(access, -1);
            assertOutside(access, Long.MAX_VALUE);
        }
    }

    @Test
    void shouldAccessTheMappedBytes() {
        final Memory memory = MappedMemory.ofProcess(LENGTH);
        memory.putLongRelease(8, 40);
        assertThat(memory.getAndAddLong(8, 2)).isEqualTo(40);
        assertThat(memory.compareAndSetLong(8, 42, 43)).isTrue();
        assertThat(memory.getLongAcquire(8)).isEqualTo(43);
    }
}
