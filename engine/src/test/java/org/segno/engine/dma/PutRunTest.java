package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
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
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.link.PacketEnd;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Refusal;

/** Short PUTs to one counter, which travel over a link in one packet. */
class PutRunTest {
    private static final int WINDOW = 1 << 14;
    private static final int RANGE = 8000;
    private static final int LINK_BYTES = 1 << 14;

    /** What a PUT of 8 bytes may take on the wire, with its share of all headers. */
    private static final int MOST_BYTES = 16;

    /** The same for PUTs at equal distances. */
    private static final int MOST_REGULAR_BYTES = 9;

    @TempDir
    Path directory;

    @TempDir
    Path other;

    private EngineFixture open(Reach reach) {
        return EngineFixture.open(
                reach == Reach.LINKED ? directory : other,
                NodeSize.small()
                        .fifos(3)
                        .fifoSlots(1024)
                        .patternSlots(1024)
                        .counters(8)
                        .windowBytes(4 * WINDOW)
                        .dimensions(),
                reach,
                LINK_BYTES);
    }

    /** Everything that a sender and a receiver see of some PUTs. */
    private static final class Pair implements AutoCloseable {
        final EngineFixture engines;
        final Context sender;
        final Window source;
        final Window target;
        final ReceptionCounter[] counters = new ReceptionCounter[2];
        final InjectionCounter[] done = new InjectionCounter[2];

        Pair(EngineFixture engines) {
            this.engines = engines;
            this.sender = engines.context(0);
            this.source = engines.client(0).window(WINDOW);
            this.target = engines.client(1).window(WINDOW);
            final byte[] content = new byte[WINDOW];
            new Random(7).nextBytes(content);
            source.buffer().putBytes(0, content);
            for (int i = 0; i < counters.length; i++) {
                counters[i] = engines.client(1).receptionCounter(target, (long) i * RANGE, RANGE);
                done[i] = engines.client(0).injectionCounter();
            }
        }

        /** Returns a target that claims more than its counter covers, so that the receiver refuses some PUTs. */
        Target wide(int counter) {
            return new Target(1, counters[counter].id(), counters[counter].incarnation(), 2 * RANGE, false);
        }

        void put(int counter, int targetOffset, int sourceOffset, int length, int completes) {
            while (sender.put(wide(counter), targetOffset, source, sourceOffset, length, done[completes]) < 0) {
                engines.settle();
            }
        }

        void assertEqualTo(Pair other) {
            final byte[] expected = new byte[WINDOW];
            final byte[] found = new byte[WINDOW];
            other.target.buffer().getBytes(0, expected);
            target.buffer().getBytes(0, found);
            assertThat(found).isEqualTo(expected);
            for (int i = 0; i < 2; i++) {
                assertThat(counters[i].valueAcquire()).isEqualTo(other.counters[i].valueAcquire());
                assertThat(done[i].valueAcquire()).isEqualTo(other.done[i].valueAcquire());
            }
        }

