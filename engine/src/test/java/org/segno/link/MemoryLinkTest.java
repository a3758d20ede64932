package org.segno.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;

class MemoryLinkTest extends LinkContractTest {
    private static final int BYTES = 2048;
    private static final int FRAME_LIMIT = 560;

    @Override
    protected Link[] join(int firstRank, int secondRank) {
        return MemoryLink.join(firstRank, secondRank, BYTES, FRAME_LIMIT);
    }

    /** Empties the smallest ring at each of its positions, and fills it with frames of maximum length. */
    @Test
    void shouldHoldItsCapacityAtEveryPosition() {
        final Link[] ends = MemoryLink.join(0, 1, 1024, 504);
        assertThat(ends[0].capacity(Frame.REPLIES)).isBetween(504L, 1023L);
        for (int shift = 0; shift < 1024; shift += Frame.ALIGNMENT) {
            assertThat(ends[0].room(Frame.REPLIES))
                    .as("shift " + shift)
                    .isGreaterThanOrEqualTo(ends[0].capacity(Frame.REPLIES));
            assertThat(ends[0].claim(Frame.REPLIES, 504)).isNotEqualTo(Link.NO_ROOM);
            ends[0].commit(Frame.REPLIES);
            assertThat(ends[1].poll(Frame.REPLIES, (memory, offset, length) -> length == 504, 9))
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldNeverShowAnEarlierFrameAgain() {
        final Link[] ends = MemoryLink.join(0, 1, 1024, 504);
        for (int lap = 0; lap < 1000; lap++) {
            final int sent = 16 + 8 * (lap % 62);
            final long frame = ends[0].claim(Frame.REQUESTS, sent);
            // Words that look like the lengths of frames.
            ends[0].memory().buffer(frame, sent).setMemory(0, sent, (byte) 0x10);
            ends[0].commit(Frame.REQUESTS);
            assertThat(ends[1].poll(Frame.REQUESTS, (memory, offset, length) -> length == sent, 9))
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldRefuseInvalidLengths() {
        for (final int bytes : new int[] {-1, 0, 1000, 1024, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> MemoryLink.join(0, 1, bytes, 560))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("bytes=" + bytes);
        }
        for (final int limit : new int[] {-8, 0, 248, 300, Frame.MAX_LIMIT + 8}) {
            assertThatThrownBy(() -> MemoryLink.join(0, 1, 1 << 20, limit))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("frameLimit=" + limit);
        }
        final Memory small = MappedMemory.ofProcess(1024);
        assertThatThrownBy(() -> MemoryLink.join(0, 1, BYTES, FRAME_LIMIT, small, small))
                .hasMessageContaining("there=1024");
        assertThat(MemoryLink.lengthFor(MemoryLink.DEFAULT_BYTES, MemoryLink.DEFAULT_FRAME_LIMIT))
                .isPositive();
    }
}
