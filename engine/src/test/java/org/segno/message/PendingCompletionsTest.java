package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PendingCompletionsTest {
    private final PendingCompletions pending = new PendingCompletions();
    private final AtomicInteger runs = new AtomicInteger();

    private int fill() {
        int added = 0;
        while (pending.hasRoom()) {
            pending.add(failure -> runs.incrementAndGet(), null);
            added++;
        }
        return added;
    }

    @Test
    void shouldRunEachCompletionOnce() {
        assertThat(fill()).isEqualTo(PendingCompletions.CAPACITY);
        assertThat(pending.poll()).isEqualTo(PendingCompletions.CAPACITY);
        assertThat(pending.poll()).isZero();
        assertThat(runs).hasValue(PendingCompletions.CAPACITY);
    }

    /** A handler copies its message, then replies as often as there is room, and only then adds its completion. */
    @Test
    void shouldKeepTheReservedPlaceForTheMessageOfTheHandler() {
        assertThat(pending.reserve()).isTrue();
        assertThat(pending.reserve()).as("the same place").isTrue();
        assertThat(fill()).isEqualTo(PendingCompletions.CAPACITY - 1);

        pending.endReservation();
        pending.add(failure -> runs.incrementAndGet(), null);
        pending.poll();
        assertThat(runs).hasValue(PendingCompletions.CAPACITY);
    }

    @Test
    void shouldReserveNothingWithoutRoom() {
        fill();
        assertThat(pending.reserve()).isFalse();
        pending.poll();
        assertThat(pending.reserve()).isTrue();
    }
}
