package org.segno.engine.fifo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;

/**
 * Repeated headers: a consumer's check of one header holds for equal headers, and for nothing else that a peer may
 * write.
 */
class RepeatedHeaderTest {
    private static final int CAPACITY = 4096;
    private static final int ORIGIN = 1;

    @TempDir
    Path directory;

    private MappedNodes nodes;
    private NodeMemory own;
    private ReceptionFifoConsumer consumer;

    /** Handler that accepts a set number of messages and declines all others. */
    private static final class Declining implements RecordHandler {
        private final LaneReader reader = new LaneReader();
        private int left;

        @Override
        public boolean onMessage(long origin, int id, DirectBuffer buffer, int metadata, int length, int payload) {
            return left-- > 0 && reader.onMessage(origin, id, buffer, metadata, length, payload);
        }

        @Override
        public void onEvent(int counter) {
            reader.onEvent(counter);
        }

        @Override
        public void onFifoEvent(int number) {
            reader.onFifoEvent(number);
        }

        @Override
        public void onQuarantine(int origin) {
            reader.onQuarantine(origin);
        }
    }

    private final Declining handler = new Declining();

    @BeforeEach
    void make() {
        nodes = MappedNodes.create(
                directory, NodeSize.small().laneBytes(CAPACITY).dimensions());
        own = nodes.own(0);
        consumer = ReceptionFifoConsumer.of(own, 0, ORIGIN);
        handler.left = Integer.MAX_VALUE;
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    private void write(int index, long header) {
        own.peers().putLong(own.laneOffset(0, ORIGIN) + index, header);
    }

    private static long message(int length) {
        return LaneRecord.header(length, 7, 8, LaneRecord.MESSAGE);
    }

    @Test
    void shouldQuarantineAMessageLikeTheLastThatWouldPassTheEnd() {
        for (int index = 0; index < CAPACITY; index += 1008) {
            write(index, message(1008));
        }
        assertThat(consumer.poll(handler, 100)).isEqualTo(4);
        assertThat(consumer.isQuarantined()).isTrue();
        assertThat(handler.reader.quarantines).isEqualTo(1);
    }

    @Test
    void shouldQuarantineAHeaderEqualToTheMarkOfNone() {
        write(0, LaneRecord.header(8, 3, 0, LaneRecord.EVENT));
        write(16, Integer.MAX_VALUE);
        assertThat(consumer.poll(handler, 100)).isEqualTo(1);
        assertThat(consumer.isQuarantined()).isTrue();
        assertThat(handler.reader.seen).hasSize(1);
    }

    @Test
    void shouldRecheckADeclinedRecordThatHasChanged() {
        write(0, message(32));
        write(32, message(32));
        handler.left = 1;
        assertThat(consumer.poll(handler, 100)).isEqualTo(1);
        write(32, message(CAPACITY / 4 + 1));
        handler.left = 1;
        assertThat(consumer.poll(handler, 100)).isZero();
        assertThat(consumer.isQuarantined()).isTrue();
    }

    @Test
    void shouldDeliverADeclinedRecordThatIsUnchanged() {
        write(0, message(32));
        write(32, LaneRecord.header(8, 3, 0, LaneRecord.EVENT));
        write(48, message(32));
        for (int attempt = 0; attempt < 3; attempt++) {
            handler.left = 0;
            assertThat(consumer.poll(handler, 100)).isZero();
        }
        handler.left = 2;
        assertThat(consumer.poll(handler, 100)).isEqualTo(3);
        assertThat(handler.reader.seen).extracting(LaneReader.Seen::id).containsExactly(7, 3, 7);
        assertThat(consumer.isQuarantined()).isFalse();
    }
}
