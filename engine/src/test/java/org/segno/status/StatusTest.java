package org.segno.status;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StatusTest {
    @Test
    void shouldDistinguishProgressFromReasons() {
        assertThat(Status.isProgress(0)).isTrue();
        assertThat(Status.isProgress(Status.BACK_PRESSURED)).isFalse();
        assertThat(Status.isProgress(Status.BUSY)).isFalse();
    }

    @Test
    void shouldNameReasonsAndLeaveNumbers() {
        assertThat(Status.name(Status.BACK_PRESSURED)).isEqualTo("BACK_PRESSURED");
        assertThat(Status.name(Status.BUSY)).isEqualTo("BUSY");
        assertThat(Status.name(7)).isEqualTo("7");
    }

    @Test
    void shouldFindEachRefusalByItsCodeAndNoneByAnother() {
        for (final Refusal refusal : Refusal.values()) {
            assertThat(Refusal.of(refusal.code())).isEqualTo(refusal);
            assertThat(Refusal.reason(refusal.code())).startsWith(refusal.reason());
        }
        for (final long code : new long[] {0, -1, -15, -56, 16, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThat(Refusal.of(code)).isEqualTo(Refusal.UNKNOWN_CODE);
            assertThat(Refusal.reason(code)).endsWith(": " + code);
        }
    }

    @Test
    void shouldNameTheRankThatFailed() {
        assertThat(new PeerFailedException(3, "gone").rank()).isEqualTo(3);
        assertThat(new RefusedException(2, "outside").rank()).isEqualTo(2);
    }
}