        @Override
        public void close() {
            engines.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldLandAsOverMappedMemory(int seed) {
        try (Pair linked = new Pair(open(Reach.LINKED));
                Pair mapped = new Pair(open(Reach.MAPPED))) {
            for (final Pair pair : new Pair[] {linked, mapped}) {
                final Random chance = new Random(seed);
                for (int burst = 0; burst < 50; burst++) {
                    final int counter = chance.nextInt(2);
                    final int completes = chance.nextInt(2);
                    final int limit = new int[] {1, 9, 100, 600}[chance.nextInt(4)];
                    for (int i = chance.nextInt(200); i > 0; i--) {
                        final int length = chance.nextInt(limit);
                        // One in a hundred does not fit, or only its end does not.
                        final int most = chance.nextInt(100) == 0 ? RANGE + 100 : RANGE - length;
                        pair.put(counter, chance.nextInt(most), chance.nextInt(WINDOW - length), length, completes);
                    }
                    if (chance.nextInt(4) == 0) {
                        pair.engines.settle();
                    }
                }
                pair.engines.settle();
            }
            linked.assertEqualTo(mapped);
        }
    }

    /**
     * Lengths that have loops of their own and others in one run, which wraps around the ring. Some do not fit, or only
     * their end does not.
     */
    @ParameterizedTest
    @CsvSource({"8, 8", "64, 64", "8, 64", "64, 63", "16, 64", "64, 200", "8, 0"})
    void shouldLandRunsOfOneAndOfTwoLengths(int usual, int other) {
        try (Pair pair = new Pair(open(Reach.MAPPED))) {
            final Random chance = new Random(usual * 1000L + other);
            final byte[] expected = new byte[WINDOW];
            pair.target.buffer().getBytes(0, expected);
            long landed = 0;
            for (int burst = 0; burst < 40; burst++) {
                for (int i = 0; i < 300; i++) {
                    final int length = chance.nextInt(20) == 0 ? other : usual;
                    final boolean fits = chance.nextInt(50) != 0;
                    final int at = fits ? chance.nextInt(RANGE - length + 1) : RANGE - length + 1;
                    final int from = chance.nextInt(WINDOW - length + 1);
                    pair.put(0, at, from, length, 0);
                    if (fits) {
                        pair.source.buffer().getBytes(from, expected, at, length);
                        landed += length;
                    }
                }
                pair.engines.settle();
            }
            final byte[] found = new byte[WINDOW];
            pair.target.buffer().getBytes(0, found);
            assertThat(found).isEqualTo(expected);
            assertThat(pair.counters[0].valueAcquire()).isEqualTo(-landed);
            assertThat(pair.done[0].valueAcquire()).isEqualTo(-landed);
        }
    }

    /**
     * PUTs at equal distances, forwards and backwards, next to each other, apart and overlapping, between others. Some
     * of them do not fit.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void shouldLandPutsAtEqualDistancesAsOverMappedMemory(int seed) {
        try (Pair linked = new Pair(open(Reach.LINKED));
                Pair mapped = new Pair(open(Reach.MAPPED))) {
            for (final Pair pair : new Pair[] {linked, mapped}) {
                final Random chance = new Random(seed);
                for (int burst = 0; burst < 200; burst++) {
                    final int length = new int[] {8, 8, 1, 7, 16, 64, 200}[chance.nextInt(7)];
                    final int stride =
                            new int[] {length, length, -length, 8, 3 * length, -24, length / 2, 0}[chance.nextInt(8)];
                    int at = chance.nextInt(RANGE);
                    for (int i = chance.nextInt(120); i > 0; i--) {
                        // A target that claims twice the range is exceeded, or the receiver refuses.
                        if (at >= 0 && at <= 2 * RANGE - length) {
                            pair.put(0, at, chance.nextInt(WINDOW - length), length, 0);
                        }
                        at += chance.nextInt(60) == 0 ? 8 : stride;
                    }
                    if (chance.nextInt(4) == 0) {
                        pair.engines.settle();
                    }
                }
                pair.engines.settle();
            }
            linked.assertEqualTo(mapped);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTakeFewBytesOfTheLinkForEachPut(boolean irregular) {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            final Random chance = new Random(1);
            final int count = 1000;
            for (int i = 0; i < count; i++) {
                final int at = irregular ? 8 * chance.nextInt(RANGE / 8) : 8 * i;
                assertThat(pair.sender.put(pair.wide(0), at, pair.source, 8L * i, 8, pair.done[0]))
                        .isNotNegative();
            }

            assertThat(bytesOfRequests(pair))
                    .isBetween((irregular ? 14 : 8) * count, (irregular ? MOST_BYTES : MOST_REGULAR_BYTES) * count);
        }
    }

    /** Takes what the sender sends, in place of the receiver's engine, and returns its length. */
    private static int bytesOfRequests(Pair pair) {
        final int[] bytes = new int[1];
        for (int pass = 0; pass < 200; pass++) {
            pair.engines.pass(0);
            pair.engines
                    .link(1, 0)
                    .poll(
                            Frame.REQUESTS,
                            (memory, offset, length) -> {
                                bytes[0] += length;
                                return true;
                            },
                            100);
        }
        return bytes[0];
    }

    @Test
    void shouldTakeFewBytesOfTheLinkForEachPutOfAReplay() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            final int count = 1000;
            final Pattern pattern = pair.sender.record(1, Rounds.ORDERED_BY_CALLER, () -> {
                for (int i = 0; i < count; i++) {
                    pair.sender.put(pair.wide(0), 8L * i, pair.source, 8L * i, 8, pair.done[0]);
                }
            });
            pair.engines.settle();
            assertThat(pair.counters[0].valueAcquire()).isEqualTo(-8L * count);
            assertThat(pair.sender.replay(pattern)).isEqualTo(2);

            assertThat(bytesOfRequests(pair)).isBetween(8 * count, MOST_REGULAR_BYTES * count);
        }
    }

