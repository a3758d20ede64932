package org.segno.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JitTimeTest {
    @Test
    void shouldHaveTheTimeOfTheCompilersOfThisProcess() {
        final long before = JitTime.takenMs();

        assertThat(before).isPositive();
        assertThat(JitTime.takenMs()).isGreaterThanOrEqualTo(before);
    }
}
