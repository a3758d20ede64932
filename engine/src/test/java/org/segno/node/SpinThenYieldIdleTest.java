package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpinThenYieldIdleTest {
    private static final long LIMIT_NS = 10_000_000_000L;

    private final SpinThenYieldIdle idle = new SpinThenYieldIdle();

    @Test
    void shouldSpinForItsTimeAndThenYield() {
        final long beginNs = System.nanoTime();
        idleUntilItYields();

        assertThat(System.nanoTime() - beginNs).isGreaterThan(SpinThenYieldIdle.SPIN_NS);
    }

    @Test
    void shouldNotReadTheClockInAShortWaitHoweverLongItTakes() {
        for (int i = 0; i < SpinThenYieldIdle.SPINS_PER_CLOCK; i++) {
            idle.idle(0);
        }
        final long passedNs = System.nanoTime() + 2 * SpinThenYieldIdle.SPIN_NS;
        while (System.nanoTime() - passedNs < 0) {
            Thread.onSpinWait();
        }
        idle.idle(0);

        assertThat(idle.isYielding()).isFalse();
    }

    @Test
    void shouldSpinAgainAfterWorkAndWithEveryWait() {
        idleUntilItYields();
        idle.idle(1);
        assertThat(idle.isYielding()).isFalse();

        idleUntilItYields();
        idle.reset();
        assertThat(idle.isYielding()).isFalse();
        idle.idle(0);
        assertThat(idle.isYielding()).isFalse();
    }

    private void idleUntilItYields() {
        final long beginNs = System.nanoTime();
        while (!idle.isYielding()) {
            idle.idle(0);
            assertThat(System.nanoTime() - beginNs).isLessThan(LIMIT_NS);
        }
    }
}
