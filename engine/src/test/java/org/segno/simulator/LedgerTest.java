package org.segno.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Checks of what nodes have received. */
class LedgerTest {
    private Ledger ledger;

    @BeforeEach
    void make() {
        ledger = new Ledger(2, 64, new EventHash(new VirtualTime(0), null));
        for (int i = 0; i < 3; i++) {
            ledger.sent(0, 1, Ledger.MESSAGES);
        }
    }

    private List<String> texts() {
        return ledger.defects().stream().map(Defect::text).toList();
    }

    private void receive(long... numbers) {
        for (final long number : numbers) {
            ledger.received(0, 1, Ledger.MESSAGES, number);
        }
    }

    @Test
    void shouldAcceptEachMessageOnceInOrder() {
        receive(0, 1);
        assertThat(ledger.isComplete()).isFalse();
        receive(2);
        ledger.checkComplete();
        assertThat(ledger.isComplete()).isTrue();
        assertThat(ledger.messages()).isEqualTo(3);
        assertThat(texts()).isEmpty();
    }

    @Test
    void shouldExpectTheMessagesOfOthersWhenARankCrashesAgain() {
        ledger = new Ledger(3, 64, new EventHash(new VirtualTime(0), null));
        ledger.sent(0, 1, Ledger.MESSAGES);
        ledger.sent(2, 2, Ledger.MESSAGES);
        ledger.crash(2);
        ledger.crash(2);
        assertThat(ledger.isComplete()).isFalse();
    }

    @Test
    void shouldNameALostMessage() {
        receive(0, 1);
        ledger.checkComplete();
        assertThat(texts()).containsExactly("rank 1 received 2 of 3 messages of rank 0 in stream 0");
    }

    @Test
    void shouldNameADuplicate() {
        receive(0, 0);
        assertThat(texts()).containsExactly("rank 1 received message 0 of rank 0 in stream 0 when 1 of 3 was due");
    }

    @Test
    void shouldNameMessagesThatOvertook() {
        receive(1, 0);
        assertThat(texts()).hasSize(2);
    }

    @Test
    void shouldNameAMessageThatNobodySent() {
        receive(0, 1, 2, 3);
        assertThat(texts()).containsExactly("rank 1 received message 3 of rank 0 in stream 0 when 3 of 3 was due");
    }

    @Test
    void shouldKeepTheFirstDefectsOfEachCheck() {
        for (int i = 0; i < 20; i++) {
            receive(2);
        }
        ledger.defect("one that came later");
        assertThat(ledger.defects())
                .hasSizeLessThan(20)
                .contains(new Defect(Guarantee.DELIVERY, "one that came later"));
        assertThat(ledger.defects().get(0).check()).isEqualTo(Guarantee.ORDER);
    }

    @Test
    void shouldAcceptThatMessagesToALostRankAreMissing() {
        receive(0);
        ledger.lose(0, 1);
        assertThat(ledger.isComplete()).isTrue();
        ledger.checkComplete();
        assertThat(texts()).isEmpty();
    }

    @Test
    void shouldNameAMessageThatIsMissingAlthoughItsCompletionReportedSuccess() {
        receive(0);
        ledger.confirmed(0, 1, Ledger.MESSAGES, 2);
        ledger.lose(0, 1);
        assertThat(ledger.isComplete())
                .as("a receiver that is paused needs time")
                .isFalse();
        ledger.checkComplete();
        assertThat(texts()).containsExactly("rank 1 received 1 of 2 messages of rank 0 in stream 0");
    }

    @Test
    void shouldNameAFailureBetweenRanksThatReachEachOther() {
        ledger.failed(0, 1, "an operation: -28");
        ledger.crash(1);
        ledger.failed(0, 1, "an operation: -28");
        assertThat(texts()).containsExactly("rank 0 failed with an operation: -28 at rank 1, which it can reach");
    }
}
