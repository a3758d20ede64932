package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.net.InetAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.segno.status.SegnoException;
import org.segno.transport.aeron.HostLinks.Address;

/** What links would use on this host. */
class HostLinksTest {
    @AfterEach
    void forget() {
        System.clearProperty("segno.net");
        System.clearProperty("segno.mtu");
        System.clearProperty("segno.port-range");
    }

    @Test
    void shouldListTheAddressOfRanksOfOneHostAndNoOtherLoopbackAddress() {
        final LocalAddress used = LocalAddress.find(null);
        assertThat(HostLinks.addresses())
                .filteredOn(address -> address.use().equals("if all ranks are on this host"))
                .extracting(Address::address, Address::mtu)
                .containsExactly(tuple(used.host().getHostAddress(), used.mtu()));
        assertThat(HostLinks.addresses())
                .filteredOn(address -> address.use().equals("if other hosts reach this one here"))
                .noneMatch(address -> address.address().startsWith("127."));
    }

    @Test
    void shouldListTheAddressAloneThatIsSet() {
        System.setProperty("segno.net", "127.0.0.0/8");
        System.setProperty("segno.mtu", "1376");
        assertThat(HostLinks.addresses())
                .containsExactly(new Address("lo", "127.0.0.1", 1376, "SEGNO_NET=127.0.0.0/8"));
    }

    @Test
    void shouldGiveTheReasonWhyALinkCannotBe() {
        System.setProperty("segno.mtu", "1400");
        assertThat(HostLinks.addresses())
                .filteredOn(address -> address.address()
                        .equals(InetAddress.getLoopbackAddress().getHostAddress()))
                .allMatch(address -> address.mtu() == 0 && address.use().contains("SEGNO_MTU must be a multiple of 32"))
                .hasSize(1);

        System.setProperty("segno.net", "198.51.100.0/24");
        assertThatThrownBy(HostLinks::addresses)
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("198.51.100.0/24");
    }

    @Test
    void shouldShowPortsBufferAndVersion() {
        assertThat(HostLinks.ports()).isEqualTo("any free ones");
        System.setProperty("segno.port-range", "7001:7100");
        assertThat(HostLinks.ports()).isEqualTo("7001:7100");
        System.setProperty("segno.port-range", "7001");
        assertThat(HostLinks.ports()).isEqualTo("7001:7001");
        assertThat(HostLinks.socketBytes()).isBetween(1 << 16, HostLinks.SOCKET_BYTES);
        assertThat(HostLinks.aeronVersion()).matches("1\\.\\d+\\.\\d+");
    }
}
