package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
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
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.Metric;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.geometry.Endpoint;
import org.segno.link.PacketEnd;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Refusal;

/** Short messages to one context, which travel over a link in one packet. */
class SendRunTest {
    private static final int WINDOW = 1 << 14;
    private static final int LINK_BYTES = 1 << 14;
    private static final int IDS = 3;

    @TempDir
    Path directory;

    @TempDir
    Path other;

    private EngineFixture open(Reach reach) {
        return EngineFixture.open(
                reach == Reach.LINKED ? directory : other,
                NodeSize.small()
                        .contexts(2)
                        .fifos(3)
                        .fifoSlots(1024)
                        .patternSlots(1024)
                        .counters(8)
                        .windowBytes(4 * WINDOW)
                        .dimensions(),
                reach,
                LINK_BYTES);
    }

    /** Everything that a sender and a receiver see of some messages. */
    private static final class Pair implements AutoCloseable {
        final EngineFixture engines;
        final Context sender;
        final Window source;
        final InjectionCounter[] done = new InjectionCounter[2];
        final List<String> received = new ArrayList<>();
        final Message message = new Message();
        final UnsafeBuffer metadata = new UnsafeBuffer(new byte[24]);

        Pair(EngineFixture engines) {
            this.engines = engines;
            this.sender = engines.context(0);
            this.source = engines.client(0).window(WINDOW);
            final byte[] content = new byte[WINDOW];
            new Random(7).nextBytes(content);
            source.buffer().putBytes(0, content);
            for (int i = 0; i < done.length; i++) {
                done[i] = engines.client(0).injectionCounter();
            }
            for (int id = 0; id < IDS; id++) {
                final int handler = id;
                engines.context(1).handler(id, (origin, buffer, m, ml, p, pl) -> {
                    final byte[] bytes = new byte[ml + pl];
                    buffer.getBytes(m, bytes, 0, ml);
                    buffer.getBytes(p, bytes, ml, pl);
                    received.add(handler + ":" + ml + ":" + HexFormat.of().formatHex(bytes));
                });
            }
            // The first message demands the lane.
            sender.sendImmediate(1, 0, metadata, 0, 8);
            engines.settle();
            received.clear();
        }

        void send(int id, int metadataLength, int at, int length, int completes) {
            metadata.setMemory(0, 24, (byte) (at + length));
            message.to(1, id)
                    .metadata(metadata, 0, metadataLength)
                    .payload(source, at, length)
                    .completes(done[completes]);
            while (sender.send(message) < 0) {
                engines.settle();
            }
        }

