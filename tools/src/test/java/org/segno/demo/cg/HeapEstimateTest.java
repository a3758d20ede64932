package org.segno.demo.cg;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeapEstimateTest {
    private static final long GIBIBYTE = 1L << 30;

    @Test
    void shouldNameTheLargestGridThatFits() {
        assertThat(HeapEstimate.problem(300, 4, GIBIBYTE))
                .contains("300 x 300 x 300 on 4 ranks needs about 3.0 GiB of heap for each;")
                .contains("use --grid 191 or less");
        assertThat(HeapEstimate.problem(191, 4, GIBIBYTE)).isNull();
        assertThat(HeapEstimate.problem(192, 4, GIBIBYTE)).isNotNull();
    }

    @Test
    void shouldRequireMoreRanksWhenNoArrayHoldsTheShareOfOne() {
        assertThat(HeapEstimate.problem(600, 1, 1_000 * GIBIBYTE)).contains("and at least 3 ranks");
        assertThat(HeapEstimate.problem(600, 3, 1_000 * GIBIBYTE)).isNull();
    }
}
