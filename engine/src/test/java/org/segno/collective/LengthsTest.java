package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Lengths and places of blocks. */
class LengthsTest {
    @Test
    void shouldPlaceBlocksBehindEachOtherUnlessOffsetsAreGiven() {
        final Lengths adjacent = Lengths.of(8, 0, 16);
        assertThat(adjacent.offset(2)).isEqualTo(8);
        assertThat(adjacent.total(3)).isEqualTo(24);
        assertThat(adjacent.areAdjacent(3)).isTrue();
        final Lengths placed = adjacent.at(32, 4, 0);
        assertThat(placed.offset(0)).isEqualTo(32);
        assertThat(placed.length(2)).isEqualTo(16);
        assertThat(placed.total(3)).isEqualTo(40);
        assertThat(placed.areAdjacent(3)).isFalse();
        assertThat(placed).hasToString("[8, 0, 16] bytes at [32, 4, 0]");
        assertThat(Lengths.equal(8).at(0, 8, 16).areAdjacent(3)).isTrue();
    }

    @Test
    void shouldHaveEqualDigestsForEqualBlocksAlone() {
        assertThat(Lengths.of(8, 8, 8).digest(3)).isEqualTo(Lengths.equal(8).digest(3));
        assertThat(Lengths.equal(8).at(0, 8, 16).digest(3))
                .isEqualTo(Lengths.equal(8).digest(3));
        assertThat(Lengths.equal(8).at(0, 16, 8).digest(3))
                .isNotEqualTo(Lengths.equal(8).digest(3));
        assertThat(Lengths.of(8, 8, 9).digest(3)).isNotEqualTo(Lengths.equal(8).digest(3));
    }

    @Test
    void shouldRefuseBlocksThatOverlap() {
        final Lengths lengths = Lengths.of(8, 8, 16);
        assertThatThrownBy(() -> lengths.at(0, 24, 12))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("blocks overlap: offsets=[0, 24, 12]");
        assertThatThrownBy(() -> lengths.at(0, -8, 16))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("offset=-8");
        assertThatThrownBy(() -> lengths.at(0, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is an offset for each length: lengths=3 offsets=2");
        assertThatThrownBy(() -> lengths.at(0, 8, Long.MAX_VALUE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ends below 2^63");
    }

    @Test
    void shouldDivideEachBlockIntoPartsThatCoverIt() {
        final Random chance = new Random(7);
        for (int i = 0; i < 1000; i++) {
            final int members = 1 + chance.nextInt(5);
            final int parts = 1 + chance.nextInt(4);
            final long[] bytes = chance.longs(members, 0, 1000).toArray();
            final Lengths whole = Lengths.of(bytes);
            final long[] next = new long[members];
            for (int member = 0; member < members; member++) {
                next[member] = whole.offset(member);
            }
            for (int part = 0; part < parts; part++) {
                final Lengths divided = whole.part(part, parts, members, 64);
                for (int member = 0; member < members; member++) {
                    assertThat(divided.offset(member)).isEqualTo(next[member]);
                    next[member] += divided.length(member);
                    assertThat(part == parts - 1 || divided.length(member) % 64 == 0)
                            .isTrue();
                }
            }
            for (int member = 0; member < members; member++) {
                assertThat(next[member]).isEqualTo(whole.offset(member) + whole.length(member));
            }
        }
    }
}
