package org.segno.transport.aeron;

import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_DATA;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_ERR;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_PAD;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_RSP_SETUP;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_RTTM;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.StatusMessageFlyweight;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;
import org.segno.link.Link;
import org.segno.link.LinkState;
import org.segno.status.Deadline;

/**
 * Datagrams that an end of a link drops. Those that must be dropped for another reason than their tag have the right
 * one. Each test ends with genuine frames.
 */
class RefusalTest {
    private static final int MTU = 1408;
    private static final int LENGTH = 64;
    private static final int LOGGED = 96;
    private static final int STREAM = Frame.REQUESTS;
    private static final int TERM = 1 << 18;

    @TempDir
    private Path directory;

    private AeronDriver low;
    private AeronDriver high;
    private Network network;
    private AeronLink first;
    private AeronLink second;
    private UdpProxy there;
    private Forgery forgery;
    private DatagramChannel stranger;

    /** Position behind the frames that were sent. */
    private long position;

    private long sent;
    private final List<Long> received = new ArrayList<>();

    @BeforeEach
    void join() throws IOException {
        low = AeronDriver.launch(directory);
        high = AeronDriver.launch(directory);
        network = new Network(low, high);
        final AeronLink[] ends = network.join(low, high, 0, 1, MTU, Faults.NONE, 1, List.of());
        first = ends[0];
        second = ends[1];
        there = network.proxies().get(0);
        forgery = new Forgery(access());
        stranger = DatagramChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        requireGenuine();
    }

    private LinkAccess access() {
        return new LinkAccess(LinkEnds.key(0, 1), new LinkSizes(MTU, low.socketBuffer()), low.refusalsOfLink(1));
    }

    @AfterEach
    void close() throws IOException {
        stranger.close();
        low.close();
        high.close();
        network.close();
        assertThat(low.errors()).isZero();
        assertThat(high.errors()).isZero();
    }

    /** Sends three frames and requires that they arrive, once and in order. */
    private void requireGenuine() {
        for (int i = 0; i < 3; i++) {
            send();
        }
        receive();
    }

    private void send() {
        final long frame = first.claim(STREAM, LENGTH);
        assertThat(frame).isNotEqualTo(Link.NO_ROOM);
        first.memory().putLong(frame + Frame.LENGTH, ++sent);
        first.commit(STREAM);
        first.flush();
        final long end = TERM - position % TERM;
        position += LOGGED <= end ? LOGGED : end + LOGGED;
    }

    private void receive() {
        network.settle();
        final int count = (int) sent - received.size();
        assertThat(second.poll(STREAM, this::take, Integer.MAX_VALUE)).isEqualTo(count);
        for (int i = 0; i < received.size(); i++) {
            assertThat(received.get(i)).isEqualTo(i + 1);
        }
        network.settle();
        assertThat(first.state()).isEqualTo(LinkState.UP);
        assertThat(second.state()).isEqualTo(LinkState.UP);
    }

    private boolean take(Memory memory, long offset, int length) {
        assertThat(length).isEqualTo(LENGTH);
        received.add(memory.getLong(offset + Frame.LENGTH));
        return true;
    }

    /** Sends frames until the receiver has reported that some were taken. */
    private void fill(int frames) {
        for (int i = 0; i < frames; i += 100) {
            for (int j = 0; j < 100; j++) {
                send();
            }
            receive();
        }
    }

    /** Sends datagrams and requires that each is dropped for a reason, and nothing for another one. */
    private void require(AeronLink link, DatagramRefusal reason, Runnable sending, int count) {
        final Map<DatagramRefusal, Long> expected = counts(link);
        expected.merge(reason, (long) count, Long::sum);
        final AeronDriver driver = link == first ? low : high;
        final long all = driver.refused(reason);
        final long before = link.refused(reason);
        sending.run();
        await(() -> link.refused(reason) >= before + count);
        requireGenuine();
        assertThat(counts(link)).isEqualTo(expected);
        assertThat(driver.refused(reason)).isEqualTo(all + count);
    }

    private static Map<DatagramRefusal, Long> counts(AeronLink link) {
        final Map<DatagramRefusal, Long> counts = new EnumMap<>(DatagramRefusal.class);
        for (final DatagramRefusal reason : DatagramRefusal.values()) {
            counts.put(reason, link.refused(reason));
        }
        return counts;
    }

