package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.context.Context;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.link.Link;
import org.segno.link.PacketEnd;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;

/** Room of the stream of a link, and which packets free the slots of a FIFO. */
class StreamRoomTest {
    private static final int WINDOW = 1 << 16;
    private static final int LINK_BYTES = 1 << 16;

    /** Packets of a long message after which a stream takes one more at most. */
    private static final int PARTS = 24;

    @TempDir
    Path directory;

    private EngineFixture open(int fifoSlots) {
        return EngineFixture.linked(
                directory,
                NodeSize.small()
                        .fifos(3)
                        .fifoSlots(fifoSlots)
                        .windowBytes(2 * WINDOW)
                        .dimensions(),
                LINK_BYTES);
    }

    /** Returns a target that covers a new window of rank 1. */
    private static Target target(EngineFixture engines) {
        final ReceptionCounter counter =
                engines.client(1).receptionCounter(engines.client(1).window(WINDOW), 0, WINDOW);
        return new Target(1, counter.id(), counter.incarnation(), WINDOW, false);
    }

    @Test
    void shouldLeaveRoomBehindALongMessage() {
        try (EngineFixture engines = open(64)) {
            final Context sender = engines.context(0);
            final Window source = engines.client(0).window(WINDOW);
            final InjectionCounter done = engines.client(0).injectionCounter();
            final Link link = engines.link(0, 1);
            final PacketEnd peer = new PacketEnd(engines.link(1, 0));
            done.expect(WINDOW);
            sender.put(target(engines), 0, source, 0, WINDOW, done);
            pass(engines, 100);
            while (done.valueAcquire() != 0) {
                final int packets = peer.poll(Frame.REQUESTS, packet -> {}, 1000);
                assertThat(packets).as("packets under way").isBetween(1, PARTS + 1);
                peer.acknowledge();
                pass(engines, 100);
            }
            assertThat(link.capacity(Frame.REQUESTS) / link.frameLimit()).isGreaterThan(3 * PARTS);
            engines.requireNothingThrown();
        }
    }

    @Test
    void shouldLeaveRoomBehindTheDataOfALongGet() {
        try (EngineFixture engines = open(64)) {
            final Window data = engines.client(0).window(WINDOW);
            final ReceptionCounter counter = engines.client(0).receptionCounter(data, 0, WINDOW, 1, Right.values());
            final Link link = engines.link(0, 1);
            final PacketEnd peer = new PacketEnd(engines.link(1, 0));
            final Packet request = peer.claim(Frame.REQUESTS)
                    .head(PacketKind.GET, Packet.FIRST, 1, 0)
                    .target(counter.id(), counter.incarnation(), 0)
                    .request(7)
                    .payloadLength(8);
            request.memory().putLong(request.payload(), WINDOW);
            peer.publish(Frame.REQUESTS);
            final int[] bytes = new int[1];
            while (bytes[0] < WINDOW) {
                pass(engines, 100);
                final int packets = peer.poll(
                        Frame.REPLIES,
                        packet -> bytes[0] += packet.kind() == PacketKind.GET_DATA ? packet.payloadLength() : 0,
                        1000);
                // The introduction of the node precedes the data.
                assertThat(packets).as("packets under way").isBetween(1, PARTS + 2);
            }
            assertThat(link.capacity(Frame.REPLIES) / link.frameLimit()).isGreaterThan(PARTS);
        }
    }

    /** A message that waits behind a long one is the next, although that is not at its end. */
    @Test
    void shouldTakeAShortMessageBeforeTheRestOfALongOne() {
        try (EngineFixture engines = open(64)) {
            final Context sender = engines.context(0);
            final Window source = engines.client(0).window(WINDOW);
            final Target target = target(engines);
            final PacketEnd peer = new PacketEnd(engines.link(1, 0));
            sender.put(target, 0, source, 0, WINDOW);
            pass(engines, 100);
            sender.injectionFifo().put(target, 0, source, 0, 8);
            pass(engines, 100);
            final List<Integer> lengths = new ArrayList<>();
            for (int window = 0; window < 2; window++) {
                peer.poll(Frame.REQUESTS, packet -> lengths.add((int) packet.remaining()), 1000);
                peer.acknowledge();
                pass(engines, 100);
            }
            assertThat(lengths).contains(8);
            assertThat(lengths.indexOf(8)).isLessThanOrEqualTo(PARTS + 2);
        }
    }

    @Test
    void shouldFillAStreamWithMessagesOfOnePacket() {
        try (EngineFixture engines = open(256)) {
            final Window source = engines.client(0).window(WINDOW);
            final Target target = target(engines);
            final PacketEnd peer = new PacketEnd(engines.link(1, 0));
            for (int i = 0; i < 200; i++) {
                engines.context(0).put(target, 0, source, 0, EngineFixture.PAYLOAD_LIMIT - 100);
                engines.pass(0);
            }
            pass(engines, 100);
            assertThat(peer.poll(Frame.REQUESTS, packet -> {}, 1000)).isGreaterThan(3 * PARTS);
        }
    }

    /** Slots become free when packets are acknowledged, for which the last packet of each part of the FIFO asks. */
    @ParameterizedTest
    @CsvSource({"16, 4", "256, 64", "512, 256", "1024, 512"})
    void shouldAskForTheAcknowledgementsThatFreeSlots(int slots, int part) {
        try (EngineFixture engines = open(slots)) {
            final Window source = engines.client(0).window(WINDOW);
            final Target target = target(engines);
            final PacketEnd peer = new PacketEnd(engines.link(1, 0));
            final List<Integer> awaited = new ArrayList<>();
            final List<Integer> expected = new ArrayList<>();
            for (int i = 1; i <= 2 * slots; i++) {
                final int number = i;
                assertThat(engines.context(0).put(target, 0, source, 0, 8)).isNotNegative();
                pass(engines, 2);
                peer.poll(
                        Frame.REQUESTS,
                        packet -> {
                            if ((packet.flags() & Packet.AWAITED) != 0) {
                                awaited.add(number);
                                peer.acknowledge(number, 0);
                            }
                        },
                        1000);
                pass(engines, 2);
                if (i % part == 0) {
                    expected.add(i);
                }
            }
            assertThat(awaited).isEqualTo(expected);
        }
    }

    private static void pass(EngineFixture engines, int passes) {
        for (int i = 0; i < passes; i++) {
            engines.pass(0);
        }
    }
}
