package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.aeron.exceptions.RegistrationException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.memory.SmallFileSystem;
import org.segno.engine.packet.Frame;
import org.segno.link.Link;
import org.segno.link.LinkState;
import org.segno.status.SegnoException;

/** Links of a driver whose file system, mounted for the test, has room for one of them. Skipped without root. */
class FullDirectoryTest {
    private static final int MTU = 1408;
    private static final int MEGABYTES = 40;
    private static final long END = LinkSpace.ofEnd(MTU);

    @TempDir
    private Path directory;

    private Path small;
    private SmallFileSystem files;
    private AeronDriver low;
    private AeronDriver high;

    @BeforeEach
    void launch() throws Exception {
        small = Files.createDirectory(directory.resolve("small"));
        files = SmallFileSystem.mount(small, MEGABYTES);
        low = AeronDriver.launch(small);
        high = AeronDriver.launch(directory);
    }

    @AfterEach
    void close() {
        // JUnit calls this, too, after it has skipped the test.
        if (high != null) {
            low.close();
            high.close();
        }
        if (files != null) {
            files.close();
        }
    }

    private static AeronLink open(AeronDriver driver, int self, int peer) {
        return AeronLink.open(
                driver, new AeronEnd(self, peer, 0), InetAddress.getLoopbackAddress(), MTU, LinkEnds.key(peer, self));
    }

    @Test
    void shouldNameDirectoryAndBytesAndRemedyBeforeALinkIsMade() throws Exception {
        FileFilling.fill(small, 2 * END);
        final AeronLink first = open(low, 0, 1);
        assertThat(first.state()).isEqualTo(LinkState.UP);
        FileFilling.fill(small, 2 * END - 1);

        assertThatThrownBy(() -> open(low, 0, 2))
                .as("the logs of the first one are still to be made")
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("no room for the logs of a link to rank 2: directory=" + small)
                .hasMessageContaining("needed=" + END)
                .hasMessageMatching(".* usable=\\d+ bytes; set SEGNO_DIR to a larger file system, or reduce SEGNO_MTU");
        assertThat(low.isRunning()).isTrue();
    }

    /** Two drivers fit beside the first one. Each looks at the room and then takes it, so none may look meanwhile. */
    @Test
    void shouldRefuseByNameTheDriversThatDoNotFit() throws Exception {
        final int threads = 6;
        final ExecutorService executor = Executors.newFixedThreadPool(threads);
        final List<Future<AeronDriver>> launched = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            launched.add(executor.submit(() -> AeronDriver.launch(small)));
        }
        executor.shutdown();
        int refused = 0;
        for (final Future<AeronDriver> each : launched) {
            try {
                each.get(1, TimeUnit.MINUTES).close();
            } catch (final ExecutionException e) {
                refused++;
                assertThat(e.getCause())
                        .isInstanceOf(SegnoException.class)
                        .hasMessageContaining("no room for the files of Aeron's driver: directory=" + small);
            }
        }
        assertThat(refused).isBetween(1, threads - 1);
    }

    @Test
    void shouldCountTheLogsThatExist() throws Exception {
        FileFilling.fill(small, 2 * END + END / 2);
        for (int peer = 1; peer <= 2; peer++) {
            requireExchange(LinkEnds.join(low, high, 0, peer, MTU));
        }
        assertThatThrownBy(() -> open(low, 0, 3)).isInstanceOf(SegnoException.class);
    }

    /** Another process of the host has taken the room after the check. */
    @Test
    void shouldLoseTheLinkWhoseLogsHaveNoRoomAlone() throws Exception {
        final AeronLink[] others = LinkEnds.join(low, high, 0, 1, MTU);
        final AeronLink here = open(low, 0, 2);
        final AeronLink there = open(high, 2, 0);
        final AtomicInteger told = new AtomicInteger();
        here.onFailure(told::incrementAndGet);
        FileFilling.fill(small, END / 8);

        there.connect(here.address(), LinkEnds.key(2, 0));
        LinkEnds.step(List.of(low, high));
        assertThat(here.state()).as("it cannot receive").isEqualTo(LinkState.DOWN);
        assertThat(told).as("the peer is told once").hasValue(1);
        assertThatThrownBy(() -> here.connect(there.address(), LinkEnds.key(0, 2)))
                .isInstanceOf(RegistrationException.class)
                .hasMessageContaining("insufficient usable storage");
        assertThat(low.errors()).isPositive();
        there.lose();
        assertThat(there.state()).isEqualTo(LinkState.DOWN);

        assertThat(low.isRunning()).isTrue();
        requireExchange(others);
    }

    private void requireExchange(Link[] ends) {
        for (int i = 0; i < 1_000; i++) {
            final Link from = ends[i % 2];
            final long number = i;
            final long frame = from.claim(Frame.REQUESTS, 64);
            assertThat(frame).isNotEqualTo(Link.NO_ROOM);
            from.memory().putLong(frame + Frame.LENGTH, number);
            from.commit(Frame.REQUESTS);
            from.flush();
            LinkEnds.step(List.of(low, high));
            final int taken = ends[1 - i % 2].poll(
                    Frame.REQUESTS,
                    (memory, offset, length) -> memory.getLong(offset + Frame.LENGTH) == number,
                    Integer.MAX_VALUE);
            assertThat(taken).isEqualTo(1);
        }
    }
}
