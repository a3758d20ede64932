package org.segno.pattern;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges, compared with a set of single bytes. */
class ArenaRangesTest {
    private static final int SPACE = 200;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldFindTheOverlapsOfASetOfBytes(long seed) {
        final Random chance = new Random(seed);
        for (int round = 0; round < 200; round++) {
            final ArenaRanges ranges = new ArenaRanges();
            final BitSet bytes = new BitSet(SPACE);
            for (int i = chance.nextInt(20); i >= 0; i--) {
                final int start = chance.nextInt(SPACE);
                final int length = chance.nextInt(Math.min(30, SPACE - start) + 1);
                ranges.add(start, length);
                bytes.set(start, start + length);
            }
            for (int i = 0; i < 50; i++) {
                final int start = chance.nextInt(SPACE);
                final int length = chance.nextInt(SPACE - start + 1);
                final int next = bytes.nextSetBit(start);
                assertThat(ranges.overlaps(start, length))
                        .as("seed %d: [%d, %d) of %s", seed, start, start + length, bytes)
                        .isEqualTo(next >= 0 && next < start + length);
            }
        }
    }
}
