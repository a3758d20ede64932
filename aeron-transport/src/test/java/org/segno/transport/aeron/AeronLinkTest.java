package org.segno.transport.aeron;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.aeron.logbuffer.BufferClaim;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.MemoryView;
import org.segno.engine.memory.SmallFileSystem;
import org.segno.engine.packet.Frame;
import org.segno.link.FrameHandler;
import org.segno.link.Link;
import org.segno.link.LinkState;
import org.segno.status.SegnoException;

/** Links between the drivers of two processes, which the thread of the test runs. */
class AeronLinkTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int MTU = 1408;
    private static final int LENGTH = 64;
    private static final int FRAMES = 50;
    private static final int OPERATIONS = 5_000;

    /** The iterators of Aeron's loops are gone once the optimizing compiler has compiled these. */
    private static final int ATTEMPTS = 100;

    /** Bytes that Aeron's driver may allocate from time to time: less than a smallest object in 64 operations. */
    private static final int DRIVER_BYTES = OPERATIONS * 16 / 64;

    private static final int INTERRUPTS = 2_000;

    /** Longer than each of Aeron's default timeouts. */
    private static final long IDLE_NS = MINUTES.toNanos(10);

    @TempDir
    private Path directory;

    private final TestClock clock = new TestClock();
    private final List<Long> received = new ArrayList<>();
    private long expectedErrors;
    private AeronDriver low;
    private AeronDriver high;
    private AeronLink first;
    private AeronLink second;

    @BeforeEach
    void join() {
        low = AeronDriver.launch(directory, clock);
        high = AeronDriver.launch(directory, clock);
        final AeronLink[] ends = LinkEnds.join(low, high, 0, 1, MTU);
        first = ends[0];
        second = ends[1];
    }

    @AfterEach
    void close() throws IOException {
        low.close();
        high.close();
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
        assertThat(low.errors()).isZero();
        assertThat(high.errors()).isEqualTo(expectedErrors);
    }

    @Test
    void shouldPassFramesThatWereFlushedBeforeAClose() {
        sendAll();
        first.close();
        assertThat(first.state()).isEqualTo(LinkState.DOWN);
        step();
        assertThat(second.state()).isEqualTo(LinkState.ENDED);
        requireAll();
    }

    @Test
    void shouldPassFramesThatWereFlushedBeforeItsDriverClosed() {
        sendAll();
        low.close();
        assertThat(first.state()).isEqualTo(LinkState.DOWN);
        assertThat(first.room(Frame.REQUESTS)).isZero();
        assertThat(first.claim(Frame.REQUESTS, LENGTH)).isEqualTo(Link.NO_ROOM);
        assertThat(first.poll(Frame.REQUESTS, this::take, 1)).isZero();
        first.flush();
        first.close();
        step();
        assertThat(second.state()).isEqualTo(LinkState.ENDED);
        requireAll();
    }

    /** The window holds fewer frames than were committed only until the receiver takes them. */
    @Test
    void shouldSendWhatWasCommittedBeforeAFlush() {
        int sent = 0;
        while (first.room(Frame.REPLIES) >= first.frameLimit()) {
            write(Frame.REPLIES, first.frameLimit(), ++sent);
        }
        assertThat(first.unsent()).isPositive();
        first.flush();
        assertThat(first.unsent()).as("one pass sends one datagram").isZero();
        step();
        assertThat(second.poll(Frame.REPLIES, this::take, Integer.MAX_VALUE)).isEqualTo(sent);
        assertThat(received).isEqualTo(numbers(sent));
    }

    @Test
    void shouldLoseNothingWhenNobodyRunsItForLong() {
        sendAll();
        clock.skip(IDLE_NS);
        step();
        assertThat(first.state()).isEqualTo(LinkState.UP);
        clock.skip(IDLE_NS);
        sendAll();
        step();
        assertThat(second.state()).isEqualTo(LinkState.UP);
        assertThat(second.poll(Frame.REQUESTS, this::take, Integer.MAX_VALUE)).isEqualTo(2 * FRAMES);
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            assertThat(first.room(stream)).isGreaterThanOrEqualTo(first.capacity(stream));
        }
    }

    @Test
    void shouldLoseNothingWhenOneEndIsNotRunForLong() {
        sendAll();
        for (int second = 0; second < 60; second++) {
            clock.skip(SECONDS.toNanos(1));
            low.run();
        }
        assertThat(first.state()).isEqualTo(LinkState.UP);
        step();
        assertThat(second.state()).isEqualTo(LinkState.UP);
        requireAll();
    }

    @Test
    void shouldBeDownForGoodOnceAnImageIsLost() {
        sendAll();
        for (int day = 0; day < 400; day++) {
            clock.skip(DAYS.toNanos(1));
            low.run();
        }
        assertThat(first.state()).isEqualTo(LinkState.DOWN);
        // The client of a driver that has not run for longer than any timeout ends, and with it the driver.
        step();
        expectedErrors = high.errors();
        assertThat(expectedErrors).isPositive();
        assertThat(high.isRunning()).isFalse();
        assertThat(second.state()).isEqualTo(LinkState.DOWN);
        assertThat(first.state()).isEqualTo(LinkState.DOWN);
        assertThat(first.claim(Frame.REQUESTS, LENGTH)).isEqualTo(Link.NO_ROOM);
    }

    @Test
    void shouldGoOnWhenItsThreadIsInterrupted() {
        Thread.currentThread().interrupt();
        sendAll();
        step();
        final AeronLink other =
                AeronLink.open(low, new AeronEnd(0, 2, 0), InetAddress.getLoopbackAddress(), MTU, LinkEnds.key(2, 0));
        assertThat(other.address().port()).isPositive();
        other.close();
        assertThat(Thread.interrupted()).isTrue();
        requireAll();
        assertThat(first.state()).isEqualTo(LinkState.UP);
    }

    /** Interrupts meet every part of a pass. */
    @Test
    void shouldMakeLinksAfterInterruptsWithinPasses() throws InterruptedException {
        final Thread running = Thread.currentThread();
        final Thread interrupting = new Thread(() -> {
            for (int i = 0; i < INTERRUPTS; i++) {
                running.interrupt();
                Thread.onSpinWait();
            }
        });
        interrupting.start();
        while (interrupting.isAlive()) {
            step();
        }
        Thread.interrupted();
        interrupting.join();
        final AeronLink[] ends = LinkEnds.join(low, high, 0, 2, MTU);
        assertThat(ends[0].state()).isEqualTo(LinkState.UP);
        sendAll();
        step();
        requireAll();
    }

    @Test
    void shouldKeepTheFrameOfAHandlerThatThrows() {
        sendAll();
        step();
        final IllegalStateException expected = new IllegalStateException("handler");
        assertThatThrownBy(() -> second.poll(
                        Frame.REQUESTS,
                        (memory, offset, length) -> {
                            if (memory.getLong(offset + Frame.LENGTH) == 3) {
                                throw expected;
                            }
                            return take(memory, offset, length);
                        },
                        FRAMES))
                .isSameAs(expected);
        assertThat(second.state()).isEqualTo(LinkState.UP);
        second.poll(Frame.REQUESTS, this::take, Integer.MAX_VALUE);
        assertThat(received).isEqualTo(numbers(FRAMES));
    }

    @Test
    void shouldPassLaterWhatAPollHasLeft() {
        sendAll();
        step();
        final FrameHandler refusing = (memory, offset, length) -> false;
        for (int i = 0; i < FRAMES; i++) {
            assertThat(second.poll(Frame.REQUESTS, refusing, Integer.MAX_VALUE)).isZero();
            assertThat(second.poll(Frame.REQUESTS, this::take, 1)).isEqualTo(1);
        }
        assertThat(second.poll(Frame.REQUESTS, this::take, 1)).isZero();
        assertThat(received).isEqualTo(numbers(FRAMES));
    }

    /** An answer cannot arrive yet, and the passes that wait for it are short. */
    @Test
    void shouldRunAllAgentsAfterADatagramAndSeldomWhileItWaits() {
        step();
        final long before = low.wholePasses();
        poll(DriverAgents.WHOLE_IDLE - 1);
        assertThat(low.wholePasses()).isEqualTo(before);
        poll(1);
        assertThat(low.wholePasses()).isEqualTo(before + 1);
        poll(DriverAgents.WHOLE - 1);
        write(Frame.REQUESTS, LENGTH, 1);
        first.flush();
        // The poll after a flush, which has received, runs no pass.
        poll(2);
        assertThat(low.wholePasses()).isEqualTo(before + 2);
    }

    /** Polls all streams of the first end several times. */
    private void poll(int rounds) {
        for (int i = 0; i < rounds * Frame.STREAMS; i++) {
            assertThat(first.poll(i % Frame.STREAMS, this::take, 1)).isZero();
        }
    }

    @Test
    void shouldBeDownOnceAMalformedFrameArrives() {
        final int[] lengths = {8, 20};
        for (final int length : lengths) {
            final LinkKey key = LinkEnds.key(0, 1);
            final AeronLink end =
                    AeronLink.open(high, new AeronEnd(1, 0, 0), InetAddress.getLoopbackAddress(), MTU, key);
            final SendStream other = publish(end.address(), key);
            final BufferClaim claim = new BufferClaim();
            while (!other.tryClaim(length, claim, new MemoryView(LENGTH))) {
                step();
            }
            claim.commit();
            step();
            assertThat(end.state()).isEqualTo(LinkState.UP);
            assertThat(end.poll(Frame.REQUESTS, this::take, 1)).isZero();
            assertThat(end.state()).as("%d bytes", length).isEqualTo(LinkState.DOWN);
            assertThat(end.poll(Frame.REQUESTS, this::take, 1)).isZero();
            assertThat(received).isEmpty();
        }
    }

    /** Publishes the stream of requests to an end of a link, as its peer does. */
    private SendStream publish(AeronAddress there, LinkKey key) {
        final LinkAccess access = new LinkAccess(key, sizes(), low.refusalsOfLink(1));
        final int termId = access.initialTermId(Frame.REQUESTS);
        return low.exclusively(() -> {
            final long tag = low.expect(access);
            final SendStream stream = low.publish(
                    there.channel(key, tag) + "|mtu=" + MTU + "|term-length=262144|init-term-id=" + termId + "|term-id="
                            + termId + "|term-offset=0",
                    Frame.REQUESTS,
                    sizes());
            low.made(tag);
            return stream;
        });
    }

    @Test
    void shouldNotBeJoinedIfTheEndsDifferInSize() {
        final InetAddress host = InetAddress.getLoopbackAddress();
        final AeronLink shorter = AeronLink.open(low, new AeronEnd(0, 1, 0), host, MTU, LinkEnds.key(1, 0));
        final AeronLink longer = AeronLink.open(high, new AeronEnd(1, 0, 0), host, 8192, LinkEnds.key(0, 1));
        shorter.connect(longer.address(), LinkEnds.key(0, 1));
        longer.connect(shorter.address(), LinkEnds.key(1, 0));
        step();
        assertThat(shorter.isJoined()).isFalse();
        assertThat(longer.isJoined()).isFalse();
        assertThat(shorter.refused(DatagramRefusal.SETUP)).isPositive();
        assertThat(longer.refused(DatagramRefusal.SETUP)).isPositive();
    }

    /** A rank of another job, or the same one with another engine, has another key. */
    @Test
    void shouldNotBeJoinedByAnotherKey() {
        final AeronAddress there = second.address();
        final AeronLink stranger = AeronLink.open(low, new AeronEnd(0, 1, 0), there.host(), MTU, LinkEnds.key(1, 0));
        stranger.connect(there, LinkEnds.key(0, 2));
        step();
        assertThat(stranger.isJoined()).isFalse();
        assertThat(stranger.room(Frame.REQUESTS)).isZero();
        assertThat(second.refused(DatagramRefusal.SESSION))
                .isPositive()
                .isEqualTo(high.refused(DatagramRefusal.SESSION));
        sendAll();
        step();
        requireAll();
    }

    @Test
    void shouldHaveNoRoomBeforeItIsJoined() {
        final AeronLink end =
                AeronLink.open(low, new AeronEnd(0, 1, 0), InetAddress.getLoopbackAddress(), MTU, LinkEnds.key(1, 0));
        assertThat(end.state()).isEqualTo(LinkState.UP);
        assertThat(end.isJoined()).isFalse();
        assertThat(end.room(Frame.REQUESTS)).isZero();
        assertThat(end.claim(Frame.REQUESTS, LENGTH)).isEqualTo(Link.NO_ROOM);
        assertThat(end.poll(Frame.REQUESTS, this::take, 1)).isZero();
        assertThat(end.memory().length()).isEqualTo(end.frameLimit());
        end.flush();
        final AeronAddress there = AeronLink.open(
                        high, new AeronEnd(1, 0, 0), InetAddress.getLoopbackAddress(), MTU, LinkEnds.key(0, 1))
                .address();
        end.connect(there, LinkEnds.key(0, 1));
        assertThatThrownBy(() -> end.connect(there, LinkEnds.key(0, 1))).isInstanceOf(IllegalStateException.class);
        end.close();
        assertThat(end.state()).isEqualTo(LinkState.DOWN);
    }

    /** Files and ports of closed links are free again, whether or not their frames were polled. */
    @Test
    void shouldReleaseWhatClosedLinksUsed() throws IOException {
        final long before = logs();
        sendAll();
        first.close();
        second.close();
        for (int i = 0; i < 30; i++) {
            clock.skip(SECONDS.toNanos(1));
            step();
        }
        assertThat(logs()).isLessThan(before).isZero();
        assertThat(second.poll(Frame.REQUESTS, this::take, 1)).isZero();
    }

    private long logs() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".logbuffer")).count();
        }
    }

    @Test
    void shouldNameTheRoomThatADriverNeeds() throws IOException {
        final Path small = Files.createDirectory(directory.resolve("small"));
        try (SmallFileSystem files = SmallFileSystem.mount(small, 4)) {
            final String usable = "usable=" + files.usable();
            assertThatThrownBy(() -> AeronDriver.launch(small))
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContaining(usable);
        } finally {
            Files.delete(small);
        }
    }

    @Test
    void shouldTakeNoMoreFilesThanItRequires() throws IOException {
        long bytes = 0;
        try (Stream<Path> files = Files.walk(low.directory())) {
            for (final Path file : files.filter(Files::isRegularFile)
                    .filter(each -> !each.toString().endsWith(".logbuffer"))
                    .toList()) {
                bytes += Files.size(file);
            }
        }
        assertThat(bytes).isBetween(DriverSettings.filesLength(0) / 2, DriverSettings.filesLength(0));
    }

    /**
     * Beside many other links, Aeron finds the sockets that have received something in another way. When the optimizing
     * compiler removes Aeron's iterators depends on the load, so this is no test of each build.
     */
    @Tag("stress")
    @ParameterizedTest
    @ValueSource(ints = {0, 7})
    void shouldAllocateNothingForAFrame(int others) {
        for (int other = 0; other < others; other++) {
            LinkEnds.join(low, high, 0, 2 + other, MTU);
        }
        long least = Long.MAX_VALUE;
        final long[] sum = new long[1];
        final FrameHandler adding = (memory, offset, length) -> add(sum, memory, offset);
        final FrameHandler accepting = (memory, offset, length) -> true;
        for (int attempt = 0; attempt < ATTEMPTS && least > DRIVER_BYTES; attempt++) {
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < OPERATIONS; i++) {
                final int stream = i % Frame.STREAMS;
                write(stream, LENGTH, i);
                first.flush();
                while (second.poll(stream, adding, 10) == 0) {
                    high.run();
                }
                sum[0] += first.poll(stream, accepting, 10);
                sum[0] += second.room(stream);
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isLessThanOrEqualTo(DRIVER_BYTES);
        assertThat(sum[0]).isPositive();
    }

    private static boolean add(long[] sum, Memory memory, long offset) {
        sum[0] += memory.getLong(offset + Frame.LENGTH);
        return true;
    }

    private LinkSizes sizes() {
        return new LinkSizes(MTU, low.socketBuffer());
    }

    private void step() {
        LinkEnds.step(List.of(low, high));
    }

    private void sendAll() {
        for (int i = 1; i <= FRAMES; i++) {
            write(Frame.REQUESTS, LENGTH, i);
        }
        first.flush();
    }

    private void write(int stream, int length, long value) {
        final long frame = first.claim(stream, length);
        if (frame == Link.NO_ROOM) {
            throw new AssertionError("no room for " + length + " bytes");
        }
        first.memory().putLong(frame + Frame.LENGTH, value);
        first.commit(stream);
    }

    private void requireAll() {
        second.poll(Frame.REQUESTS, this::take, Integer.MAX_VALUE);
        assertThat(received).isEqualTo(numbers(FRAMES));
    }

    private static List<Long> numbers(int count) {
        return LongStream.rangeClosed(1, count).boxed().toList();
    }

    private boolean take(Memory memory, long offset, int length) {
        received.add(memory.getLong(offset + Frame.LENGTH));
        return true;
    }
}
