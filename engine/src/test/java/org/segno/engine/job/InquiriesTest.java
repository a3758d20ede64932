package org.segno.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Requests and replies of two ranks, whose letters wait until they are delivered. */
class InquiriesTest {
    private static final long KEY = -7L << 32 | 5;

    private final Queue<Runnable> letters = new ArrayDeque<>();
    private final List<Inquiries> ranks = new ArrayList<>();

    InquiriesTest() {
        for (int rank = 0; rank < 2; rank++) {
            final int from = rank;
            ranks.add(new Inquiries((to, word, second, third) ->
                    letters.add(() -> assertThat(ranks.get(to).received(from, word, second, third))
                            .isTrue())));
        }
    }

    private void deliver() {
        while (!letters.isEmpty()) {
            letters.remove().run();
        }
    }

    @Test
    void shouldAnswerWithTheNumberOfTheTimeOfTheAnswer() {
        final long[] number = {1};
        final LongSupplier offered = () -> number[0];
        ranks.get(1).offer(KEY, offered);
        assertThat(ranks.get(0).request(1, KEY)).isTrue();
        assertThat(ranks.get(0).hasReply(1)).isFalse();
        number[0] = 2;
        deliver();
        number[0] = 3;
        assertThat(ranks.get(0).hasReply(1)).isTrue();
        assertThat(ranks.get(0).reply(1, KEY)).isEqualTo(2);
        assertThat(ranks.get(0).reply(1, KEY + 1)).isEqualTo(Inquiries.UNKNOWN);
        assertThat(offered.getAsLong()).isEqualTo(3);
    }

    @Test
    void shouldAskARankOneQuestionAtATime() {
        assertThat(ranks.get(0).request(1, KEY)).isTrue();
        assertThat(ranks.get(0).request(1, KEY)).isFalse();
        assertThat(ranks.get(0).request(1, KEY + 1)).isFalse();
        assertThat(letters).hasSize(1);
        deliver();
        assertThat(ranks.get(0).request(1, KEY)).isTrue();
    }

    @Test
    void shouldAnswerThatANumberIsNotKnownOrNotAnyMore() {
        final LongSupplier offered = () -> 1;
        ranks.get(1).offer(KEY, offered);
        ranks.get(1).withdraw(KEY);
        for (final long key : new long[] {KEY, KEY + 1}) {
            assertThat(ranks.get(0).request(1, key)).isTrue();
            deliver();
            assertThat(ranks.get(0).hasReply(1)).isTrue();
            assertThat(ranks.get(0).reply(1, key)).isEqualTo(Inquiries.UNKNOWN);
        }
        assertThat(offered.getAsLong()).isEqualTo(1);
    }

    @Test
    void shouldIgnoreAnswersThatNobodyAwaitsAndLeaveTheLettersOfTransports() {
        assertThat(ranks.get(0).received(1, -2, KEY, 1)).isTrue();
        assertThat(ranks.get(0).request(1, KEY)).isTrue();
        assertThat(ranks.get(0).received(1, -2, KEY + 1, 1)).isTrue();
        assertThat(ranks.get(0).hasReply(1)).isFalse();
        assertThat(ranks.get(0).received(1, 0, KEY, 1)).isFalse();
        assertThat(ranks.get(0).received(1, 63, KEY, 1)).isFalse();
    }
}
