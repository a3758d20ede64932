package org.segno.demo.cg;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.segno.tools.CommandException;

class HeapEstimateTest {
    private static final long GIBIBYTE = 1L << 30;

    @Test
    void shouldNameTheLargestGridThatFits() {
        assertThatThrownBy(() -> HeapEstimate.check(300, 4, GIBIBYTE))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("300 x 300 x 300 on 4 ranks needs about 3.0 GiB of heap for each;")
                .hasMessageContaining("use --grid 191 or less");
        HeapEstimate.check(191, 4, GIBIBYTE);
        assertThatThrownBy(() -> HeapEstimate.check(192, 4, GIBIBYTE)).isInstanceOf(CommandException.class);
    }

    @Test
    void shouldRequireMoreRanksWhenNoArrayHoldsTheShareOfOne() {
        assertThatThrownBy(() -> HeapEstimate.check(600, 1, 1_000 * GIBIBYTE))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("and at least 3 ranks");
        HeapEstimate.check(600, 3, 1_000 * GIBIBYTE);
    }
}