    private void await(BooleanSupplier condition) {
        final long deadlineNs = Deadline.in(20, SECONDS);
        while (!condition.getAsBoolean()) {
            network.step();
            assertThat(Deadline.reached(deadlineNs))
                    .as("counts %s %s", counts(first), counts(second))
                    .isFalse();
            YieldingIdleStrategy.INSTANCE.idle();
        }
    }

    private void requireRefused(DatagramRefusal reason, byte[]... datagrams) {
        require(second, reason, () -> Arrays.stream(datagrams).forEach(there::sendOnward), datagrams.length);
    }

    private void requireRefusedBySender(DatagramRefusal reason, byte[]... datagrams) {
        require(first, reason, () -> Arrays.stream(datagrams).forEach(there::sendBackward), datagrams.length);
    }

    private void requireRefusedFromStranger(DatagramRefusal reason, byte[] datagram) {
        final AeronAddress address = second.address();
        require(
                second,
                reason,
                () -> UdpProxy.send(stranger, datagram, new InetSocketAddress(address.host(), address.port())),
                1);
    }

    @Test
    void shouldRefuseOtherLengths() {
        final byte[] setup = forgery.setup(STREAM, any -> {});
        final byte[] heartbeat = forgery.heartbeat(STREAM, position, any -> {});
        requireRefused(
                DatagramRefusal.LENGTH,
                new byte[0],
                Forgery.cut(there.lastOnward(), 20),
                Forgery.cut(there.lastOnward(), 31),
                Forgery.cut(setup, 36),
                Forgery.cut(setup, 44),
                Forgery.cut(heartbeat, 64));
    }

    /** The buffer of the receiver still contains the frame, which has not been reported. */
    @Test
    void shouldRefuseWhatHasNoHeaderRightAfterAFrame() {
        require(
                second,
                DatagramRefusal.LENGTH,
                () -> {
                    final byte[] before = there.lastOnward();
                    send();
                    await(() -> there.lastOnward() != before);
                    there.sendOnward(new byte[0]);
                    there.sendOnward(Forgery.cut(there.lastOnward(), 20));
                },
                2);
    }

    @Test
    void shouldRefuseOtherSessionsAndStreams() {
        requireRefused(
                DatagramRefusal.SESSION,
                forgery.begin()
                        .frame(STREAM, position, 64, header -> header.sessionId(header.sessionId() + 1))
                        .end(),
                forgery.begin()
                        .frame(STREAM, position, 64, header -> header.streamId(0))
                        .end(),
                forgery.begin()
                        .frame(STREAM, position, 64, header -> header.streamId(-1))
                        .end(),
                forgery.begin()
                        .frame(STREAM, position, 64, header -> header.streamId(Frame.STREAMS + 1))
                        .end(),
                forgery.setup(STREAM, setup -> setup.sessionId(77)));
    }

    @Test
    void shouldRefuseOtherTypes() {
        for (final int type : new int[] {HDR_TYPE_RTTM, HDR_TYPE_ERR, HDR_TYPE_RSP_SETUP, 7, 0xFFFF}) {
            requireRefused(
                    DatagramRefusal.TYPE,
                    forgery.begin()
                            .frame(STREAM, position, 64, header -> header.headerType(type))
                            .end());
        }
    }

    @Test
    void shouldRefuseOtherAddresses() {
        requireRefusedFromStranger(
                DatagramRefusal.ADDRESS,
                forgery.begin().frame(STREAM, position, 64).end());
        requireRefusedFromStranger(DatagramRefusal.ADDRESS, forgery.heartbeat(STREAM, position + 64, any -> {}));
        requireRefusedFromStranger(DatagramRefusal.ADDRESS, forgery.setup(STREAM, any -> {}));
    }

    @Test
    void shouldRefuseToSetUpOtherwise() {
        requireRefused(
                DatagramRefusal.SETUP,
                forgery.setup(STREAM, setup -> setup.initialTermId(setup.initialTermId() + 1)),
                forgery.setup(STREAM, setup -> setup.activeTermId(setup.activeTermId() + 1)),
                forgery.setup(STREAM, setup -> setup.termOffset(32)),
                forgery.setup(STREAM, setup -> setup.termLength(setup.termLength() * 2)),
                forgery.setup(STREAM, setup -> setup.mtuLength(setup.mtuLength() - 32)),
                forgery.setup(STREAM, setup -> setup.ttl(1)),
                forgery.setup(STREAM, setup -> setup.flags((short) 0x40)),
                forgery.setup(STREAM, setup -> setup.version((short) 1)));
    }

