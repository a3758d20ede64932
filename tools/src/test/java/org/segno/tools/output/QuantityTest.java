package org.segno.tools.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class QuantityTest {
    @Test
    void shouldDistinguishOneFromMany() {
        assertThat(Quantity.of(1, "rank")).isEqualTo("1 rank");
        assertThat(Quantity.of(0, "rank")).isEqualTo("0 ranks");
        assertThat(Quantity.of(110_592, "row")).isEqualTo("110,592 rows");
        assertThat(Quantity.of(1, "entr", "y", "ies")).isEqualTo("1 entry");
        assertThat(Quantity.of(2, "entr", "y", "ies")).isEqualTo("2 entries");
    }

    @Test
    void shouldUseTheLargestUnitThatLeavesAtLeastOne() {
        assertThat(Quantity.ofBytes(8L << 20)).isEqualTo("8.0 MiB");
        assertThat(Quantity.ofBytes((1L << 30) - (1L << 20))).isEqualTo("1023.0 MiB");
        assertThat(Quantity.ofBytes(3L << 29)).isEqualTo("1.5 GiB");
    }

    @Test
    void shouldRoundAFigureToAboutThreeDigits() {
        assertThat(Quantity.ofFigure(1.234)).isEqualTo("1.23");
        assertThat(Quantity.ofFigure(12.34)).isEqualTo("12.3");
        assertThat(Quantity.ofFigure(1_234.4)).isEqualTo("1,234");
    }
}
