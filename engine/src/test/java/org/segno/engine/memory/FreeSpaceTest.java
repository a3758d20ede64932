package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.memory.FreeSpace.Extent;

class FreeSpaceTest {
    private static final int SLOTS = 300;

    @Test
    void shouldMergeAReturnedExtentWithItsNeighbours() {
        final FreeSpace space = new FreeSpace(10);
        assertThat(space.takeLargest()).isEqualTo(new Extent(0, 10));
        assertThat(space.takeLargest()).isNull();
        space.give(2, 2);
        space.give(6, 2);
        assertThat(space.largest()).isEqualTo(2);
        assertThat(space.pieces(2)).isEqualTo(2);
        assertThat(space.pieces(1)).isEqualTo(4);
        assertThat(space.pieces(3)).isZero();
        space.give(4, 2);
        assertThat(space.largest()).isEqualTo(6);
        space.give(0, 2);
        space.give(8, 2);
        space.give(3, 0);
        assertThat(space.free()).isEqualTo(10);
        assertThat(space.takeLargest()).isEqualTo(new Extent(0, 10));
    }

    /**
     * Compares with a slot-by-slot model: a taken section was free and is the largest free one, and nothing is lost.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldTakeTheLargestAndLoseNothing(long seed) {
        final Random chance = new Random(seed);
        final FreeSpace space = new FreeSpace(SLOTS);
        final boolean[] taken = new boolean[SLOTS];
        final List<Extent> sections = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            final Extent room = chance.nextInt(5) < 3 ? space.takeLargest() : null;
            if (room != null) {
                assertThat(room.length()).isEqualTo(largest(taken));
                final long used = Math.min(room.length(), 1 + chance.nextInt(9));
                mark(taken, room.start(), used, true);
                sections.add(new Extent(room.start(), used));
                space.give(room.start() + used, room.length() - used);
            } else if (!sections.isEmpty()) {
                final Extent section = sections.remove(chance.nextInt(sections.size()));
                mark(taken, section.start(), section.length(), false);
                space.give(section.start(), section.length());
            }
            assertThat(space.free()).isEqualTo(free(taken));
            assertThat(space.largest()).isEqualTo(largest(taken));
        }
    }

    /**
     * Compares with a slot-by-slot model: a taken section was free, and lies in the smallest extent that is large
     * enough.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldTakeFromTheSmallestThatIsLargeEnough(long seed) {
        final Random chance = new Random(seed);
        final FreeSpace space = new FreeSpace(SLOTS);
        final boolean[] taken = new boolean[SLOTS];
        final List<Extent> extents = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            if (chance.nextInt(5) < 3) {
                final int length = 1 + chance.nextInt(30);
                final long start = space.take(length);
                assertThat(start).isEqualTo(bestFit(taken, length));
                if (start >= 0) {
                    mark(taken, start, length, true);
                    extents.add(new Extent(start, length));
                }
            } else if (!extents.isEmpty()) {
                final Extent extent = extents.remove(chance.nextInt(extents.size()));
                mark(taken, extent.start(), extent.length(), false);
                space.give(extent.start(), extent.length());
            }
            assertThat(space.free()).isEqualTo(free(taken));
            assertThat(space.largest()).isEqualTo(largest(taken));
        }
    }

    private static int bestFit(boolean[] taken, int length) {
        int best = -1;
        int smallest = Integer.MAX_VALUE;
        int run = 0;
        for (int slot = 0; slot <= taken.length; slot++) {
            if (slot < taken.length && !taken[slot]) {
                run++;
            } else {
                if (run >= length && run < smallest) {
                    smallest = run;
                    best = slot - run;
                }
                run = 0;
            }
        }
        return best;
    }

    private static void mark(boolean[] taken, long first, long slots, boolean as) {
        for (long slot = first; slot < first + slots; slot++) {
            assertThat(taken[(int) slot]).isNotEqualTo(as);
        }
        Arrays.fill(taken, (int) first, (int) (first + slots), as);
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
