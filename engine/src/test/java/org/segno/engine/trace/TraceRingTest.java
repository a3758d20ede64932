package org.segno.engine.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.MessageHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceRingTest {
    private final TraceRing ring = new TraceRing(TraceRing.MIN_BYTES);
    private final List<Long> polled = new ArrayList<>();

    /** Keeps the second word of each record. */
    private final MessageHandler handler = (type, buffer, index, length) -> polled.add(buffer.getLong(index + 8));

    @Test
    void shouldPassARecordThatFollowsPaddingAtTheEndOfTheBuffer() {
        // Not a divisor of the capacity, so that the last record before the end does not end there.
        final int bytes = 1000;
        for (int i = 0; i < 2 * TraceRing.MIN_BYTES / bytes; i++) {
            ring.commit(ring.claim(bytes));
            assertThat(ring.poll((type, buffer, index, length) -> {}, 1))
                    .as("record %d", i)
                    .isOne();
        }
    }

    @Test
    void shouldPassCommittedRecordsInOrderAndNoAbortedOne() {
        write(1);
        ring.abort(ring.claim(TraceRecord.HEADER_LENGTH));
        write(2);

        ring.poll(handler, 10);

        assertThat(polled).containsExactly(1L, 2L);
        assertThat(ring.lossesAcquire()).isEqualTo(new TraceRing.Losses(0, 0, 0, 0));
    }

    @Test
    void shouldReportWhatFoundNoRoomBeforeTheNextRecord() {
        long written = 0;
        int at = ring.claim(ring.maxLength());
        while (at != TraceRing.NO_ROOM) {
            ring.commit(at);
            written++;
            at = ring.claim(ring.maxLength());
        }
        ring.lost(5, 0, 0);
        ring.lost(0, 1, 7);
        assertThat(ring.poll((type, buffer, index, length) -> {}, Integer.MAX_VALUE))
                .isEqualTo((int) written);
        write(3);

        final List<Long> lost = new ArrayList<>();
        ring.poll(
                (type, buffer, index, length) -> {
                    if (buffer.getByte(index) == TraceRecord.LOST) {
                        lost.add((long) buffer.getInt(index + TraceRecord.COUNT_OFFSET));
                        lost.add(buffer.getLong(index + TraceRecord.DESCRIPTORS_OFFSET));
                        lost.add(buffer.getLong(index + TraceRecord.GENERATION_OFFSET));
                        lost.add(buffer.getLong(index + TraceRecord.POSITION_OFFSET));
                    } else {
                        polled.add(buffer.getLong(index + 8));
                    }
                },
                10);
        assertThat(lost).containsExactly(2L, 5L, 1L, 7L);
        assertThat(polled).containsExactly(3L);
        assertThat(ring.lossesAcquire()).isEqualTo(new TraceRing.Losses(2, 5, 1, 7));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1 << 19, (1 << 20) + 8, 3 << 20})
    void shouldRefuseACapacityThatIsNoPowerOfTwoInItsRange(int bytes) {
        assertThatThrownBy(() -> new TraceRing(bytes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(": " + bytes);
    }

    private void write(long word) {
        final int at = ring.claim(TraceRecord.HEADER_LENGTH);
        assertThat(at).isNotNegative();
        ring.memory().putLong(at, TraceRecord.ROUND);
        ring.memory().putLong(at + 8, word);
        ring.commit(at);
    }
}