    /** A peer that is this test sets up one stream of three. */
    @Test
    void shouldRefuseFramesOfAStreamThatIsNotSetUp() throws IOException {
        final AeronLink end =
                AeronLink.open(high, new AeronEnd(1, 0, 0), InetAddress.getLoopbackAddress(), MTU, LinkEnds.key(0, 1));
        final InetSocketAddress address =
                new InetSocketAddress(end.address().host(), end.address().port());
        final byte[] frame = forgery.begin().frame(Frame.REPLIES, 0, 64).end();
        UdpProxy.send(stranger, frame, address);
        await(() -> end.refused(DatagramRefusal.ADDRESS) == 1);
        UdpProxy.send(stranger, forgery.setup(STREAM, setup -> setup.initialTermId(5)), address);
        await(() -> end.refused(DatagramRefusal.SETUP) == 1);
        UdpProxy.send(stranger, forgery.setup(STREAM, any -> {}), address);
        stranger.configureBlocking(false);
        final ByteBuffer report = ByteBuffer.allocate(100);
        await(() -> receive(report));
        assertThat(report.position()).isEqualTo(StatusMessageFlyweight.HEADER_LENGTH + FrameTags.LENGTH);
        UdpProxy.send(stranger, frame, address);
        await(() -> end.refused(DatagramRefusal.STATE) == 1);
        UdpProxy.send(stranger, forgery.begin().frame(STREAM, 0, 64).end(), address);
        final List<Integer> lengths = new ArrayList<>();
        await(() -> end.poll(STREAM, (memory, offset, length) -> lengths.add(length), 1) == 1);
        assertThat(lengths).containsExactly(64);
        requireGenuine();
    }

