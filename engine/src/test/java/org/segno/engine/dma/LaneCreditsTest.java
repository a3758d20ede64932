package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.link.Link;
import org.segno.link.PacketEnd;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.status.Refusal;

/** Credit for lanes: with it a record always finds room, so that nothing waits in a link for a slow context. */
class LaneCreditsTest {
    private static final int CONTEXTS = 3;
    private static final int ID = 5;

    @TempDir
    Path directory;

    private EngineFixture open(int linkBytes) {
        return EngineFixture.linked(
                directory,
                NodeSize.small()
                        .contexts(CONTEXTS)
                        .fifos(4)
                        .windowBytes(1 << 16)
                        .dimensions(),
                linkBytes);
    }

    /** Sends records of every kind and length from two contexts, with new origins, to contexts that advance rarely. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void shouldLeaveNoRecordInTheLinkAndDeliverAllInOrder(long seed) {
        try (EngineFixture engines = open(1 << 15)) {
            final Random chance = new Random(seed);
            final Link link = engines.link(0, 1);
            final long empty = link.capacity(Frame.REQUESTS);
            final Window source = engines.client(0).window(4096);
            final Window target = engines.client(1).window(4096);
            final ReceptionCounter counter = engines.client(1).receptionCounter(target, 0, 4096);
            final Target in = new Target(1, counter.id(), counter.incarnation(), 4096, false);
            final List<List<Long>> sent = lists();
            final List<List<Long>> received = lists();
            for (int context = 0; context < CONTEXTS; context++) {
                receive(engines.client(1).context(context), received.get(context));
            }
            final ReceptionCounter hit = engines.client(1).receptionCounter(target, 0, 0);
            final Target hits = new Target(1, hit.id(), hit.incarnation(), 0, false);
            final int[] events = new int[1];
            engines.context(1).onHit(hit, id -> events[0]++);
            final UnsafeBuffer number = new UnsafeBuffer(new byte[24]);
            final Message message = new Message();
            for (int turn = 0; turn < 20_000; turn++) {
                // One sender for each receiving context, so that its messages keep their order.
                final int at = chance.nextInt(CONTEXTS);
                final Context sender = engines.client(0).context(at % 2);
                final long value = 8L * chance.nextInt(400);
                number.putLong(0, value);
                final long result = chance.nextInt(4) == 0
                        ? sender.putNotifying(
                                in, value, source, 0, chance.nextInt(800), new Notification().at(at, ID + 1))
                        : sender.send(message.to(1, at, ID)
                                .metadata(number, 0, 8 + chance.nextInt(17))
                                .payload(source, 0, chance.nextInt(6) == 0 ? chance.nextInt(990) : chance.nextInt(30)));
                if (result >= 0) {
                    sent.get(at).add(value);
                }
                if (chance.nextInt(4) == 0) {
                    // Events of the same context, which take no room of a record.
                    hit.expect(engines.context(0).count(hits, -1) >= 0 ? 1 : 0);
                }
                engines.pass(0);
                if (chance.nextInt(3) == 0) {
                    engines.pass(1);
                    assertThat(link.room(Frame.REQUESTS))
                            .as("turn %d: bytes in the link", turn)
                            .isGreaterThanOrEqualTo(empty);
                }
                if (chance.nextInt(40) == 0) {
                    engines.client(1).context(chance.nextInt(CONTEXTS)).advance();
                }
            }
            advanceAll(engines);
            assertThat(events[0]).isPositive();
            for (final Refusal refusal : Refusal.values()) {
                assertThat(engines.metrics(1).get(refusal)).as(refusal.name()).isZero();
            }
            assertThat(received).isEqualTo(sent);
        }
    }

    private static List<List<Long>> lists() {
        final List<List<Long>> lists = new ArrayList<>();
        for (int context = 0; context < CONTEXTS; context++) {
            lists.add(new ArrayList<>());
        }
        return lists;
    }

    private static void receive(Context receiver, List<Long> received) {
        receiver.handler(ID, (from, buffer, m, ml, p, length) -> received.add(buffer.getLong(m)));
        receiver.notified(ID + 1, (from, id, offset, bytes) -> received.add(offset));
    }

    private static void advanceAll(EngineFixture engines) {
        for (int turn = 0; turn < 2000; turn++) {
            engines.pass(0);
            for (int context = 0; context < CONTEXTS; context++) {
                engines.client(1).context(context).advance();
            }
        }
    }

    @Test
    void shouldReturnTheCreditOfRefusedRecords() {
        try (EngineFixture engines = open(1 << 15)) {
            final Context sender = engines.context(0);
            final Window source = engines.client(0).window(4096);
            final List<Integer> lengths = new ArrayList<>();
            engines.context(1).handler(ID, (from, buffer, m, ml, p, length) -> lengths.add(length));
            final Target stale = new Target(1, 2, 77, 64, false);
            for (int round = 0; round < 200; round++) {
                // Refused for its counter: it has charged a notice.
                sender.putNotifying(stale, 0, source, 0, 8, new Notification().at(ID));
                engines.settle();
            }
            assertThat(engines.metrics(0).get(Refusal.COUNTER_DISABLED)
                            + engines.metrics(0).get(Refusal.STALE_COUNTER))
                    .isEqualTo(200);
            sender.send(new Message().to(1, ID).payload(source, 0, 1000));
            engines.settle();
            assertThat(lengths).containsExactly(1000);
        }
    }

    @Test
    void shouldHoldAFifoWithoutCreditAndNoOther() {
        try (EngineFixture engines = open(1 << 15)) {
            final Context sender = engines.context(0);
            final Window source = engines.client(0).window(4096);
            final List<Integer> lengths = new ArrayList<>();
            engines.client(1).context(1).handler(ID, (from, buffer, m, ml, p, length) -> lengths.add(length));
            final PacketEnd peer = new PacketEnd(engines.link(1, 0));
            final InjectionFifo other = sender.injectionFifo();
            for (int i = 0; i < 8; i++) {
                sender.send(new Message().to(1, ID).payload(source, 0, 1000));
            }
            engines.pass(0);
            provideLane(peer, 0);
            for (int pass = 0; pass < 10; pass++) {
                engines.pass(0);
            }
            final int taken = messages(peer);
            assertThat(taken).as("three quarters of a lane").isEqualTo(4096 * 3 / 4 / LaneRecord.charge(1000));
            other.send(new Message().to(1, 1, ID).payload(source, 0, 1000));
            other.send(new Message().to(1, ID).payload(source, 0, 8));
            engines.pass(0);
            provideLane(peer, 1);
            engines.pass(0);
            engines.pass(0);
            assertThat(messages(peer)).as("to another context").isEqualTo(1);
            assertThat(other.fill()).isEqualTo(2);
        }
    }

    /** Takes the demand for a lane into a context, and provides it. */
    private static void provideLane(PacketEnd peer, int context) {
        final int taken = peer.poll(
                Frame.REQUESTS,
                packet -> {
                    assertThat(packet.kind()).isEqualTo(PacketKind.DEMAND);
                    assertThat(packet.target()).isEqualTo(context);
                    peer.provideLane(Frame.REQUESTS, context, packet.offset(), 1, 0);
                },
                1000);
        assertThat(taken).as("demands").isEqualTo(1);
    }

    private static int messages(PacketEnd peer) {
        final int[] messages = new int[1];
        peer.poll(Frame.REQUESTS, packet -> messages[0] += packet.isFirst() ? 1 : 0, 1000);
        return messages[0];
    }

    @ParameterizedTest
    @CsvSource({"-1, 0, 8", "3, 0, 8", "0, 0, -1", "0, 0, 5000", "0, 1, 8", "0, -1, 8", "0, 3, 8"})
    void shouldRefuseCreditThatIsImpossible(int context, int stream, long bytes) {
        try (EngineFixture engines = open(1 << 15)) {
            final PacketEnd peer = new PacketEnd(engines.link(1, 0));
            engines.context(0).sendImmediate(1, ID, new UnsafeBuffer(new byte[8]), 0, 8);
            engines.pass(0);
            peer.claim(Frame.REPLIES)
                    .head(PacketKind.CREDIT, Packet.FIRST, 1, 0)
                    .target(context, stream, bytes);
            peer.publish(Frame.REPLIES);
            engines.pass(0);
            assertThat(engines.metrics(0).get(Refusal.BAD_PACKET)).isEqualTo(1);
        }
    }
}
