package org.segno.demo.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PhaseTimesTest {
    @Test
    void shouldSumTheSlowestTimesOfThePhases() {
        final PhaseTimes one = new PhaseTimes(2, 1);
        final PhaseTimes other = new PhaseTimes(2, 1);
        for (final PhaseTimes times : new PhaseTimes[] {one, other}) {
            times.begin(SendMode.REPLAYED);
            times.add(times == one ? 100 : 200, times == one ? 5_000 : 1_000);
            times.add(times == one ? 500 : 300, times == one ? 2_000 : 7_000);
        }
        one.slowest(other.ns());

        assertThat(one.medianMicros(SendMode.REPLAYED)).isEqualTo(12);
        assertThat(one.startingMicros(SendMode.REPLAYED)).isEqualTo(0.7);
    }

    @Test
    void shouldReturnMedianAndFastestTenthOfEachMode() {
        final PhaseTimes times = new PhaseTimes(1, 100);
        for (int i = 100; i > 0; i--) {
            times.begin(SendMode.INJECTED);
            times.add(i, i * 1_000L);
            times.begin(SendMode.MULTISEND);
            times.add(0, 3_000);
        }

        assertThat(times.iterations(SendMode.INJECTED)).isEqualTo(100);
        assertThat(times.iterations(SendMode.REPLAYED)).isZero();
        assertThat(times.medianMicros(SendMode.INJECTED)).isEqualTo(50.5);
        assertThat(times.fastMicros(SendMode.INJECTED)).isEqualTo(11);
        assertThat(times.medianMicros(SendMode.MULTISEND)).isEqualTo(3);
    }
}
