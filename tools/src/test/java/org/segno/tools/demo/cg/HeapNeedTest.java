package org.segno.tools.demo.cg;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.segno.tools.command.CommandException;

class HeapNeedTest {
    private static final long GIBIBYTE = 1L << 30;

    @Test
    void shouldNameALargestGridThatFits() {
        assertThatThrownBy(() -> HeapNeed.check(300, 4, GIBIBYTE))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("300 x 300 x 300 on 4 ranks needs about 3.0 GiB of heap for each;")
                .hasMessageContaining("use --grid 191 or less");
        HeapNeed.check(191, 4, GIBIBYTE);
        assertThatThrownBy(() -> HeapNeed.check(192, 4, GIBIBYTE)).isInstanceOf(CommandException.class);
    }

    @Test
    void shouldAskForMoreRanksWhereNoArrayWouldHoldTheShareOfOne() {
        assertThatThrownBy(() -> HeapNeed.check(600, 1, 1_000 * GIBIBYTE))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("and at least 3 ranks");
        HeapNeed.check(600, 3, 1_000 * GIBIBYTE);
    }
}