    @Test
    void shouldRefuseOneOfThemAndLandTheOthers() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            pair.done[0].expect(32);
            pair.put(0, 0, 0, 8, 0);
            pair.put(0, RANGE - 7, 8, 8, 0);
            pair.put(0, 16, 16, 8, 0);
            pair.put(0, 24, 24, 8, 0);
            pair.engines.settle();

            assertThat(pair.counters[0].valueAcquire()).isEqualTo(-24);
            assertThat(pair.done[0].valueAcquire())
                    .as("the refused one is missing")
                    .isEqualTo(8);
            assertThat(pair.engines.metrics(1).get(Refusal.TARGET_OUT_OF_BOUNDS))
                    .isZero();
            assertThat(pair.engines.metrics(0).get(Refusal.TARGET_OUT_OF_BOUNDS))
                    .isEqualTo(1);
            assertThat(pair.target.buffer().getLong(RANGE - 8)).isZero();
            for (final int at : new int[] {0, 16, 24}) {
                assertThat(pair.target.buffer().getLong(at))
                        .isEqualTo(pair.source.buffer().getLong(at));
            }
        }
    }

    @Test
    void shouldEndAPacketWithTheQuantum() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            final InjectionFifo fifo = pair.sender.injectionFifo();
            fifo.quantum(40, 100);
            for (int i = 0; i < 20; i++) {
                fifo.put(pair.wide(0), 8L * i, pair.source, 8L * i, 8, pair.done[0]);
            }
            final List<Long> counts = new ArrayList<>();
            final PacketEnd end = new PacketEnd(pair.engines.link(1, 0));
            for (int pass = 0; pass < 100; pass++) {
                pair.engines.pass(0);
                end.poll(Frame.REQUESTS, packet -> counts.add((long) packet.puts()), 10);
            }

            assertThat(counts).containsExactly(5L, 5L, 5L, 5L);
        }
    }

    /** An offset that does not fit its field must not land somewhere else. */
    @Test
    void shouldSendAPutThatIsFarFromTheFirstOneByItself() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            final Target vast = new Target(1, pair.counters[0].id(), pair.counters[0].incarnation(), 1L << 40, false);
            pair.sender.put(vast, 0, pair.source, 0, 8, pair.done[0]);
            pair.sender.put(vast, (1L << 32) + 8, pair.source, 8, 8, pair.done[0]);
            pair.sender.put(vast, 16, pair.source, 16, 8, pair.done[0]);
            pair.engines.settle();

            assertThat(pair.counters[0].valueAcquire()).isEqualTo(-16);
            assertThat(pair.target.buffer().getLong(8)).isZero();
            assertThat(pair.engines.metrics(0).get(Refusal.TARGET_OUT_OF_BOUNDS))
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldRefuseAnInvalidSourceAndSendTheOthers() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            final NodeMemory node = pair.engines.memory(0);
            final long first = new FifoMetadata(node, 0, 0).start();
            for (int i = 0; i < 3; i++) {
                pair.sender.put(pair.wide(0), 8L * i, pair.source, 8L * i, 8, pair.done[0]);
            }
            // As another process of this user could write it.
            final long second = first + Descriptor.LENGTH;
            assertThat(node.owner().getLong(second + Descriptor.SOURCE_OFFSET_OFFSET))
                    .isEqualTo(8);
            node.owner().putLong(second + Descriptor.SOURCE_OFFSET_OFFSET, WINDOW - 7);
            pair.engines.settle();

            assertThat(pair.counters[0].valueAcquire()).isEqualTo(-16);
            assertThat(pair.engines.metrics(0).get(Refusal.SOURCE_OUT_OF_BOUNDS))
                    .isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "5, 5", "16, 16", "17, 16", "-1, 16", "-9, 16", "9223372036854775807, 16"})
    void shouldNotCountDownWhatARefusalNames(long refused, long remaining) {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            pair.done[0].expect(16);
            pair.put(0, 0, 0, 8, 0);
            pair.put(0, 8, 8, 8, 0);
            pair.engines.pass(0);
            final PacketEnd end = new PacketEnd(pair.engines.link(1, 0));
            assertThat(end.poll(Frame.REQUESTS, packet -> {}, 10)).isEqualTo(1);
            end.claim(Frame.REPLIES)
                    .head(PacketKind.REFUSED, Packet.FIRST, 1, 0)
                    .refused(Refusal.TARGET_OUT_OF_BOUNDS.code(), Frame.REQUESTS, Frame.FIRST, refused);
            end.publish(Frame.REPLIES);
            end.acknowledge();
            pair.engines.pass(0);

            assertThat(pair.done[0].valueAcquire()).isEqualTo(remaining);
            assertThat(pair.done[0].errorAcquire()).isNotZero();
        }
    }

    @Test
    void shouldRefuseAnEmptyPacket() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            final PacketEnd end = new PacketEnd(pair.engines.link(0, 1));
            end.claim(Frame.REQUESTS)
                    .head(PacketKind.PUTS, Packet.FIRST, 0, 1)
                    .target(pair.counters[0].id(), pair.counters[0].incarnation(), 0)
                    .remaining(0)
                    .payloadLength(0);
            end.publish(Frame.REQUESTS);
            pair.engines.pass(1);

            assertThat(pair.engines.metrics(1).get(Refusal.BAD_PACKET)).isEqualTo(1);
        }
    }

    /** A packet for whose refusal there is no room lands nothing twice. */
    @Test
    void shouldLandOnceWhileThereIsNoRoomForItsRefusal() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            final PacketEnd end = new PacketEnd(pair.engines.link(1, 0));
            pair.put(0, 0, 0, 8, 0);
            pair.put(0, RANGE - 7, 8, 8, 0);
            pair.engines.pass(0);
            // Replies of the receiver that nobody takes.
            while (end.room(Frame.REPLIES) > 0) {
                end.claim(Frame.REPLIES)
                        .head(PacketKind.CREDIT, Packet.FIRST, 1, 0)
                        .target(0, Frame.REQUESTS, 0);
                end.publish(Frame.REPLIES);
            }
            for (int pass = 0; pass < 20; pass++) {
                pair.engines.pass(1);
            }
            assertThat(pair.counters[0].valueAcquire()).as("nothing yet").isZero();
            pair.engines.settle();

            assertThat(pair.counters[0].valueAcquire()).isEqualTo(-8);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 2, 8, 8, BAD_PACKET",
        "-1, 2, 8, 8, BAD_PACKET",
        "9223372036854775807, 2, 8, 8, BAD_PACKET",
        "65535, 2, 8, 8, BAD_PACKET",
        "1, 2, 8, 8, BAD_PACKET",
        "3, 2, 8, 8, BAD_PACKET",
        "2, 2, 8, 7, BAD_PACKET",
        "2, 2, 8, 9, BAD_PACKET",
        "2, 2, 65535, 65535, BAD_PACKET",
        "2, 2, 16, 0, ",
        "2, 2, 8, 8, ",
    })
    void shouldRefuseRangesThatDoNotMakeUpThePayload(
            long claimed, int ranges, int firstLength, int secondLength, Refusal refusal) {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            final PacketEnd end = new PacketEnd(pair.engines.link(0, 1));
            final Packet packet = end.claim(Frame.REQUESTS)
                    .head(PacketKind.PUTS, Packet.FIRST, 0, 1)
                    .target(pair.counters[0].id(), pair.counters[0].incarnation(), 0)
                    .remaining(claimed)
                    .payloadLength(Packet.runPrefixLength(ranges) + 16);
            packet.put(ranges, 0, 0, firstLength);
            packet.put(ranges, 1, 8, secondLength);
            end.publish(Frame.REQUESTS);
            pair.engines.pass(1);

            if (refusal == null) {
                assertThat(pair.counters[0].valueAcquire()).isEqualTo(-16);
            } else {
                assertThat(pair.engines.metrics(1).get(refusal)).isEqualTo(1);
                assertThat(pair.counters[0].valueAcquire()).as("nothing landed").isZero();
            }
            pair.engines.requireNothingThrown();
        }
    }

    /** PUTs at equal distances: their number, their distance, the offset of the first one, and the payload's length. */
    @ParameterizedTest
    @CsvSource({
        "2, 8, 0, 16, 16, ",
        "2, -8, 8, 16, 16, ",
        "16, 1, 0, 16, 16, ",
        "1, 8, 0, 16, 16, ",
        "0, 8, 0, 16, 0, BAD_PACKET",
        "-2, 8, 0, 16, 0, BAD_PACKET",
        "3, 8, 0, 16, 0, BAD_PACKET",
        "17, 8, 0, 16, 0, BAD_PACKET",
        "2147483647, 8, 0, 16, 0, BAD_PACKET",
        "2, 8, 0, 0, 0, BAD_PACKET",
        "2, -8, 0, 16, 8, TARGET_OUT_OF_BOUNDS",
        "2, 8, 7992, 16, 8, TARGET_OUT_OF_BOUNDS",
        "2, 2147483647, 0, 16, 8, TARGET_OUT_OF_BOUNDS",
        "2, -2147483648, 0, 16, 8, TARGET_OUT_OF_BOUNDS",
        "2, 8, -8, 16, 8, TARGET_OUT_OF_BOUNDS",
        "2, 8, 9223372036854775800, 16, 0, TARGET_OUT_OF_BOUNDS",
        "2, 8, -9223372036854775808, 16, 0, TARGET_OUT_OF_BOUNDS",
        "3, 8000, -8000, 24, 8, TARGET_OUT_OF_BOUNDS",
    })
    void shouldLandOnlyWhatFitsOfPutsAtEqualDistances(
            int claimed, int stride, long first, int bytes, long landed, Refusal refusal) {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            final PacketEnd end = new PacketEnd(pair.engines.link(0, 1));
            final Packet packet = end.claim(Frame.REQUESTS)
                    .head(PacketKind.PUTS, Packet.FIRST, 0, 1)
                    .target(pair.counters[0].id(), pair.counters[0].incarnation(), first)
                    .strided(claimed, stride)
                    .payloadLength(bytes);
            for (int at = 0; at < bytes; at++) {
                packet.memory().putByte(packet.payload() + at, (byte) 77);
            }
            end.publish(Frame.REQUESTS);
            pair.engines.pass(1);

            assertThat(pair.counters[0].valueAcquire()).isEqualTo(-landed);
            int found = 0;
            for (int at = 0; at < WINDOW; at++) {
                found += pair.target.buffer().getByte(at) == 77 ? 1 : 0;
            }
            assertThat(found).isEqualTo((int) landed);
            if (refusal == Refusal.BAD_PACKET) {
                assertThat(pair.engines.metrics(1).get(refusal)).isEqualTo(1);
            } else if (refusal != null) {
                final List<Integer> codes = new ArrayList<>();
                final List<Integer> refusedBytes = new ArrayList<>();
                end.poll(
                        Frame.REPLIES,
                        reply -> {
                            codes.add(reply.target());
                            refusedBytes.add(Packet.partBytes(reply.offset()));
                        },
                        10);
                assertThat(codes).containsExactly(refusal.code());
                assertThat(refusedBytes).containsExactly(bytes - (int) landed);
            }
            pair.engines.requireNothingThrown();
        }
    }

    /** A section has no slots that an acknowledgement frees, so only the end of the round needs one at once. */
    @Test
    void shouldAskForAnAcknowledgementOfARoundAtItsEndAlone() {
        try (Pair pair = new Pair(open(Reach.LINKED))) {
            final Pattern pattern = pair.sender.record(1, Rounds.ORDERED_BY_CALLER, () -> {
                for (int i = 0; i < 900; i++) {
                    pair.put(0, 8 * i, 8 * i, 8, 0);
                }
            });
            final PacketEnd peer = new PacketEnd(pair.engines.link(1, 0));
            final List<Boolean> awaited = new ArrayList<>();
            pair.done[0].expect(8 * 900);
            pair.sender.replay(pattern);
            for (int pass = 0; pass < 10; pass++) {
                pair.engines.pass(0);
                peer.poll(Frame.REQUESTS, packet -> awaited.add((packet.flags() & Packet.AWAITED) != 0), 100);
            }
            assertThat(awaited)
                    .hasSizeGreaterThan(2)
                    .containsOnlyOnce(true)
                    .last()
                    .isEqualTo(true);
        }
    }
}
