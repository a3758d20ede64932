package org.segno.transport.aeron;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogLimitTest {
    @Test
    void shouldAdmitTenLinesOfEachSecond() {
        final LogLimit limit = new LogLimit();
        for (long second = -3; second < 3; second++) {
            int lines = 0;
            for (int i = 0; i < 1000; i++) {
                lines += limit.admits(SECONDS.toNanos(second) + i) ? 1 : 0;
            }
            assertThat(lines).isEqualTo(10);
        }
        assertThat(limit.admits(SECONDS.toNanos(2) + SECONDS.toNanos(1) - 1)).isFalse();
        assertThat(limit.admits(SECONDS.toNanos(3))).isTrue();
    }
}
