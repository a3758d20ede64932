package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.status.SegnoException;

/** Links receive at the ports that a firewall admits, or at any. */
class LinkPortsTest {
    private static final InetAddress HOST = InetAddress.getLoopbackAddress();

    @Test
    void shouldLetTheSystemChooseIfThereIsNoRange() {
        assertThat(LinkPorts.any().free(HOST)).isZero();
    }

    @Test
    void shouldGiveEachFreePortOfTheRangeInTurn() {
        final LinkPorts ports = LinkPorts.parse("47310:47312");
        final Set<Integer> given = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            given.add(ports.free(HOST));
        }
        assertThat(given).containsExactlyInAnyOrder(47310, 47311, 47312);
        assertThat(LinkPorts.parse("47310").free(HOST)).isEqualTo(47310);
    }

    @Test
    void shouldPassOverPortsThatOthersHaveAndSayWhenNoneIsFree() throws IOException {
        final LinkPorts ports = LinkPorts.parse("47320:47321");
        try (DatagramChannel other = DatagramChannel.open()) {
            other.bind(new InetSocketAddress(HOST, 47320));
            assertThat(ports.free(HOST)).isEqualTo(47321);
            assertThat(ports.free(HOST)).isEqualTo(47321);
            try (DatagramChannel second = DatagramChannel.open()) {
                second.bind(new InetSocketAddress(HOST, 47321));
                assertThatThrownBy(() -> ports.free(HOST))
                        .isInstanceOf(SegnoException.class)
                        .hasMessageContaining("SEGNO_PORT_RANGE=47320:47321");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a:b", "1:", ":1", "0:9", "9:8", "1:65536", "1:2:3", "-1:4", "7001-7100"})
    void shouldRefuseWhatIsNoRangeOfPorts(String text) {
        assertThatThrownBy(() -> LinkPorts.parse(text))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("SEGNO_PORT_RANGE")
                .hasMessageContaining("'" + text + "'");
    }
}
