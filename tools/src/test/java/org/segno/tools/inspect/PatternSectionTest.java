package org.segno.tools.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.segno.engine.memory.NodeDimensions;
import org.segno.pattern.PatternEntry;
import org.segno.tools.inspect.record.PatternSection;

class PatternSectionTest {
    private static final int SLOTS = 64;

    private static final NodeDimensions DIMENSIONS =
            new NodeDimensions(2, 2, 1, 1, 1, 16, SLOTS, 16, 4, 16, 16, 16, 16, NodeDimensions.MIN_LANE_BYTES, 0);

    private static boolean isPossible(int first, int slots, int arms) {
        return new PatternSection(7, first, slots, arms, PatternEntry.ALTERNATE).isPossible(DIMENSIONS);
    }

    @Test
    void shouldAcceptAnEmptyPatternAndNoneBeyondTheBuffer() {
        assertThat(isPossible(0, 0, 0)).isTrue();
        assertThat(isPossible(SLOTS - 1, 0, 0)).isTrue();
        assertThat(isPossible(0, SLOTS, SLOTS)).isTrue();
        assertThat(isPossible(0, 0, 1)).isFalse();
        assertThat(isPossible(1, SLOTS, 0)).isFalse();
        assertThat(isPossible(0, -1, 0)).isFalse();
    }
}
