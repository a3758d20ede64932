package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TurnTest {
    private static final int PASSES = 200_000;

    private final Turn turn = new Turn();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger encounters = new AtomicInteger();

    @Test
    void shouldOweAPassToAThreadThatFoundItTaken() {
        assertThat(turn.tryBegin()).isTrue();
        assertThat(turn.tryBegin()).isFalse();
        assertThat(turn.tryBegin()).isFalse();
        assertThat(turn.tryEnd()).isFalse();
        assertThat(turn.tryBegin()).as("the turn goes on").isFalse();
        assertThat(turn.tryEnd()).isFalse();
        assertThat(turn.tryEnd()).isTrue();
        turn.begin();
        assertThat(turn.tryEnd()).isTrue();
    }

    @Test
    void shouldLetOneThreadRunAtATime() throws InterruptedException {
        final Thread other = new Thread(this::runOften);
        other.start();
        runOften();
        other.join();
        assertThat(running).hasValue(0);
        assertThat(encounters).hasValue(0);
        assertThat(turn.tryBegin()).as("nobody has it").isTrue();
    }

    private void runOften() {
        for (int i = 0; i < PASSES; i++) {
            if (turn.tryBegin()) {
                pass();
                while (!turn.tryEnd()) {
                    pass();
                }
            }
        }
    }

    private void pass() {
        if (running.incrementAndGet() != 1) {
            encounters.incrementAndGet();
        }
        running.decrementAndGet();
    }
}
