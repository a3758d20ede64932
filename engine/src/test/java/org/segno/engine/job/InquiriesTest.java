package org.segno.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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

    /** Requests a number of rank 1, which has replied to the last request. */
    private Inquiries.Request request(long key) {
        return Objects.requireNonNull(ranks.get(0).request(1, key));
    }

    @Test
    void shouldAnswerWithTheNumberOfTheTimeOfTheAnswer() {
        final long[] number = {1};
        final LongSupplier offered = () -> number[0];
        ranks.get(1).offer(KEY, offered);
        final Inquiries.Request request = request(KEY);
        assertThat(request.hasReply()).isFalse();
        assertThat(request.reply()).isEqualTo(Inquiries.UNKNOWN);
        number[0] = 2;
        deliver();
        number[0] = 3;
        assertThat(request.hasReply()).isTrue();
        assertThat(request.reply()).isEqualTo(2);
        assertThat(offered.getAsLong()).isEqualTo(3);
    }

    @Test
    void shouldAskARankOneQuestionAtATime() {
        final LongSupplier offered = () -> 4;
        ranks.get(1).offer(KEY, offered);
        final Inquiries.Request first = request(KEY);
        assertThat(ranks.get(0).request(1, KEY)).isNull();
        assertThat(ranks.get(0).request(1, KEY + 1)).isNull();
        assertThat(letters).hasSize(1);
        deliver();
        assertThat(request(KEY + 1).hasReply()).isFalse();
        assertThat(first.reply()).isEqualTo(offered.getAsLong());
    }

    @Test
    void shouldAnswerThatANumberIsNotKnownOrNotAnyMore() {
        final LongSupplier offered = () -> 1;
        ranks.get(1).offer(KEY, offered);
        ranks.get(1).withdraw(KEY);
        for (final long key : new long[] {KEY, KEY + 1}) {
            final Inquiries.Request request = request(key);
            deliver();
            assertThat(request.hasReply()).isTrue();
            assertThat(request.reply()).isEqualTo(Inquiries.UNKNOWN);
        }
        assertThat(offered.getAsLong()).isEqualTo(1);
    }

    @Test
    void shouldIgnoreAnswersThatNobodyAwaitsAndLeaveTheLettersOfTransports() {
        assertThat(ranks.get(0).received(1, -2, KEY, 1)).isTrue();
        final Inquiries.Request request = request(KEY);
        assertThat(ranks.get(0).received(1, -2, KEY + 1, 1)).isTrue();
        assertThat(request.hasReply()).isFalse();
        assertThat(ranks.get(0).received(1, 0, KEY, 1)).isFalse();
        assertThat(ranks.get(0).received(1, 63, KEY, 1)).isFalse();
    }
}
