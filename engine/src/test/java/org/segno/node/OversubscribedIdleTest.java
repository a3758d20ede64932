package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Test;

class OversubscribedIdleTest {
    private static final class Counting implements IdleStrategy {
        private int idles;
        private int resets;

        @Override
        public void idle(int workCount) {
            throw new AssertionError("work is looked at once: " + workCount);
        }

        @Override
        public void idle() {
            idles++;
        }

        @Override
        public void reset() {
            resets++;
        }
    }

    private final Counting backoff = new Counting();
    private final OversubscribedIdle idle = new OversubscribedIdle(backoff);

    @Test
    void shouldParkForLongerWhenThereWasNoWorkForLong() {
        for (int i = 0; i < OversubscribedIdle.PATIENCE; i++) {
            idle.idle(0);
        }
        assertThat(backoff.idles).isEqualTo(OversubscribedIdle.PATIENCE - OversubscribedIdle.YIELDS);

        final long beginNs = System.nanoTime();
        for (int i = 0; i < 5; i++) {
            idle.idle(0);
        }

        assertThat(backoff.idles).isEqualTo(OversubscribedIdle.PATIENCE - OversubscribedIdle.YIELDS);
        // A park may end early, but hardly ever does.
        assertThat(System.nanoTime() - beginNs).isGreaterThan(4_000_000);
    }

    @Test
    void shouldParkLongerAndLongerWhileThereIsNoWork() {
        for (int i = 0; i < OversubscribedIdle.PATIENCE; i++) {
            idle.idle(0);
        }

        final long beginNs = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            idle.idle(0);
        }

        // Twenty times the first park is 80 ms; growing by a 25th each time they are 119 ms.
        assertThat(System.nanoTime() - beginNs).isGreaterThan(100_000_000);
    }

    @Test
    void shouldRestartAfterWork() {
        for (int i = 0; i < OversubscribedIdle.PATIENCE + 1; i++) {
            idle.idle(0);
        }

        idle.idle(1);

        assertThat(backoff.resets).isEqualTo(1);
        assertThat(yieldsUntilParks()).isEqualTo(OversubscribedIdle.YIELDS);
    }

    @Test
    void shouldRestartWithEveryWait() {
        for (int i = 0; i < OversubscribedIdle.PATIENCE; i++) {
            idle.idle();
        }

        idle.reset();

        assertThat(yieldsUntilParks()).isEqualTo(OversubscribedIdle.YIELDS);
    }

    private int yieldsUntilParks() {
        final int before = backoff.idles;
        int idles = 0;
        while (backoff.idles == before) {
            idle.idle();
            idles++;
        }
        return idles - 1;
    }

    @Test
    void shouldParkAtADoorbellAfterItsYields() {
        int idles = 0;
        while (!idle.isParkDue()) {
            idle.idle();
            idles++;
        }

        assertThat(idles).isBetween(1000, OversubscribedIdle.PATIENCE - 1);
        idle.reset();
        assertThat(idle.isParkDue()).isFalse();
    }

    @Test
    void shouldParkAtADoorbellForAMillisecondAndAfterATimeForLongerAndLonger() {
        while (!idle.isParkDue()) {
            idle.idle();
        }
        final long firstNs = idle.nextParkNs();
        long sumNs = firstNs;
        long lastNs = firstNs;
        int parks = 1;
        while (lastNs < 90_000_000) {
            final long nextNs = idle.nextParkNs();
            assertThat(nextNs).isGreaterThanOrEqualTo(lastNs).isLessThanOrEqualTo(Math.max(6_000_000, sumNs / 8));
            lastNs = nextNs;
            sumNs += nextNs;
            parks++;
        }

        assertThat(firstNs).isEqualTo(1_000_000);
        assertThat(parks).isLessThan(400);
        assertThat(idle.nextParkNs()).isEqualTo(90_000_000);
    }
}
