package org.segno.transport.aeron;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.packet.Frame;
import org.segno.link.Link;
import org.segno.status.Deadline;

/** Links as tools read them from the counters file of their driver. */
class ObservedLinkTest {
    private static final int MTU = 1408;
    private static final int LENGTH = 1024;

    @TempDir
    private Path directory;

    private AeronDriver low;
    private AeronDriver high;

    @BeforeEach
    void launch() {
        low = AeronDriver.launch(directory);
        high = AeronDriver.launch(directory);
    }

    @AfterEach
    void close() {
        low.close();
        high.close();
    }

    private static Path file(AeronDriver driver) {
        return driver.directory().resolve(DriverCounts.FILE);
    }

    private static List<ObservedLink> links(AeronDriver driver) throws IOException {
        return ObservedLink.read(file(driver));
    }

    @Test
    void shouldShowTheBytesOfEachLinkAtBothEnds() throws IOException {
        final AeronLink[] busy = LinkEnds.join(low, high, 0, 1, MTU);
        final AeronLink[] idle = LinkEnds.join(low, high, 0, 2, MTU);
        send(busy[0], 10);
        LinkEnds.step(List.of(low, high));

        final List<ObservedLink> here = links(low);
        assertThat(here).extracting(ObservedLink::end).containsExactly(new AeronEnd(0, 1, 0), new AeronEnd(0, 2, 0));
        assertThat(here).extracting(ObservedLink::mtu).containsOnly(MTU);
        assertThat(here.get(0).addresses())
                .isEqualTo(busy[0].address().endpoint() + " to "
                        + busy[1].address().endpoint());
        final long sent = here.get(0).bytesSent();
        assertThat(sent).isEqualTo(10L * LinkSizes.logged(LENGTH));
        assertThat(here.get(0).bytesReceived()).isZero();
        assertThat(here.get(1).bytesSent()).isZero();
        final ObservedLink there = links(high).get(0);
        assertThat(there.end()).isEqualTo(new AeronEnd(1, 0, 0));
        assertThat(there.bytesReceived()).isEqualTo(sent);
        assertThat(there.bytesSent()).isZero();
        idle[1].close();
    }

    private static void send(AeronLink link, int frames) {
        for (int i = 0; i < frames; i++) {
            assertThat(link.claim(Frame.REQUESTS, LENGTH)).isNotEqualTo(Link.NO_ROOM);
            link.commit(Frame.REQUESTS);
        }
        link.flush();
    }

    @Test
    void shouldShowALinkThatIsNotJoinedAndNoneThatIsReleased() throws IOException {
        final AeronLink[] ends = LinkEnds.join(low, high, 0, 1, MTU);
        final AeronLink alone =
                AeronLink.open(low, new AeronEnd(0, 3, 2), InetAddress.getLoopbackAddress(), MTU, LinkEnds.key(3, 0));

        final ObservedLink unjoined = links(low).get(1);
        assertThat(unjoined.end()).isEqualTo(new AeronEnd(0, 3, 2));
        assertThat(unjoined.addresses()).isEqualTo(alone.address().endpoint());

        ends[0].close();
        ends[1].close();
        final long deadlineNs = Deadline.in(20, SECONDS);
        while (links(low).size() != 1 || !links(high).isEmpty()) {
            assertThat(Deadline.reached(deadlineNs)).as("released").isFalse();
            LinkEnds.step(List.of(low, high));
        }
        assertThat(links(low)).containsExactly(unjoined);
    }

    @Test
    void shouldCountFramesWithoutRoomForEachLink() throws IOException {
        final AeronLink[] full = LinkEnds.join(low, high, 0, 1, MTU);
        LinkEnds.join(low, high, 0, 2, MTU);
        while (full[0].claim(Frame.REQUESTS, LENGTH) != Link.NO_ROOM) {
            full[0].commit(Frame.REQUESTS);
        }
        assertThat(full[0].claim(Frame.REQUESTS, LENGTH)).isEqualTo(Link.NO_ROOM);

        assertThat(links(low)).extracting(ObservedLink::backPressured).containsExactly(2L, 0L);
        assertThat(DriverCounts.read(file(low))).containsEntry("backPressured", 2L);
    }

    @Test
    void shouldCountLossesAtBothEnds() throws IOException {
        try (Network network = new Network(low, high)) {
            final AeronLink[] ends = network.join(low, high, 0, 1, MTU, new Faults(200, 0, 0, 0, 0), 1, List.of());
            final long deadlineNs = Deadline.in(20, SECONDS);
            while (links(low).get(0).lossOfPeer() == 0) {
                assertThat(Deadline.reached(deadlineNs)).as("lost").isFalse();
                if (ends[0].claim(Frame.REQUESTS, LENGTH) != Link.NO_ROOM) {
                    ends[0].commit(Frame.REQUESTS);
                }
                ends[0].flush();
                network.step();
                ends[1].poll(Frame.REQUESTS, (memory, offset, length) -> true, Integer.MAX_VALUE);
            }
            final ObservedLink there = links(high).get(0);
            assertThat(there.lossReported()).isPositive();
            assertThat(there.lossOfPeer()).isZero();
            assertThat(DriverCounts.read(file(high)).get("lossReported")).isEqualTo(there.lossReported());
        }
    }

    @Test
    void shouldNameTheProcessAndRefuseAFileThatIsNone() throws IOException {
        assertThat(DriverCounts.pid(file(low)))
                .isEqualTo(ProcessHandle.current().pid());

        final Path zeros = Files.write(directory.resolve("zeros"), new byte[1 << 16]);
        final Path empty = Files.createFile(directory.resolve("empty"));
        for (final Path other : List.of(zeros, empty)) {
            assertThatThrownBy(() -> ObservedLink.read(other))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(other.toString());
        }
        Files.delete(zeros);
        Files.delete(empty);
    }
}
