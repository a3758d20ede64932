package org.segno.transport.aeron;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.aeron.CncFileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.link.LinkState;
import org.segno.status.Deadline;

/** Counters of Aeron's driver, of which each end of a link takes some. */
@Timeout(60)
class DriverCountersTest {
    private static final int MTU = 1408;

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1", "200, 1", "201, 2", "1000, 8", "64000, 256", "1000000, 256"})
    void shouldTakeAPowerOfTwoOfMebibytesForTheEndsOfTheJob(long ends, int mebibytes) {
        assertThat(DriverSettings.counterValuesLength(ends)).isEqualTo(mebibytes << 20);
        assertThat(DriverSettings.filesLength(ends)).isEqualTo((13L + 5L * (mebibytes - 1)) << 20);
    }

    @Test
    void shouldHaveTheCountersOfAllEndsAndNoLongerFilesThanItStates() throws IOException {
        final int ends = 1_000;
        try (AeronDriver driver = AeronDriver.launch(directory, LinkPorts.any(), ends);
                Stream<Path> files = Files.walk(driver.directory())) {
            assertThat(driver.counts().limit()).isGreaterThan(ends * DriverSettings.COUNTERS_PER_END);
            assertThat(files.mapToLong(file ->
                                    file.toFile().isFile() ? file.toFile().length() : 0)
                            .sum())
                    .isBetween(DriverSettings.filesLength(ends) / 2, DriverSettings.filesLength(ends));
        }
    }

    @Test
    void shouldTakeAsManyCountersForAnEndAsItStates() throws IOException {
        try (AeronDriver low = AeronDriver.launch(directory);
                AeronDriver high = AeronDriver.launch(directory)) {
            LinkEnds.join(low, high, 0, 1, MTU);
            final int before = counters(low);
            LinkEnds.join(low, high, 0, 2, MTU);
            assertThat(counters(low) - before).isEqualTo(DriverSettings.COUNTERS_PER_END);
        }
    }

    private static int counters(AeronDriver driver) throws IOException {
        return CountersFile.read(driver.directory().resolve(CncFileDescriptor.CNC_FILE), counters -> {
            final AtomicInteger count = new AtomicInteger();
            counters.forEach((id, label) -> count.incrementAndGet());
            return count.get();
        });
    }

    @Test
    void shouldLoseALinkForWhoseStreamsThereAreNoCountersAndKeepTheOthers() {
        try (AeronDriver low = AeronDriver.launch(directory);
                AeronDriver high = AeronDriver.launch(directory)) {
            final AeronLink[] others = LinkEnds.join(low, high, 0, 1, MTU);
            final AeronLink here = open(low, 0, 2);
            final AeronLink there = open(high, 2, 0);
            final AtomicInteger told = new AtomicInteger();
            here.onFailure(told::incrementAndGet);
            here.connect(there.address(), LinkEnds.key(0, 2));
            fillCounters(low);
            there.connect(here.address(), LinkEnds.key(2, 0));

            final long deadlineNs = Deadline.in(10, SECONDS);
            while (here.state() == LinkState.UP && !Deadline.reached(deadlineNs)) {
                low.run();
                high.run();
            }
            assertThat(here.state()).as("it cannot receive").isEqualTo(LinkState.DOWN);
            assertThat(told).as("the peer is told once").hasValue(1);
            assertThat(low.shortage())
                    .contains("the driver of this process has 8192, of which an end of a link takes 35")
                    .contains("let fewer ranks share a process");
            assertThat(low.isRunning()).isTrue();
            assertThat(others[0].state()).isEqualTo(LinkState.UP);
            assertThat(others[1].state()).isEqualTo(LinkState.UP);
        }
    }

    private static AeronLink open(AeronDriver driver, int self, int peer) {
        return AeronLink.open(
                driver, new AeronEnd(self, peer, 0), InetAddress.getLoopbackAddress(), MTU, LinkEnds.key(peer, self));
    }

    private static void fillCounters(AeronDriver driver) {
        final LinkAccess access =
                new LinkAccess(LinkEnds.key(0, 9), new LinkSizes(MTU, Integer.MAX_VALUE), driver.refusalsOfLink(9));
        final AeronAddress address = new AeronAddress(InetAddress.getLoopbackAddress(), 1);
        driver.exclusively(() -> {
            boolean isFull = false;
            while (!isFull) {
                try {
                    driver.counts().ofLink(new AeronEnd(0, 9, 0), access, address);
                } catch (final IllegalStateException full) {
                    isFull = true;
                }
            }
            return driver;
        });
    }
}
