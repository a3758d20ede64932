package org.segno.tools.run.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.job.HubAddress;
import org.segno.tools.command.CommandException;

final class NetworkTest {
    @ParameterizedTest
    @CsvSource({
        "10.1.2.0/24, 10.1.2.255, true",
        "10.1.2.0/24, 10.1.3.0, false",
        "10.1.2.3/32, 10.1.2.3, true",
        "10.1.2.128/25, 10.1.2.127, false",
        "0.0.0.0/0, 192.168.1.1, true",
        "0.0.0.0/0, 2001:db8::1, false",
        "2001:db8::/33, 2001:db8:7fff::1, true",
        "2001:db8::/33, 2001:db8:8000::1, false",
        "10.1.2.3, 10.1.2.3, true",
        "10.1.2.3, 10.1.2.4, false",
        "eth0, 10.1.2.3, true",
        "eth1, 10.1.2.3, false"
    })
    void shouldSelectTheAddressesOfANetworkOrAnInterface(String net, String address, boolean selected)
            throws Exception {
        assertThat(AddressFilter.parse(net).selects("eth0", InetAddress.getByName(address)))
                .isEqualTo(selected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"10.1.2.0/33", "10.1.2/a", "300.1.2.0/8", "a b", "2001:db8::/129", "", "/8", "name.of.host/8"})
    void shouldRefuseANetworkThatIsNone(String net) {
        assertThatThrownBy(() -> new Network(net, null, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "--net takes a network, as 10.1.0.0/16, an address, or the name of an interface: '" + net);
    }

    @Test
    void shouldNameTheExistingAddressesIfNoneIsSelected() {
        final Network network = new Network("198.51.100.0/24", null, null);

        assertThatThrownBy(() -> network.candidates(1))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("--net 198.51.100.0/24 selects no address of this host, which has ")
                .hasMessageContaining("--hub ADDRESS");
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3, 10.1.2.3, 0",
        "10.1.2.3:4000, 10.1.2.3, 4000",
        "head:1, head, 1",
        "head.example.org, head.example.org, 0",
        "2001:db8::1, 2001:db8::1, 0",
        "[2001:db8::1]:4000, 2001:db8::1, 4000",
        "[2001:db8::1], 2001:db8::1, 0",
        "::1, ::1, 0"
    })
    void shouldReadThePlaceOfTheHub(String text, String name, int port) {
        assertThat(HubPlace.parse(text)).isEqualTo(new HubPlace(name, port));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":4000", "a:65536", "a:x", "a b", "[10.0.0.1", "-x", "a:"})
    void shouldRefuseAPlaceThatIsNone(String text) {
        assertThatThrownBy(() -> HubPlace.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--hub takes an address or name of this host and an optional port");
    }

    @Test
    void shouldReadARangeOfPorts() {
        assertThat(PortRange.parse("4000:4100"))
                .isEqualTo(new PortRange(4000, 4100))
                .hasToString("4000:4100");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "4000", "4100:4000", "0:10", "1:65536", "a:b", "1:2:3"})
    void shouldRefuseARangeThatIsNone(String text) {
        assertThatThrownBy(() -> PortRange.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--port-range takes A:B");
    }

    @Test
    void shouldListenAtTheAddressAndPortsThatAreNamed() throws Exception {
        final InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        final InetAddress foreign = InetAddress.getByName("198.51.100.7");

        assertThat(network(null, null).listening()).isEqualTo(new HubAddress(null, 0, 0));
        assertThat(network("4000:4100", null).listening()).isEqualTo(new HubAddress(null, 4000, 4100));
        assertThat(network("4000:4100", "127.0.0.1").listening()).isEqualTo(new HubAddress(loopback, 4000, 4100));
        assertThat(network("4000:4100", "127.0.0.1:5000").listening()).isEqualTo(new HubAddress(loopback, 5000, 5000));
        // The address of a router.
        assertThat(network(null, "198.51.100.7:5000").listening()).isEqualTo(new HubAddress(null, 5000, 5000));
        assertThat(network(null, "198.51.100.7").candidates(5001))
                .containsExactly(new InetSocketAddress(foreign, 5001));
    }

    @Test
    void shouldPassTheChoiceToTheRanks() {
        assertThat(new Network("eth0", new PortRange(1, 9), null).variables())
                .isEqualTo(Map.of("SEGNO_NET", "eth0", "SEGNO_PORT_RANGE", "1:9"));
        assertThat(Network.DEFAULT.variables()).isEmpty();
    }

    private static Network network(@Nullable String ports, @Nullable String hub) {
        return new Network(
                null, ports == null ? null : PortRange.parse(ports), hub == null ? null : HubPlace.parse(hub));
    }
}
