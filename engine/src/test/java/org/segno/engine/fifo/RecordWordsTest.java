package org.segno.engine.fifo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Words of lane records and of section tails: decoded as they were encoded, also at the extremes of a field. */
class RecordWordsTest {
    private static final int TRIALS = 10_000;

    private final Random chance = new Random(1);

    private int upTo(int most) {
        return switch (chance.nextInt(4)) {
            case 0 -> 0;
            case 1 -> most;
            default -> (int) (chance.nextDouble() * most);
        };
    }

    @Test
    void shouldDecodeTheHeaderOfALaneRecord() {
        for (int trial = 0; trial < TRIALS; trial++) {
            final int length = upTo((1 << 28) - 1);
            final int id = upTo(0xFFFF);
            final int metadataLength = upTo(0xFF);
            final int kind = upTo(0xF);
            final int context = upTo(0xFF);
            final long header = LaneRecord.header(length, id, metadataLength, kind) | LaneRecord.origin(context);
            assertThat(LaneRecord.originContext(header)).isEqualTo(context);
            assertThat(LaneRecord.length(header)).isEqualTo(length);
            assertThat(LaneRecord.id(header)).isEqualTo(id);
            assertThat(LaneRecord.metadataLength(header)).isEqualTo(metadataLength);
            assertThat(LaneRecord.kind(header)).isEqualTo(kind);
        }
    }

    @Test
    void shouldAlignPositionsOfRecords() {
        for (int position = 0; position < 4 * LaneRecord.ALIGNMENT; position++) {
            final int before = LaneRecord.alignedBefore(position);
            assertThat(LaneRecord.isAligned(position)).isEqualTo(position % LaneRecord.ALIGNMENT == 0);
            assertThat(LaneRecord.isAligned(before)).isTrue();
            assertThat(position - before).isBetween(0, LaneRecord.ALIGNMENT - 1);
            assertThat(LaneRecord.alignedLength(position))
                    .isEqualTo(LaneRecord.alignedBefore(position + LaneRecord.ALIGNMENT - 1));
        }
        assertThat(LaneRecord.isAligned(Long.MIN_VALUE)).isTrue();
        assertThat(LaneRecord.isAligned(-1)).isFalse();
    }

    @Test
    void shouldDecodeASectionTail() {
        for (int trial = 0; trial < TRIALS; trial++) {
            final long position = chance.nextBoolean() ? upTo(Integer.MAX_VALUE) : chance.nextLong() >>> 1;
            final int slots = upTo(Integer.MAX_VALUE);
            final long word = FifoMetadata.sectionTail(position, slots);
            assertThat(FifoMetadata.sectionSlots(word)).isEqualTo(slots);
            assertThat(FifoMetadata.isOfRun(word, position)).isTrue();
            assertThat(FifoMetadata.isOfRun(word, position + 1)).isFalse();
        }
    }
}
