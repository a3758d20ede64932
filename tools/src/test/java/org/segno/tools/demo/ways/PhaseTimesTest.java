package org.segno.tools.demo.ways;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PhaseTimesTest {
    @Test
    void shouldAddUpTheSlowestRankOfEachPhase() {
        final PhaseTimes one = new PhaseTimes(2, 1);
        final PhaseTimes other = new PhaseTimes(2, 1);
        for (final PhaseTimes times : new PhaseTimes[] {one, other}) {
            times.begin(Way.REPLAYED);
            times.add(times == one ? 100 : 200, times == one ? 5_000 : 1_000);
            times.add(times == one ? 500 : 300, times == one ? 2_000 : 7_000);
        }
        one.slowest(other.ns());

        assertThat(one.medianMicros(Way.REPLAYED)).isEqualTo(12);
        assertThat(one.startingMicros(Way.REPLAYED)).isEqualTo(0.7);
    }

    @Test
    void shouldTellMedianAndFastestTenthOfEachWay() {
        final PhaseTimes times = new PhaseTimes(1, 100);
        for (int i = 100; i > 0; i--) {
            times.begin(Way.INJECTED);
            times.add(i, i * 1_000L);
            times.begin(Way.MULTISEND);
            times.add(0, 3_000);
        }

        assertThat(times.iterations(Way.INJECTED)).isEqualTo(100);
        assertThat(times.iterations(Way.REPLAYED)).isZero();
        assertThat(times.medianMicros(Way.INJECTED)).isEqualTo(50.5);
        assertThat(times.fastMicros(Way.INJECTED)).isEqualTo(11);
        assertThat(times.medianMicros(Way.MULTISEND)).isEqualTo(3);
    }
}
