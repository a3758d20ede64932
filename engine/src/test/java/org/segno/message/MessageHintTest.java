package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.operation.Hint;
import org.segno.operation.Message;
import org.segno.operation.OperationAccess;
import org.segno.pattern.Rounds;

/** Hints of a sender, which override the limits: here 8 bytes for immediate messages and 100 for eager ones. */
class MessageHintTest {
    private static final int LONGEST = 4_000;

    @TempDir
    Path directory;

    private MessengerPairs all;
    private TestMessenger from;
    private TestMessenger to;

    @BeforeEach
    void join() {
        all = new MessengerPairs(
                directory, LONGEST, config -> config.withEagerLimitBytes(100).withImmediateLimitBytes(8));
        from = all.of(0, 0);
        to = all.of(1, 0);
    }

    @AfterEach
    void close() {
        all.close();
    }

    private Message message(int length) {
        return from.numbered(to.context.endpoint(), 1, length);
    }

    @ParameterizedTest
    @ValueSource(ints = {92, 93, 500, MessengerPairs.LANE_QUARTER - 8})
    void shouldNotUseRendezvousForAnyEagerLimit(int length) {
        from.messenger.send(message(length).hint(Hint.NO_RENDEZVOUS));
        all.settle();
        assertThat(to.received).hasSize(1);
        assertThat(to.announced()).isZero();
    }

    @Test
    void shouldRefuseAMessageTooLongForTheLaneWithoutRendezvous() {
        assertThatThrownBy(() -> from.messenger.send(
                        message(MessengerPairs.LANE_QUARTER - 7).hint(Hint.NO_RENDEZVOUS)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("holds 1008 bytes")
                .hasMessageContaining("payload=1009")
                .hasMessageContaining("omit Hint.NO_RENDEZVOUS");
        all.settle();
        assertThat(to.received).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 24, 92, 93, LONGEST})
    void shouldNotBeCopiedOnTheWayForAnyLimits(int length) {
        from.messenger.send(message(length).hint(Hint.NO_COPY));
        all.settle();
        assertThat(to.received).hasSize(1);
        assertThat(to.announced()).isEqualTo(1);
    }

    @Test
    void shouldHaveNothingToLandWithoutAPayload() {
        from.messenger.send(message(0).hint(Hint.NO_COPY));
        all.settle();
        assertThat(to.received).hasSize(1);
        assertThat(to.announced()).isZero();
    }

    @Test
    void shouldStandUntilAnotherIsGiven() {
        from.messenger.send(message(10).hint(Hint.NO_COPY));
        from.messenger.send(message(10));
        from.messenger.send(message(10).hint(Hint.NONE));
        all.settle();
        assertThat(to.received).hasSize(3);
        assertThat(to.announced()).isEqualTo(2);
    }

    @Test
    void shouldNotGoOverToAMessageThatIsLikeIt() {
        final Message like =
                OperationAccess.like(new Message(), message(10).hint(Hint.NO_COPY), TestMessenger.DISPATCH);
        from.messenger.send(like.payload(from.source, 0, 10));
        all.settle();
        assertThat(to.announced()).isZero();
    }

    @Test
    void shouldRefuseToRecordAMessageThatMustNotBeCopied() {
        assertThatThrownBy(() -> from.context.record(
                        1,
                        Rounds.ORDERED_BY_CALLER,
                        () -> from.messenger.send(message(10).hint(Hint.NO_COPY))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot be replayed");
    }
}
