package org.segno.pattern;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.pattern.SectionSpace.Extent;

class SectionSpaceTest {
    private static final int SLOTS = 300;

    @Test
    void shouldMergeWhatIsGivenBackWithItsNeighbours() {
        final SectionSpace space = new SectionSpace(10);
        assertThat(space.takeLargest()).isEqualTo(new Extent(0, 10));
        assertThat(space.takeLargest()).isNull();
        space.give(2, 2);
        space.give(6, 2);
        assertThat(space.largest()).isEqualTo(2);
        space.give(4, 2);
        assertThat(space.largest()).isEqualTo(6);
        space.give(0, 2);
        space.give(8, 2);
        space.give(3, 0);
        assertThat(space.free()).isEqualTo(10);
        assertThat(space.takeLargest()).isEqualTo(new Extent(0, 10));
    }

    /** Against a slot-by-slot model: what is taken was free and is the largest there is, and nothing is lost. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldTakeTheLargestAndLoseNothing(long seed) {
        final Random chance = new Random(seed);
        final SectionSpace space = new SectionSpace(SLOTS);
        final boolean[] taken = new boolean[SLOTS];
        final List<Extent> sections = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            final Extent room = chance.nextInt(5) < 3 ? space.takeLargest() : null;
            if (room != null) {
                assertThat(room.slots()).isEqualTo(largest(taken));
                final int used = Math.min(room.slots(), 1 + chance.nextInt(9));
                mark(taken, room.first(), used, true);
                sections.add(new Extent(room.first(), used));
                space.give(room.first() + used, room.slots() - used);
            } else if (!sections.isEmpty()) {
                final Extent section = sections.remove(chance.nextInt(sections.size()));
                mark(taken, section.first(), section.slots(), false);
                space.give(section.first(), section.slots());
            }
            assertThat(space.free()).isEqualTo(free(taken));
            assertThat(space.largest()).isEqualTo(largest(taken));
        }
    }

    private static void mark(boolean[] taken, int first, int slots, boolean as) {
        for (int slot = first; slot < first + slots; slot++) {
            assertThat(taken[slot]).isNotEqualTo(as);
        }
        Arrays.fill(taken, first, first + slots, as);
    }

    private static int free(boolean[] taken) {
        int count = 0;
        for (final boolean slot : taken) {
            count += slot ? 0 : 1;
        }
        return count;
    }

    private static int largest(boolean[] taken) {
        int most = 0;
        int run = 0;
        for (final boolean slot : taken) {
            run = slot ? 0 : run + 1;
            most = Math.max(most, run);
        }
        return most;
    }
}
