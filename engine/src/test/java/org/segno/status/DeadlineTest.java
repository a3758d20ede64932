package org.segno.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DeadlineTest {
    @Test
    void shouldBeReachedAtOnceWhenNoTimeIsGiven() {
        assertThat(Deadline.reached(Deadline.in(0, TimeUnit.SECONDS))).isTrue();
    }

    @Test
    void shouldNotBeReachedBeforeItsTime() {
        final long deadlineNs = Deadline.in(1, TimeUnit.HOURS);

        assertThat(Deadline.reached(deadlineNs)).isFalse();
        assertThat(Deadline.remaining(deadlineNs)).isBetween(TimeUnit.MINUTES.toNanos(59), TimeUnit.HOURS.toNanos(1));
    }

    @Test
    void shouldStayAheadWhenTheLongestTimeIsGiven() {
        assertThat(Deadline.reached(Deadline.in(Long.MAX_VALUE, TimeUnit.DAYS))).isFalse();
    }

    @Test
    void shouldRefuseANegativeTimeAndNameIt() {
        assertThatThrownBy(() -> Deadline.in(-3, TimeUnit.SECONDS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-3 SECONDS");
    }
}
