package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.packet.Frame;

class LinkSizesTest {
    private static final int BUFFER = 2 << 20;

    @Test
    void shouldRefuseInvalidSizes() {
        for (final int mtu : new int[] {-32, 0, 256, 1400, LinkSizes.MAX_MTU + 32}) {
            assertThatThrownBy(() -> new LinkSizes(mtu, BUFFER))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("mtu=" + mtu);
        }
        assertThatThrownBy(() -> new LinkSizes(8192, 3 * 8192 - 1)).hasMessageContaining("net.core.rmem_max");
    }

    @ParameterizedTest
    @ValueSource(ints = {288, 1408, 8192, LinkSizes.MAX_MTU})
    void shouldHoldSeveralLongestFramesInEachStream(int mtu) {
        final LinkSizes sizes = new LinkSizes(mtu, BUFFER);
        assertThat(sizes.frameLimit()).isBetween(Frame.MIN_LIMIT, Frame.MAX_LIMIT);
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            assertThat(sizes.capacity(stream)).isGreaterThanOrEqualTo(sizes.frameLimit());
            assertThat(sizes.window(stream)).isLessThanOrEqualTo(sizes.termLength(stream) / 2);
        }
    }

    /** The longest message of the longest lane, in packets of the longest frames. */
    @ParameterizedTest
    @ValueSource(ints = {1408, 8192, LinkSizes.MAX_MTU})
    void shouldCarryALongMessageInTheStreamOfRequests(int mtu) {
        final LinkSizes sizes = new LinkSizes(mtu, BUFFER);
        final long packets = sizes.capacity(Frame.REQUESTS) / sizes.frameLimit();
        assertThat(packets * Frame.payloadLimit(sizes.frameLimit())).isGreaterThan(64 * 1024);
    }

    /** With the smallest buffer that Linux grants by default, an empty stream still has room for a longest frame. */
    @Test
    void shouldWorkWithSmallSocketBuffers() {
        final LinkSizes sizes = new LinkSizes(LinkSizes.MAX_MTU, 212_992);
        assertThat(sizes.capacity(Frame.REQUESTS)).isEqualTo(sizes.frameLimit());
    }

    /** Claims what is reported, at every distance from the end of a term and with every number of free bytes. */
    @Test
    void shouldReportRoomThatExists() {
        final LinkSizes sizes = new LinkSizes(288, BUFFER);
        for (long end = 32; end <= 288 * 8; end += 32) {
            for (long free = 0; free <= 288 * 6; free += 32) {
                final long room = sizes.room(free, end);
                requireClaims(sizes, room, free, end);
                assertThat(room)
                        .as("free=%d end=%d", free, end)
                        .isGreaterThanOrEqualTo((free / 288 - 1) * sizes.frameLimit());
            }
        }
    }

    private static void requireClaims(LinkSizes sizes, long room, long free, long end) {
        long left = free;
        long toEnd = end;
        for (long bytes = room; bytes > 0; bytes -= sizes.frameLimit()) {
            final int logged = LinkSizes.logged((int) Math.min(bytes, sizes.frameLimit()));
            if (logged > toEnd) {
                left -= toEnd;
                toEnd = 1 << 20;
            }
            left -= logged;
            toEnd -= logged;
            assertThat(left).as("free=%d end=%d room=%d", free, end, room).isNotNegative();
        }
    }
}
