package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.status.SegnoException;

/**
 * Links receive at the ports that a firewall admits, or at any. The ranges lie below the ports that Linux chooses for
 * sockets: other tests, which run at the same time, have such sockets.
 */
class LinkPortsTest {
    private static final InetAddress HOST = InetAddress.getLoopbackAddress();

    private static final int MTU = 1408;
    private static final int ROUNDS = 6;
    private static final int LINKS = 8;

    @TempDir
    Path directory;

    private static int open(AeronDriver driver, int rank, int peer) {
        return AeronLink.open(driver, new AeronEnd(rank, peer, 0), HOST, MTU, LinkEnds.key(peer, rank))
                .address()
                .port();
    }

    @Test
    void shouldLetTheSystemChooseIfThereIsNoRange() {
        try (AeronDriver driver = AeronDriver.launch(directory, LinkPorts.any(), 0)) {
            assertThat(open(driver, 0, 1)).isPositive().isNotEqualTo(open(driver, 0, 2));
        }
    }

    @Test
    void shouldGiveEachPortOfTheRangeToOneLink() {
        try (AeronDriver driver = AeronDriver.launch(directory, LinkPorts.parse("17310:17312"), 0)) {
            assertThat(List.of(open(driver, 0, 1), open(driver, 0, 2), open(driver, 0, 3)))
                    .containsExactlyInAnyOrder(17310, 17311, 17312);
        }
    }

    @Test
    void shouldPassOverPortsThatOthersHaveAndSayWhenNoneIsFree() throws IOException {
        try (AeronDriver driver = AeronDriver.launch(directory, LinkPorts.parse("17320:17322"), 0);
                DatagramChannel other = DatagramChannel.open()) {
            other.bind(new InetSocketAddress(HOST, 17321));
            assertThat(List.of(open(driver, 0, 1), open(driver, 0, 2))).containsExactlyInAnyOrder(17320, 17322);
            assertThat(driver.errors()).isZero();
            assertThatThrownBy(() -> open(driver, 0, 3))
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContaining("no UDP port of 127.0.0.1 is free in SEGNO_PORT_RANGE=17320:17322");
            assertThat(driver.isRunning()).isTrue();
        }
    }

    /** Two processes, here drivers, have as many links as the range has ports, and make them at the same time. */
    @Test
    void shouldFindAPortForEachLinkOfProcessesThatShareARange() throws Exception {
        final ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                final int from = 17330 + 2 * LINKS * (round % 2);
                final AeronDriver[] drivers = new AeronDriver[2];
                final CyclicBarrier start = new CyclicBarrier(2);
                final List<Future<?>> made = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                    final int rank = i;
                    drivers[i] = AeronDriver.launch(directory, LinkPorts.parse(from + ":" + (from + 2 * LINKS - 1)), 0);
                    made.add(threads.submit(() -> {
                        start.await();
                        for (int peer = 0; peer < LINKS; peer++) {
                            open(drivers[rank], rank, 2 + peer);
                        }
                        return null;
                    }));
                }
                try {
                    for (final Future<?> each : made) {
                        each.get();
                    }
                } finally {
                    drivers[0].close();
                    drivers[1].close();
                }
            }
        } finally {
            threads.shutdownNow();
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
