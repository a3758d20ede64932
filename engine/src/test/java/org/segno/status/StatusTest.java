package org.segno.status;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StatusTest {
    @Test
    void shouldTellProgressFromReasons() {
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
    void shouldNameTheRankThatFailed() {
        assertThat(new PeerFailedException(3, "gone").rank()).isEqualTo(3);
        assertThat(new RefusedException(2, "outside").rank()).isEqualTo(2);
    }
}
