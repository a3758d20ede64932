package org.segno.demo.spikes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.segno.demo.comparison.VirtualRanks;

class CellsTest {
    private final Cells cells = new Cells(new VirtualRanks(64, 64), 100, 16, 30, 5);

    @Test
    void shouldDrawTheSameDifferentTargetsAndCellsEveryTime() {
        final Cells again = new Cells(new VirtualRanks(64, 64), 100, 16, 30, 5);
        assertThat(cells.targetsOf(3, 7))
                .hasSize(16)
                .doesNotHaveDuplicates()
                .isSorted()
                .isEqualTo(again.targetsOf(3, 7))
                .isNotEqualTo(cells.targetsOf(3, 8));
        assertThat(cells.firing(3, 7))
                .hasSize(30)
                .doesNotHaveDuplicates()
                .isEqualTo(again.firing(3, 7))
                .isNotEqualTo(cells.firing(3, 8))
                .isNotEqualTo(cells.firing(4, 7));
    }

    @Test
    void shouldDrawOtherTargetsFromAnotherSeed() {
        final Cells other = new Cells(new VirtualRanks(64, 64), 100, 16, 30, 6);
        assertThat(cells.targetsOf(3, 7)).isNotEqualTo(other.targetsOf(3, 7));
        assertThat(cells.firing(3, 7)).isNotEqualTo(other.firing(3, 7));
    }

    @Test
    void shouldNumberTheCellsOfAllRanks() {
        assertThat(cells.number(0, 99) + 1).isEqualTo(cells.number(1, 0));
    }
}