        @Override
        public void close() {
            engines.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldArriveAsOverMappedMemory(int seed) {
        try (Pair linked = new Pair(open(Reach.LINKED));
                Pair mapped = new Pair(open(Reach.MAPPED))) {
            for (final Pair pair : new Pair[] {linked, mapped}) {
                final Random chance = new Random(seed);
                for (int burst = 0; burst < 40; burst++) {
                    final int completes = chance.nextInt(2);
                    final int limit = new int[] {1, 9, 100, 600}[chance.nextInt(4)];
                    for (int i = chance.nextInt(100); i > 0; i--) {
                        final int length = chance.nextInt(limit);
                        final int id = chance.nextInt(IDS);
                        if (length <= 8 && chance.nextBoolean()) {
                            while (pair.sender.sendImmediate(1, id, pair.source.buffer(), 8 * i, length) < 0) {
                                pair.engines.settle();
                            }
                        } else {
                            pair.send(id, chance.nextInt(25), chance.nextInt(WINDOW - length), length, completes);
                        }
                    }
                    if (chance.nextInt(4) == 0) {
                        pair.engines.settle();
                    }
                }
                pair.engines.settle();
                assertThat(pair.sender.isDrained()).isTrue();
            }
            assertThat(linked.received).hasSizeGreaterThan(500).isEqualTo(mapped.received);
            for (int i = 0; i < 2; i++) {
                assertThat(linked.done[i].valueAcquire()).isEqualTo(mapped.done[i].valueAcquire());
            }
        }
    }

    /** Runs of equal messages from different places, and others between them, through lanes that become full. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shouldDeliverRunsOfEqualMessagesAsOverMappedMemory(int seed) {
        try (Pair linked = new Pair(open(Reach.LINKED));
                Pair mapped = new Pair(open(Reach.MAPPED))) {
            for (final Pair pair : new Pair[] {linked, mapped}) {
                final Random chance = new Random(seed);
                for (int run = 0; run < 60; run++) {
                    final int length = new int[] {0, 8, 24, 32, 64, 100, 300}[chance.nextInt(7)];
                    final boolean isImmediate = length <= 32 && chance.nextBoolean();
                    final int metadataLength = chance.nextInt(4) == 0 ? 8 : 0;
                    final int id = chance.nextInt(IDS);
                    for (int i = chance.nextInt(150); i > 0; i--) {
                        final int at = 8 * chance.nextInt((WINDOW - length) / 8);
                        if (isImmediate) {
                            while (pair.sender.sendImmediate(1, id, pair.source.buffer(), at, length) < 0) {
                                pair.engines.settle();
                            }
                        } else {
                            pair.send(id, metadataLength, at, length, 0);
                        }
                        if (chance.nextInt(40) == 0) {
                            pair.send((id + 1) % IDS, 0, 0, length, 0);
                        }
                    }
                }
                pair.engines.settle();
                assertThat(pair.sender.isDrained()).isTrue();
            }
            assertThat(linked.received).hasSizeGreaterThan(1000).isEqualTo(mapped.received);
            assertThat(linked.done[0].valueAcquire()).isEqualTo(mapped.done[0].valueAcquire());
        }
    }

    /** Takes what the sender sends, in place of the receiver's engine. */
    private static List<Long> countsOfRuns(Pair pair, int[] bytes) {
        final List<Long> counts = new ArrayList<>();
        final PacketEnd end = new PacketEnd(pair.engines.link(1, 0));
        for (int pass = 0; pass < 100; pass++) {
            pair.engines.pass(0);
            end.poll(
                    Frame.REQUESTS,
                    packet -> {
                        assertThat(packet.kind()).isEqualTo(PacketKind.SENDS);
                        counts.add(packet.remaining());
                        bytes[0] += Frame.LENGTH + Frame.packetLength(packet.payloadLength());
                    },
                    100);
        }
        return counts;
    }

    @Test
    void shouldTakeFewBytesOfTheLinkForEachMessageOfAReplay() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            final int count = 20;
            final Pattern pattern = pair.sender.record(1, Rounds.ORDERED_BY_CALLER, () -> {
                for (int i = 0; i < count; i++) {
                    pair.sender.sendImmediate(1, i % IDS, pair.source.buffer(), 8 * i, 8);
                }
            });
            pair.engines.settle();
            assertThat(pair.received).hasSize(count);
            assertThat(pair.sender.replay(pattern)).isEqualTo(2);
            final int[] bytes = new int[1];

            assertThat(countsOfRuns(pair, bytes).stream()
                            .mapToLong(Long::longValue)
                            .sum())
                    .isEqualTo(count);
            assertThat(bytes[0]).isBetween(14 * count, 17 * count);
        }
    }

    @Test
    void shouldEndAPacketWithTheQuantum() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            final InjectionFifo fifo = pair.sender.injectionFifo();
            fifo.quantum(40, 100);
            for (int i = 0; i < 20; i++) {
                fifo.send(pair.message.to(1, 1).payload(pair.source, 8L * i, 8).completes(pair.done[0]));
            }

