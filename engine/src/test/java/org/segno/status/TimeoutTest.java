package org.segno.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TimeoutTest {
    @Test
    void shouldGiveEachWaitItsOwnTime() {
        final Timeout timeout = Timeout.of(40, TimeUnit.MILLISECONDS);
        final long first = timeout.deadlineNs();
        while (!Deadline.reached(first)) {
            Thread.onSpinWait();
        }
        final long second = timeout.deadlineNs();

        assertThat(Deadline.remaining(second)).isPositive();
        assertThat(second - first).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(40));
    }

    @Test
    void shouldStayAheadWhenTheLongestTimeIsGiven() {
        assertThat(Deadline.reached(Timeout.of(Long.MAX_VALUE, TimeUnit.DAYS).deadlineNs()))
                .isFalse();
        assertThat(Deadline.reached(Timeout.of(0, TimeUnit.DAYS).deadlineNs())).isTrue();
    }

    @Test
    void shouldRefuseANegativeTimeAndNameIt() {
        assertThatThrownBy(() -> Timeout.of(-3, TimeUnit.SECONDS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-3 SECONDS");
        assertThat(Timeout.of(2, TimeUnit.MICROSECONDS)).hasToString("2000 ns for each wait");
    }
}
