package org.segno.engine.fifo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.fifo.LaneReader.Seen;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;

/**
 * Lane shorter than a batch: all records that producers write, in random order, compared with a queue, and no byte
 * beside the lane.
 */
class ReplyLaneTest {
    private static final int CAPACITY = NodeDimensions.REPLY_LANE_BYTES;
    private static final int MOST = LaneRecord.maxBodyLength(CAPACITY);
    private static final int ORIGIN = 1;
    private static final byte BESIDE = 0x5A;

    @TempDir
    Path directory;

    private final LaneReader reader = new LaneReader();
    private final Queue<Seen> published = new ArrayDeque<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldLoseAndReorderNothingOverManyWraps(long seed) {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final NodeMemory own = nodes.own(0);
            final ReceptionFifoProducer producer = ReceptionFifoProducer.ofReplies(nodes.asPeer(0), 0, ORIGIN);
            final ReceptionFifoConsumer consumer = ReceptionFifoConsumer.ofReplies(own, 0, ORIGIN);
            final long lane = own.replyLaneOffset(0, ORIGIN);
            own.peers().buffer(lane - CAPACITY, CAPACITY).setMemory(0, CAPACITY, BESIDE);
            own.peers().buffer(lane + CAPACITY, CAPACITY).setMemory(0, CAPACITY, BESIDE);
            final Random chance = new Random(seed);
            for (int step = 0; step < 200_000; step++) {
                switch (chance.nextInt(8)) {
                    case 0 -> event(producer, chance.nextInt(100));
                    case 1 -> notice(producer, chance.nextInt(100), chance.nextBoolean());
                    case 2 -> producer.flush();
                    case 3, 4 -> poll(consumer, chance.nextInt(20));
                    default -> message(producer, chance);
                }
            }
            producer.flush();
            poll(consumer, Integer.MAX_VALUE);
            assertThat(published).isEmpty();
            assertThat(reader.quarantines).isZero();
            for (int i = 0; i < CAPACITY; i++) {
                assertThat(own.peers().getByte(lane - 1 - i)).isEqualTo(BESIDE);
                assertThat(own.peers().getByte(lane + CAPACITY + i)).isEqualTo(BESIDE);
            }
        }
    }

    private void event(ReceptionFifoProducer producer, int id) {
        if (producer.claim(0) >= 0) {
            producer.publishEvent(id);
            published.add(new Seen(-1, id, -1, 0, 0));
        }
    }

    /** Writes a notice as a PUT does: its counter's event precedes it. */
    private void notice(ReceptionFifoProducer producer, int id, boolean hits) {
        if (producer.hasNoticeRoom()) {
            if (hits) {
                producer.publishEvent(id);
                published.add(new Seen(-1, id, -1, 0, 0));
            }
            producer.publishNotice(id, 0, 0, 0);
            published.add(new Seen(ORIGIN, id, LaneRecord.NOTICE_LENGTH, 0, 0));
        }
    }

    private void message(ReceptionFifoProducer producer, Random chance) {
        final int length = chance.nextInt(3) == 0 ? chance.nextInt(MOST + 1) : 8 * chance.nextInt(4);
        final byte value = (byte) chance.nextInt();
        final int metadata = Math.min(length, chance.nextInt(25));
        final long body = producer.claim(length);
        if (body >= 0) {
            long sum = 0;
            for (int i = 0; i < length; i++) {
                producer.memory().putByte(body + i, value);
                sum = sum * 31 + value;
            }
            producer.publish(3, metadata);
            published.add(new Seen(ORIGIN, 3, metadata, length - metadata, sum));
        }
    }

    private void poll(ReceptionFifoConsumer consumer, int limit) {
        final int count = consumer.poll(reader, limit);
        assertThat(reader.seen).hasSize(count);
        while (!reader.seen.isEmpty()) {
            assertThat(reader.seen.remove()).isEqualTo(published.remove());
        }
    }
}
