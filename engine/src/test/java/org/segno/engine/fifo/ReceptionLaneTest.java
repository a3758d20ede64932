package org.segno.engine.fifo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.fifo.LaneReader.Seen;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.status.Status;

/** Smallest possible lane, from origin 1 into context 0 of node 0, with its real ends. */
class ReceptionLaneTest {
    private static final int CAPACITY = 4096;

    /** Number of records whose space a poll does not return at its limit. */
    private static final int MANY = 17;

    private static final int MOST = CAPACITY / 4 - LaneRecord.HEADER_LENGTH;
    private static final int ORIGIN = 1;

    @TempDir
    Path directory;

    private final LaneReader reader = new LaneReader();
    private final Queue<Seen> sent = new ArrayDeque<>();

    /** Records of the batch, which may still be unpublished. */
    private final Queue<Seen> batch = new ArrayDeque<>();

    private MappedNodes nodes;
    private NodeMemory own;
    private ReceptionFifoProducer producer;
    private ReceptionFifoConsumer consumer;

    @BeforeEach
    void make() {
        nodes = MappedNodes.create(
                directory, NodeSize.small().laneBytes(CAPACITY).dimensions());
        own = nodes.own(0);
        producer = ReceptionFifoProducer.of(nodes.asPeer(0), 0, ORIGIN);
        consumer = ReceptionFifoConsumer.of(own, 0, ORIGIN);
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    /** Sends and polls random numbers of records of random lengths, and compares with a queue. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldLoseAndReorderNothingOverManyWraps(long seed) {
        final Random chance = new Random(seed);
        long bytes = 0;
        while (bytes < 2000L * CAPACITY) {
            for (int i = chance.nextInt(12); i > 0; i--) {
                final int length = length(chance);
                if (send(chance, length)) {
                    bytes += LaneRecord.HEADER_LENGTH + length;
                } else {
                    assertThat(bytesWaiting() + 3 * (MOST + 32))
                            .as("a claim fails though the lane has space")
                            .isGreaterThan(CAPACITY - CAPACITY / 4);
                }
            }
            if (chance.nextInt(3) == 0) {
                flush();
            }
            poll(chance.nextInt(12));
            if (chance.nextInt(50) == 0) {
                pollAll();
                // All records are freed: the largest record fits, with the pad that the lane's end may need.
                assertThat(send(chance, MOST)).isTrue();
                bytes += MOST;
            }
        }
        pollAll();
        assertThat(reader.quarantines).isZero();
    }

    private static int length(Random chance) {
        return switch (chance.nextInt(6)) {
            case 0 -> 0;
            case 1 -> MOST;
            case 2 -> chance.nextInt(64);
            // To the multiples of 16 and beside them.
            case 3 -> chance.nextInt(60) * 16 + 8 + chance.nextInt(3) - 1;
            default -> chance.nextInt(MOST + 1);
        };
    }

    private int bytesWaiting() {
        return Stream.concat(sent.stream(), batch.stream())
                .mapToInt(record -> LaneRecord.alignedLength(
                        LaneRecord.HEADER_LENGTH + Math.max(0, record.metadataLength()) + record.payloadLength()))
                .sum();
    }

    /**
     * Tries every offset near the lane's end at which a record can end, with records that fit exactly and that need a
     * pad.
     */
    @Test
    void shouldFillTheLaneToItsLastByteAndPadARestThatIsTooShort() {
        final Random chance = new Random(5);
        for (int lead = 16; lead <= 1024; lead += 16) {
            for (final int next : new int[] {0, 8, 9, lead - 24, lead - 8, lead - 7, lead + 8, MOST}) {
                if (next < 0 || next > MOST) {
                    continue;
                }
                toIndex(chance, CAPACITY - lead);
                assertThat(send(chance, next)).isTrue();
                if (lead % 32 == 0) {
                    flush();
                }
                assertThat(send(chance, 40)).isTrue();
                pollAll();
            }
        }
        assertThat(reader.quarantines).isZero();
    }

    /** Sends and polls until the next record begins at {@code index}. */
    private void toIndex(Random chance, int index) {
        while (true) {
            final long claimed = producer.claim(0) - LaneRecord.HEADER_LENGTH - own.laneOffset(0, ORIGIN);
            if (claimed == index) {
                return;
            }
            final int distance = (int) ((index - claimed) & (CAPACITY - 1));
            final int toEnd = (int) (CAPACITY - claimed);
            final int step = Math.min(Math.min(distance, toEnd), CAPACITY / 4);
            assertThat(send(chance, step - LaneRecord.HEADER_LENGTH)).isTrue();
            pollAll();
        }
    }

    @Test
    void shouldBeFullWithoutSpaceForOneMoreHeader() {
        final Random chance = new Random(6);
        int records = 0;
        while (send(chance, 8)) {
            records++;
        }
        // The header that follows the last record has to stay free: without it the consumer could not see the end.
        assertThat(records).isEqualTo(CAPACITY / 16 - 1);
        assertThat(send(chance, 8)).isFalse();

        poll(MANY);
        assertThat(send(chance, 8)).as("space is freed by the quarter").isFalse();
        flush();
        poll(CAPACITY / 4 / 16 - MANY);
        assertThat(send(chance, 8)).isTrue();
        pollAll();
    }

    @Test
    void shouldKeepRoomForALongRecordThatFoundNone() {
        final Random chance = new Random(21);
        while (send(chance, 8)) {}
        flush();
        assertThat(send(chance, 1000)).isFalse();
        for (int polls = 0; polls < CAPACITY / 16; polls++) {
            poll(1);
            if (send(chance, 1000)) {
                flush();
                pollAll();
                assertThat(send(chance, 8)).isTrue();
                return;
            }
            // Short records take what becomes free beyond the room of the long one.
            while (send(chance, 8)) {}
            flush();
        }
        throw new AssertionError("the long record found no room");
    }

    @Test
    void shouldEndTheReservationOfARecordThatIsNeverSentOnceItIsEmpty() {
        final Random chance = new Random(22);
        while (send(chance, 8)) {}
        flush();
        assertThat(send(chance, 1000)).isFalse();
        pollAll();
        int records = 0;
        while (send(chance, 8)) {
            records++;
        }
        flush();
        assertThat(records).isGreaterThan((CAPACITY - 1024 - 64) / 16);
        pollAll();
        while (send(chance, 8)) {
            records++;
        }
        assertThat(records).isGreaterThan(2 * (CAPACITY - 1024 - 64) / 16);
        flush();
        pollAll();
    }

    @Test
    void shouldPublishABatchAsAWhole() {
        final Random chance = new Random(11);
        pollAll();
        for (int i = 0; i < 3; i++) {
            send(chance, 100);
        }
        assertThat(consumer.poll(reader, 10)).isZero();
        flush();
        producer.flush();
        poll(2);
        send(chance, 8);
        poll(10);
        assertThat(sent).isEmpty();
        flush();
        poll(10);
        assertThat(sent).isEmpty();
    }

    @Test
    void shouldPublishAFullBatchAndOneThatAnEventEnds() {
        final Random chance = new Random(12);
        int published = 0;
        while (consumer.poll(reader, 1_000) == 0) {
            send(chance, 8);
            published++;
        }
        // The record that begins the next batch publishes this one.
        assertThat(published).isLessThanOrEqualTo(2048 / 16 + 1);
        assertThat(reader.seen).hasSize(published - 1);
        reader.seen.clear();
        assertThat(consumer.poll(reader, 100)).isZero();
        producer.claim(0);
        producer.publishEvent(5);
        assertThat(consumer.poll(reader, 100)).isEqualTo(2);
    }

    @Test
    void shouldFreeAllSpaceWhenItIsFoundEmpty() {
        final Random chance = new Random(7);
        for (int i = 0; i < MANY; i++) {
            send(chance, 8);
        }
        flush();
        poll(MANY);
        assertThat(own.owner().getLong(own.laneHeadOffset(0, ORIGIN))).isZero();
        assertThat(consumer.poll(reader, 1)).isZero();
        assertThat(own.owner().getLong(own.laneHeadOffset(0, ORIGIN))).isEqualTo(16L * MANY);
    }

    @Test
    void shouldFreeTheSpaceOfAFewRecordsAtTheLimit() {
        final Random chance = new Random(7);
        send(chance, 8);
        send(chance, 8);
        flush();
        poll(1);
        assertThat(own.owner().getLong(own.laneHeadOffset(0, ORIGIN))).isEqualTo(16);
        poll(1);
        assertThat(own.owner().getLong(own.laneHeadOffset(0, ORIGIN))).isEqualTo(32);
    }

    @ParameterizedTest
    @ValueSource(longs = {-16, -1, 24, 632, 1L << 20, Long.MIN_VALUE, Long.MAX_VALUE})
    void shouldRejectAnImpossibleHead(long impossible) {
        final Random chance = new Random(8);
        for (int i = 0; i < 40; i++) {
            send(chance, 8);
        }
        own.owner().putLong(own.laneHeadOffset(0, ORIGIN), impossible);
        int records = 40;
        while (send(chance, 8)) {
            records++;
        }
        assertThat(records).as("nothing that has not been read is written over").isEqualTo(CAPACITY / 16 - 1);
    }

    /** Stops the producer at any step before its publication: the published records are read, and nothing else. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldNotBeHarmedByAProducerThatDiesBeforeItPublishes(long seed) {
        final Random chance = new Random(seed);
        for (int life = 0; life < 300; life++) {
            own.peers().buffer(own.laneOffset(0, ORIGIN), CAPACITY).setMemory(0, CAPACITY, (byte) 0);
            own.owner().putLong(own.laneHeadOffset(0, ORIGIN), 0);
            producer = ReceptionFifoProducer.of(nodes.asPeer(0), 0, ORIGIN);
            consumer = ReceptionFifoConsumer.of(own, 0, ORIGIN);
            for (int i = chance.nextInt(20); i > 0; i--) {
                send(chance, length(chance));
                if (chance.nextInt(3) != 0) {
                    flush();
                    poll(chance.nextInt(3));
                }
            }
            flush();
            // Records of a batch that it never publishes.
            for (int i = chance.nextInt(5); i > 0; i--) {
                send(chance, chance.nextInt(100));
            }
            // It has claimed a record, perhaps padded, written some of the body, and zeroed the header behind it.
            final int length = length(chance);
            final long body = producer.claim(length);
            if (body >= 0) {
                for (int i = chance.nextInt(length + 1); i > 0; i--) {
                    own.peers().putByte(body + i - 1, (byte) 0xFF);
                }
                final int index = (int) (body - LaneRecord.HEADER_LENGTH - own.laneOffset(0, ORIGIN));
                final int aligned = LaneRecord.alignedLength(LaneRecord.HEADER_LENGTH + length);
                if (chance.nextBoolean()) {
                    own.peers().putLong(own.laneOffset(0, ORIGIN) + ((index + aligned) & (CAPACITY - 1)), 0);
                }
            }
            poll(Integer.MAX_VALUE);
            assertThat(sent).isEmpty();
            // A batch arrives as a whole once it is published, or not at all.
            assertThat(consumer.poll(reader, Integer.MAX_VALUE)).isZero();
            assertThat(consumer.isQuarantined()).isFalse();
            batch.clear();
        }
    }

    /**
     * Fills a lane with records that no producer writes: random headers, most of them almost valid. The consumer must
     * not throw, pass bytes from outside the lane, or loop for ever.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldSurviveEveryKindOfMalformedHeader(long seed) {
        surviveHeaders(seed, 2_500);
    }

    /** Tries more than ten million headers. */
    @Tag("stress")
    @Timeout(3600)
    @ParameterizedTest
    @ValueSource(longs = {5, 6, 7, 8})
    void shouldSurviveMillionsOfMalformedHeaders(long seed) {
        surviveHeaders(seed, 20_000);
    }

    private void surviveHeaders(long seed, int rounds) {
        final Random chance = new Random(seed);
        final Memory lane = own.peers();
        final long start = own.laneOffset(0, ORIGIN);
        int quarantined = 0;
        for (int round = 0; round < rounds; round++) {
            for (int index = 0; index < CAPACITY; index += LaneRecord.ALIGNMENT) {
                lane.putLong(start + index, header(chance, index));
                lane.putLong(start + index + Long.BYTES, chance.nextLong());
            }
            final ReceptionFifoConsumer victim = ReceptionFifoConsumer.of(own, 0, ORIGIN);
            final LaneReader from = new LaneReader();
            final int limit = chance.nextInt(100);
            for (int polls = 0; polls < 3; polls++) {
                assertThat(victim.poll(from, limit)).isBetween(0, limit);
            }
            assertThat(from.quarantines).isEqualTo(victim.isQuarantined() ? 1 : 0);
            quarantined += from.quarantines;
        }
        assertThat(quarantined).isPositive();
    }

    private static long header(Random chance, int index) {
        final int toEnd = CAPACITY - index;
        final int length = switch (chance.nextInt(10)) {
            case 0 -> chance.nextInt();
            case 1 -> toEnd;
            case 2 -> toEnd + chance.nextInt(33) - 16;
            case 3 -> -toEnd;
            case 4 -> chance.nextInt(8);
            case 5 -> CAPACITY / 4 + chance.nextInt(3) - 1;
            case 6 -> CAPACITY;
            default -> 8 + chance.nextInt(CAPACITY / 8);
        };
        final int kind = chance.nextInt(8) == 0 ? chance.nextInt(256) : 1 + chance.nextInt(3);
        final int metadata = chance.nextInt(4) == 0 ? chance.nextInt(256) : chance.nextInt(25);
        return (length & 0xFFFF_FFFFL)
                | (chance.nextInt(1 << 16) & 0xFFFFL) << 32
                | (metadata & 0xFFL) << 48
                | (kind & 0xFFL) << 56;
    }

    @Test
    void shouldQuarantineALaneThatIsOnePad() {
        own.peers().putLong(own.laneOffset(0, ORIGIN), LaneRecord.header(CAPACITY, 0, 0, LaneRecord.PAD));

        assertThat(consumer.poll(reader, 1)).isZero();
        assertThat(consumer.isQuarantined()).isTrue();
        assertThat(reader.quarantines).isEqualTo(1);
    }

    @Test
    void shouldReadAQuarantinedLaneNoMore() {
        final Random chance = new Random(9);
        send(chance, 8);
        flush();
        own.peers().putLong(own.laneOffset(0, ORIGIN) + 16, LaneRecord.header(7, 0, 0, LaneRecord.MESSAGE));

        assertThat(consumer.poll(reader, 10)).isEqualTo(1);
        own.peers().putLong(own.laneOffset(0, ORIGIN) + 16, LaneRecord.header(8, 0, 0, LaneRecord.MESSAGE));
        assertThat(consumer.poll(reader, 10)).isZero();
        assertThat(reader.quarantines).isEqualTo(1);
    }

    @Test
    void shouldTakeTheMessageOfAHandlerThatThrowsAndNoOther() {
        final Random chance = new Random(10);
        for (int i = 0; i < 10; i++) {
            send(chance, i * 16);
        }
        flush();
        final RecordHandler throwing = new RecordHandler() {
            @Override
            public boolean onMessage(
                    long origin,
                    int dispatchId,
                    DirectBuffer buffer,
                    int metadataOffset,
                    int metadataLength,
                    int payload) {
                reader.onMessage(origin, dispatchId, buffer, metadataOffset, metadataLength, payload);
                if (reader.seen.size() % 2 == 0) {
                    throw new IllegalStateException("message " + reader.seen.size());
                }
                return true;
            }

            @Override
            public void onFifoEvent(int number) {
                throw new IllegalStateException("no FIFO has a threshold here: " + number);
            }

            @Override
            public void onEvent(int counter) {
                reader.onEvent(counter);
            }

            @Override
            public void onQuarantine(int origin) {
                reader.onQuarantine(origin);
            }
        };
        for (int i = 1; i <= 5; i++) {
            assertThatThrownBy(() -> consumer.poll(throwing, 10))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("message " + reader.seen.size());
        }
        assertThat(consumer.poll(throwing, 10)).isZero();
        assertThat(reader.seen).containsExactlyElementsOf(sent);
    }

    /** Sends a message, or now and then an event. Returns false if the lane is full. */
    private boolean send(Random chance, int length) {
        final long body = producer.claim(length);
        if (body < 0) {
            assertThat(body).isEqualTo(Status.BACK_PRESSURED);
            // A claim that fails for lack of space publishes the open batch.
            flush();
            return false;
        }
        final int id = chance.nextInt(1 << 16);
        if (length == 0 && chance.nextBoolean()) {
            producer.publishEvent(id);
            batch.add(new Seen(-1, id, -1, 0, 0));
            flush();
            return true;
        }
        long sum = 0;
        for (int i = 0; i < length; i++) {
            final byte value = (byte) chance.nextInt();
            producer.memory().putByte(body + i, value);
            sum = sum * 31 + value;
        }
        final int metadataLength = chance.nextInt(Math.min(24, length) + 1);
        producer.publish(id, metadataLength);
        batch.add(new Seen(ORIGIN, id, metadataLength, length - metadataLength, sum));
        return true;
    }

    private void flush() {
        producer.flush();
        sent.addAll(batch);
        batch.clear();
    }

    /**
     * Polls and compares: published records arrive, up to the limit. Of an open batch those arrive that a full lane has
     * published.
     */
    private void poll(int limit) {
        final int count = consumer.poll(reader, limit);
        assertThat(reader.seen).hasSize(count);
        assertThat(count).isBetween(Math.min(limit, sent.size()), Math.min(limit, sent.size() + batch.size()));
        while (!reader.seen.isEmpty()) {
            assertThat(reader.seen.remove()).isEqualTo(sent.isEmpty() ? batch.remove() : sent.remove());
        }
    }

    private void pollAll() {
        flush();
        poll(Integer.MAX_VALUE);
        assertThat(sent).isEmpty();
    }
}
