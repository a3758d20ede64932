package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.status.SegnoException;

/** A process receives at one address, which it states to all others with the longest datagram there. */
class LocalAddressTest {
    @AfterEach
    void forget() {
        System.clearProperty("segno.net");
        System.clearProperty("segno.mtu");
    }

    @Test
    void shouldUseTheLoopbackInterfaceIfAllRanksAreOnThisHost() {
        final LocalAddress address = LocalAddress.find(null);
        assertThat(address.host().isLoopbackAddress()).isTrue();
        assertThat(address.mtu()).isBetween(1_000, LinkSizes.MAX_MTU).matches(mtu -> mtu % 32 == 0);
    }

    @Test
    void shouldUseTheAddressAtWhichOtherHostsHaveReachedThisOne() {
        assertThat(LocalAddress.find(InetAddress.getLoopbackAddress()).host())
                .isEqualTo(InetAddress.getLoopbackAddress());
    }

    @Test
    void shouldSayWhatToSetIfOtherHostsReachThisOneElsewhere() throws UnknownHostException {
        final InetAddress router = InetAddress.getByName("192.0.2.1");
        assertThatThrownBy(() -> LocalAddress.find(router))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("192.0.2.1")
                .hasMessageContaining("SEGNO_NET");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.0/8", "127.0.0.1", "lo", "0.0.0.0/0"})
    void shouldUseTheNetworkOrInterfaceThatIsSet(String net) throws SocketException {
        System.setProperty("segno.net", net);
        final LocalAddress address = LocalAddress.find(null);
        assertThat(NetworkInterface.getByInetAddress(address.host())).isNotNull();
    }

    /** A link-local address of IPv6 is often the first one of an interface, and reaches nobody without a scope. */
    @Test
    void shouldUseNoLinkLocalAddressOfAnInterface() throws SocketException {
        for (final NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            final List<InetAddress> addresses = Collections.list(each.getInetAddresses());
            System.setProperty("segno.net", each.getName());
            if (addresses.stream().anyMatch(address -> !isScoped(address))) {
                assertThat(isScoped(LocalAddress.find(null).host()))
                        .as("one of %s", addresses)
                        .isFalse();
            } else if (!addresses.isEmpty()) {
                assertThatThrownBy(() -> LocalAddress.find(null))
                        .isInstanceOf(SegnoException.class)
                        .hasMessageContaining("SEGNO_NET=" + each.getName() + " has only link-local addresses")
                        .hasMessageContaining("give it an address of IPv4");
            }
        }
    }

    private static boolean isScoped(InetAddress address) {
        return address instanceof Inet6Address && address.isLinkLocalAddress();
    }

    @Test
    void shouldPreferTheFamilyInWhichOtherHostsHaveReachedThisOne() throws UnknownHostException {
        final InetAddress six = InetAddress.getByName("fd73::2");
        final InetAddress four = InetAddress.getByName("10.73.0.4");
        final InetAddress other = InetAddress.getByName("10.73.0.5");
        assertThat(LocalAddress.preferred(List.of(six, four, other), InetAddress.getByName("192.0.2.1")))
                .isEqualTo(four);
        assertThat(LocalAddress.preferred(List.of(four, six), InetAddress.getByName("2001:db8::1")))
                .isEqualTo(six);
        assertThat(LocalAddress.preferred(List.of(six, four), null)).isEqualTo(six);
        assertThat(LocalAddress.preferred(List.of(four, other), six)).isEqualTo(four);
    }

    @ParameterizedTest
    @ValueSource(strings = {"198.51.100.0/24", "nosuchinterface", "::1/129", "127.0.0.1/33", "eth0/8", "1.2.3.4/x"})
    void shouldNameANetworkThatThisHostIsNotIn(String net) {
        System.setProperty("segno.net", net);
        assertThatThrownBy(() -> LocalAddress.find(null))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("SEGNO_NET")
                .hasMessageContaining(net);
    }

    @ParameterizedTest
    @CsvSource({"288, 288", "1408, 1408", "' 1376 ', 1376"})
    void shouldStateTheLongestDatagramThatIsSet(String set, int mtu) {
        System.setProperty("segno.mtu", set);
        assertThat(LocalAddress.find(null).mtu()).isEqualTo(mtu);
        System.setProperty("segno.net", "127.0.0.0/8");
        assertThat(LocalAddress.find(null).mtu()).isEqualTo(mtu);
    }

    @Test
    void shouldStateWhatTheInterfaceCarriesIfTheSetLengthIsBlank() {
        final int longest = LocalAddress.find(null).mtu();
        System.setProperty("segno.mtu", " ");
        assertThat(LocalAddress.find(null).mtu()).isEqualTo(longest);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1408", "256", "1400", "65536", "99999999999", "8k"})
    void shouldRefuseALongestDatagramThatLinksCannotSend(String set) {
        System.setProperty("segno.mtu", set);
        assertThatThrownBy(() -> LocalAddress.find(null))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("SEGNO_MTU must be a multiple of 32 from 288 to ")
                .hasMessageContaining("'" + set + "'");
    }

    @ParameterizedTest
    @CsvSource({"10.1.2.3, 1408", "255.255.255.255, 65504", "0.0.0.1, 32", "fd00::17, 8192", "::ffff:1:2, 1408"})
    void shouldComeBackFromItsWords(String host, int mtu) throws UnknownHostException {
        final LocalAddress address = new LocalAddress(InetAddress.getByName(host), mtu);
        assertThat(LocalAddress.of(address.words(), 3)).isEqualTo(address);
    }

    @Test
    void shouldNameBothAddressesAndTheRemedyIfTheirFamiliesDiffer() throws UnknownHostException {
        final LocalAddress four = new LocalAddress(InetAddress.getByName("10.73.0.4"), 1408);
        final LocalAddress six = new LocalAddress(InetAddress.getByName("fd73::2"), 1408);
        four.requireFamilyOf(new LocalAddress(InetAddress.getByName("::ffff:10.73.0.5"), 1408), 1);
        six.requireFamilyOf(new LocalAddress(InetAddress.getByName("fd73::3"), 1408), 1);

        for (final LocalAddress[] ends : new LocalAddress[][] {{four, six}, {six, four}}) {
            assertThatThrownBy(() -> ends[0].requireFamilyOf(ends[1], 3))
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContaining("rank 3")
                    .hasMessageContaining("10.73.0.4")
                    .hasMessageContaining("fd73:0:0:0:0:0:0:2")
                    .hasMessageContaining("SEGNO_NET (--net)");
        }
    }

    @Test
    void shouldRefuseWordsThatAreNoAddress() {
        for (final long[] words : new long[][] {{}, {1, 2}, {1, 2, 0}, {1, 2, 65_505}, {1, 2, 1408, 4}}) {
            assertThatThrownBy(() -> LocalAddress.of(words, 3))
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContaining("rank 3");
        }
    }
}