            assertThat(countsOfRuns(pair, new int[1])).containsExactly(5L, 5L, 5L, 5L);
        }
    }

    @Test
    void shouldSendTheMessagesOfEachContextAndCounterInPacketsOfTheirOwn() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            final int[] contexts = {0, 0, 1, 1, 1, 0, 0};
            final int[] counters = {0, 1, 1, 1, 1, 1, 1};
            for (int i = 0; i < contexts.length; i++) {
                pair.message
                        .to(Endpoint.of(1, 0, contexts[i], contexts[i], 0), 1)
                        .payload(pair.source, 8L * i, 8);
                pair.sender.send(pair.message.completes(pair.done[counters[i]]));
            }
            final List<String> sent = new ArrayList<>();
            final PacketEnd end = new PacketEnd(pair.engines.link(1, 0));
            for (int pass = 0; pass < 20; pass++) {
                pair.engines.pass(0);
                end.poll(
                        Frame.REQUESTS,
                        packet -> {
                            if (packet.kind() == PacketKind.DEMAND) {
                                end.provideLane(Frame.REQUESTS, packet.target(), packet.offset(), 1, 0);
                            } else {
                                sent.add(PacketKind.name(packet.kind()) + packet.context());
                            }
                        },
                        10);
            }

            assertThat(sent).containsExactly("SENDS0", "SENDS0", "SENDS1", "SENDS0");
        }
    }

    @Test
    void shouldEndAPacketWhereTheCreditEnds() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            pair.engines.context(1).handler(1, (origin, buffer, m, ml, p, pl) -> pair.received.add(p + ":" + pl));
            for (int i = 0; i < 100; i++) {
                pair.send(1, 0, 8 * i, 120, 0);
            }
            for (int pass = 0; pass < 50; pass++) {
                pair.engines.pass(0);
                pair.engines.pass(1);
            }
            assertThat(pair.received).as("no handler has run").isEmpty();
            assertThat(pair.sender.isDrained()).isFalse();
            assertThat(pair.engines.metrics(1).get(Refusal.TOO_LONG)).isZero();
            pair.engines.settle();

            assertThat(pair.received).hasSize(100);
            assertThat(pair.done[0].valueAcquire()).isEqualTo(-12_000);
            pair.engines.requireNothingThrown();
        }
    }

    @Test
    void shouldRefuseAnInvalidSourceAndSendTheOthers() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            final NodeMemory node = pair.engines.memory(0);
            final long tail = new FifoMetadata(node, 0, 0).tailAcquire();
            for (int i = 0; i < 3; i++) {
                pair.send(i, 0, 8 * i, 8, 0);
            }
            // As another process of this user could write it.
            final long second = new FifoMetadata(node, 0, 0).start() + (tail + 1) * Descriptor.LENGTH;
            assertThat(node.owner().getLong(second + Descriptor.SOURCE_OFFSET_OFFSET))
                    .isEqualTo(8);
            node.owner().putLong(second + Descriptor.SOURCE_OFFSET_OFFSET, WINDOW - 7);
            pair.engines.settle();

            assertThat(pair.received).hasSize(2);
            assertThat(pair.engines.metrics(0).get(Refusal.SOURCE_OUT_OF_BOUNDS))
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldRefuseAllOfThemForAnEarlierUseOfTheContext() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            pair.done[0].expect(24);
            for (int i = 0; i < 3; i++) {
                pair.sender.send(pair.message
                        .to(Endpoint.of(1, 0, 0, 0, 5), 1)
                        .payload(pair.source, 0, 8)
                        .completes(pair.done[0]));
            }
            pair.engines.settle();

            assertThat(pair.received).isEmpty();
            assertThat(pair.engines.metrics(0).get(Refusal.STALE_CONTEXT)).isEqualTo(3);
            assertThat(pair.done[0].valueAcquire()).as("none has landed").isEqualTo(24);
            assertThat(pair.done[0].errorAcquire()).isNotZero();
            pair.send(1, 0, 0, 8, 1);
            pair.engines.settle();
            assertThat(pair.received)
                    .as("the refused ones have their credit again")
                    .hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 2, 0, 8, 8, BAD_PACKET",
        "-1, 2, 0, 8, 8, BAD_PACKET",
        "9223372036854775807, 2, 0, 8, 8, BAD_PACKET",
        "1073741824, 2, 0, 8, 8, BAD_PACKET",
        "65535, 2, 0, 8, 8, BAD_PACKET",
        "1, 2, 0, 8, 8, BAD_LENGTH",
        "3, 2, 0, 8, 8, BAD_LENGTH",
        "2, 2, 0, 8, 7, BAD_PACKET",
        "2, 2, 0, 8, 9, BAD_PACKET",
        "2, 2, 0, 65535, 65535, TOO_LONG",
        "2, 2, 9, 8, 8, BAD_LENGTH",
        "2, 2, 65535, 8, 8, BAD_LENGTH",
        "2, 2, 0, 16, 0, ",
        "2, 2, 8, 8, 8, ",
    })
    void shouldRefuseLengthsThatDoNotMakeUpThePayload(
            long claimed, int messages, int metadataLength, int firstLength, int secondLength, Refusal refusal) {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            final PacketEnd end = new PacketEnd(pair.engines.link(0, 1));
            final Packet packet = end.claim(Frame.REQUESTS)
                    .head(PacketKind.SENDS, Packet.FIRST, 0, 1)
                    .body(0, 0, 0)
                    .part(0, 0)
                    .remaining(claimed)
                    .payloadLength(Packet.runPrefixLength(messages) + 16);
            packet.send(messages, 0, 1, metadataLength, firstLength);
            packet.send(messages, 1, 2, 0, secondLength);
            end.publish(Frame.REQUESTS);
            for (int turn = 0; turn < 10; turn++) {
                pair.engines.context(1).advance();
            }

            final List<Integer> codes = new ArrayList<>();
            end.poll(
                    Frame.REPLIES,
                    reply -> {
                        if (reply.kind() == PacketKind.REFUSED) {
                            codes.add(reply.target());
                        }
                    },
                    10);
            if (refusal == null) {
                assertThat(pair.received).hasSize(2);
                assertThat(codes).isEmpty();
            } else {
                assertThat(pair.received).as("nothing landed").isEmpty();
                assertThat(codes).containsExactly(refusal.code());
            }
            pair.engines.requireNothingThrown();
        }
    }

    @Test
    void shouldCountWhatHasLandedOfMessagesOfWhichAPartIsRefused() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            final long bytes = pair.engines.metrics(0).get(Metric.BYTES);
            for (int i = 0; i < 3; i++) {
                pair.sender.sendImmediate(1, 1, pair.source.buffer(), 0, 8);
            }
            pair.engines.pass(0);
            final PacketEnd end = new PacketEnd(pair.engines.link(1, 0));
            final int[] taken = new int[1];
            end.poll(Frame.REQUESTS, packet -> taken[0] += (int) packet.remaining(), 10);
            assertThat(taken[0]).isEqualTo(3);
            // The first two packets demanded the lane and brought the first message.
            end.claim(Frame.REPLIES)
                    .head(PacketKind.REFUSED, Packet.FIRST, 1, 0)
                    .refused(
                            Refusal.STALE_CONTEXT.code(),
                            Frame.REQUESTS,
                            Frame.FIRST + 2,
                            Packet.refusedPart(2, 0, 16));
            end.publish(Frame.REPLIES);
            end.acknowledge(3, 0);
            pair.engines.pass(0);

            assertThat(pair.engines.metrics(0).get(Refusal.STALE_CONTEXT)).isEqualTo(2);
            assertThat(pair.engines.metrics(0).get(Metric.BYTES) - bytes).isEqualTo(8);
        }
    }

    /** Sends more than the lane holds, as a sender does that ignores its credit. */
    private static void overfill(Pair pair, int packets, int count) {
        final PacketEnd end = new PacketEnd(pair.engines.link(0, 1));
        final int length = 24;
        final int prefix = Packet.runPrefixLength(count);
        for (int number = 0; number < packets; number++) {
            final Packet packet = end.claim(Frame.REQUESTS)
                    .head(PacketKind.SENDS, Packet.FIRST, 0, 1)
                    .body(0, 0, 0)
                    .part(0, 0)
                    .remaining(count)
                    .payloadLength(prefix + count * length);
            for (int i = 0; i < count; i++) {
                packet.send(count, i, 1, 0, length);
                packet.memory().putLong(packet.payload() + prefix + (long) i * length, (long) number * count + i);
            }
            end.publish(Frame.REQUESTS);
        }
        pair.engines.pass(1);
        pair.engines.pass(1);
    }

    /** A sender that ignores its credit delays itself, and nothing arrives twice. */
    @Test
    void shouldContinueAPacketForWhichTheLaneHadNoRoom() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            overfill(pair, 12, 16);
            for (int turn = 0; turn < 100; turn++) {
                pair.engines.context(1).advance();
            }

            assertThat(pair.received).hasSize(12 * 16);
            for (int i = 0; i < 12 * 16; i++) {
                assertThat(pair.received.get(i))
                        .startsWith("1:0:" + HexFormat.of().toHexDigits((byte) i));
            }
            pair.engines.requireNothingThrown();
        }
    }

    @Test
    void shouldDropTheRestOfAPacketWhoseSenderHasDied() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            overfill(pair, 12, 16);
            pair.engines.states(1).change(0, PeerStates.DEAD);
            for (int pass = 0; pass < 5; pass++) {
                pair.engines.pass(1);
            }
            for (int turn = 0; turn < 100; turn++) {
                pair.engines.context(1).advance();
            }

            assertThat(pair.received).isNotEmpty().doesNotHaveDuplicates();
            pair.engines.requireNothingThrown();
        }
    }
}