    private boolean receive(ByteBuffer into) {
        try {
            return stranger.receive(into) != null;
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldRefuseLateDuplicates() {
        final byte[] old = firstFrame();
        fill(1500);
        requireRefused(
                DatagramRefusal.STALE,
                old,
                forgery.begin()
                        .frame(STREAM, 0, 64, header -> header.termId(header.termId() - 3))
                        .end(),
                forgery.heartbeat(STREAM, 0, any -> {}));
    }

    /** Returns the first datagram that carried a frame of the stream: others are heartbeats, or of other streams. */
    private byte[] firstFrame() {
        final DataHeaderFlyweight header = new DataHeaderFlyweight();
        for (final byte[] datagram : there.keptOnward()) {
            header.wrap(datagram);
            if (header.headerType() == HDR_TYPE_DATA
                    && header.streamId() == LinkAccess.id(STREAM)
                    && header.frameLength() > DataHeaderFlyweight.HEADER_LENGTH) {
                return datagram;
            }
        }
        throw new AssertionError("no frame of stream " + STREAM);
    }

    /** Loss of a report is repaired when the peer repeats itself. */
    @Test
    void shouldRepeatItsReportAtLateSetups() {
        final int before = there.countBackward();
        requireRefused(DatagramRefusal.STALE, forgery.setup(STREAM, any -> {}), forgery.setup(STREAM, any -> {}));
        await(() -> there.countBackward() >= before + 2);
    }

    @Test
    void shouldRefuseWhatIsBeyondTheWindow() {
        requireRefused(
                DatagramRefusal.POSITION,
                forgery.begin().frame(STREAM, TERM / 2, 64).end(),
                forgery.begin().frame(STREAM, 5L * TERM, 64).end(),
                forgery.heartbeat(STREAM, TERM / 2 + 32, any -> {}));
    }

    @Test
    void shouldRefuseMalformedFrames() {
        final byte[] two = forgery.begin()
                .frame(STREAM, position, 64)
                .frame(STREAM, position + 96, 64)
                .end();
        requireRefused(
                DatagramRefusal.FRAME,
                // Not at a place of a frame.
                forgery.begin()
                        .frame(
                                STREAM,
                                position,
                                64,
                                header -> header.termId(header.termId() + 1).termOffset(-TERM + (int) position))
                        .end(),
                forgery.begin().frame(STREAM, position + 16, 64).end(),
                // Shorter than its header, longer than the datagram, and too long for any.
                forgery.begin()
                        .frame(STREAM, position, 64, header -> header.frameLength(31))
                        .end(),
                forgery.begin()
                        .frame(STREAM, position, 64, header -> header.frameLength(-96))
                        .end(),
                forgery.begin()
                        .frame(STREAM, position, 64, header -> header.frameLength(97))
                        .end(),
                forgery.begin()
                        .frame(STREAM, position, 64, header -> header.frameLength(Integer.MAX_VALUE))
                        .end(),
                forgery.begin().frame(STREAM, position, 60).end(),
                Forgery.cut(two, 96 + 24),
                // Does not continue the frame before.
                forgery.begin()
                        .frame(STREAM, position, 64)
                        .frame(STREAM, position + 128, 64)
                        .end(),
                forgery.begin()
                        .frame(STREAM, position, 64)
                        .frame(STREAM, position + 96 + TERM, 64)
                        .end(),
                forgery.begin()
                        .frame(STREAM, position, 64)
                        .frame(STREAM, position + 96, 64, header -> header.sessionId(1))
                        .end(),
                forgery.begin()
                        .frame(STREAM, position, 64)
                        .frame(STREAM, position + 96, 64, header -> header.streamId(2))
                        .end(),
                forgery.begin()
                        .frame(STREAM, position, 64)
                        .frame(STREAM, position + 96, 0, header -> header.frameLength(0))
                        .end());
    }

    @Test
    void shouldRefuseMalformedPadding() {
        requireRefused(
                DatagramRefusal.FRAME,
                // With a body, before another frame, longer than the term, and shorter than its header.
                forgery.begin()
                        .frame(STREAM, position, 64, header -> header.headerType(HDR_TYPE_PAD))
                        .end(),
                forgery.begin()
                        .frame(STREAM, position, 0, header -> header.headerType(HDR_TYPE_PAD))
                        .frame(STREAM, position + 32, 64)
                        .end(),
                padding(TERM - (int) position + 32),
                padding(31));
    }

    private byte[] padding(int length) {
        return forgery.begin()
                .frame(
                        STREAM,
                        position,
                        0,
                        header -> header.headerType(HDR_TYPE_PAD).frameLength(length))
                .end();
    }

    @Test
    void shouldRefuseAFrameThatLeavesTheTerm() {
        fill(2600);
        while (TERM - position > LOGGED + 64) {
            requireGenuine();
        }
        assertThat(position).isLessThan(TERM);
        requireRefused(
                DatagramRefusal.FRAME,
                forgery.begin().frame(STREAM, position, (int) (TERM - position)).end());
    }

    /** Not even what carries no data has an effect without a tag: it could displace frames and end streams. */
    @Test
    void shouldRefuseWhatHasNoRightTag() {
        final byte[] frame = forgery.begin().frame(STREAM, position, 64).end();
        final byte[] two = forgery.begin()
                .frame(STREAM, position, 64)
                .frame(STREAM, position + 96, 64)
                .end();
        final byte[] ending = forgery.heartbeat(STREAM, position, header -> header.flags((short) 0xE0));
        requireRefused(
                DatagramRefusal.TAG,
                Forgery.flipped(frame, 24),
                Forgery.flipped(frame, 31),
                Forgery.flipped(frame, 5),
                Forgery.flipped(frame, 95),
                Forgery.flipped(two, 96 + 40),
                Forgery.flipped(padding(TERM - (int) position), 24),
                Forgery.flipped(ending, 24),
                Forgery.flipped(forgery.heartbeat(STREAM, position + 32, any -> {}), 24));
    }

    @Test
    void shouldTakeRightlyTaggedPadding() {
        there.sendOnward(padding(64));
        network.settle();
        // The peer does not know of it: its next frame is a duplicate.
        send();
        network.settle();
        assertThat(second.poll(STREAM, this::take, 1)).isZero();
    }

    @Test
    void shouldRefuseOtherReportsAndRequests() {
        requireRefusedBySender(
                DatagramRefusal.LENGTH,
                new byte[0],
                Forgery.cut(forgery.report(STREAM, position, any -> {}), 36),
                Forgery.cut(forgery.report(STREAM, position, any -> {}), 48),
                Forgery.cut(forgery.request(STREAM, 0, 32, any -> {}), 28),
                Forgery.cut(forgery.request(STREAM, 0, 32, any -> {}), 40));
        for (final int type : new int[] {HDR_TYPE_RTTM, HDR_TYPE_ERR, HDR_TYPE_RSP_SETUP, 0, 1, 5}) {
            requireRefusedBySender(
                    DatagramRefusal.TYPE, forgery.report(STREAM, position, report -> report.headerType(type)));
        }
        requireRefusedBySender(
                DatagramRefusal.SESSION,
                forgery.report(STREAM, position, report -> report.sessionId(1)),
                forgery.report(STREAM, position, report -> report.streamId(0)),
                forgery.report(STREAM, position, report -> report.streamId(4)),
                forgery.request(STREAM, 0, 32, request -> request.sessionId(1)),
                forgery.request(STREAM, 0, 32, request -> request.streamId(0)),
                forgery.request(STREAM, 0, 32, request -> request.streamId(4)));
        requireRefusedBySender(
                DatagramRefusal.TAG,
                Forgery.flipped(forgery.report(STREAM, position, any -> {}), 36),
                Forgery.flipped(forgery.report(STREAM, position, report -> report.flags((short) 0x40)), 43),
                Forgery.flipped(forgery.request(STREAM, 0, 32, any -> {}), 28));
    }

    @Test
    void shouldRefuseReportsOfWhatWasNotSent() {
        requireRefusedBySender(
                DatagramRefusal.RANGE,
                forgery.report(STREAM, position + 32, any -> {}),
                forgery.report(STREAM, 0, report -> report.consumptionTermId(report.consumptionTermId() - 1)),
                forgery.report(
                        STREAM,
                        0,
                        report -> report.consumptionTermId(report.consumptionTermId() + 1)
                                .consumptionTermOffset(-TERM)),
                forgery.report(
                        STREAM,
                        0,
                        report -> report.consumptionTermId(report.consumptionTermId() - 1)
                                .consumptionTermOffset(TERM)),
                forgery.report(STREAM, 0, report -> report.receiverWindowLength(TERM / 2 + 1)),
                forgery.report(STREAM, 0, report -> report.receiverWindowLength(-1)));
    }

    @Test
    void shouldRefuseRequestsForWhatWasNotSent() {
        fill(2900);
        assertThat(position).isBetween(TERM + 10_000L, 2L * TERM);
        final int sent = (int) position - TERM;
        requireRefusedBySender(DatagramRefusal.STALE, forgery.request(STREAM, sent - 32, 32, any -> {}));
        final int later = (int) position - TERM;
        requireRefusedBySender(
                DatagramRefusal.RANGE,
                forgery.request(STREAM, position, 32, any -> {}),
                forgery.request(STREAM, TERM, later + 32, any -> {}),
                forgery.request(STREAM, TERM, 0, any -> {}),
                forgery.request(STREAM, TERM, -32, any -> {}),
                forgery.request(STREAM, TERM - 64, 96, any -> {}),
                forgery.request(STREAM, TERM + 16, 32, any -> {}),
                forgery.request(
                        STREAM,
                        TERM,
                        32,
                        request -> request.termId(request.termId() + 1).termOffset(-TERM)));
    }

    /** The socket for sending is connected: the system drops what comes from elsewhere. */
    @Test
    void shouldNotReceiveReportsOfOthers() {
        final byte[] ending = forgery.report(STREAM, position, report -> report.flags((short) 0x40));
        UdpProxy.send(stranger, ending, there.sender());
        requireGenuine();
        requireGenuine();
        there.sendBackward(ending);
        await(() -> first.state() == LinkState.DOWN);
    }

    /** An engine that makes one more pass for a peer that has died receives what that peer has sent. */
    @Test
    void shouldReceiveAFrameBehindHeartbeatsInOnePass() {
        for (int i = 0; i < 3; i++) {
            there.sendOnward(forgery.heartbeat(STREAM, position, any -> {}));
        }
        final int before = received.size();
        send();
        there.step();
        high.run();
        assertThat(second.poll(STREAM, this::take, 1)).isEqualTo(1);
        assertThat(received).hasSize(before + 1);
    }

    @Test
    void shouldEndByATaggedHeartbeatAlone() {
        there.sendOnward(forgery.heartbeat(STREAM, position, header -> header.flags((short) 0xE0)));
        await(() -> second.state() == LinkState.ENDED);
    }
}
