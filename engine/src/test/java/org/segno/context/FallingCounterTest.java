package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.Status;

/** Rounds that wait for counters that are never armed, as those of collectives do. */
class FallingCounterTest {
    private static final int DONE = 512;

    /** More visits than a run that is alone stays at its WAIT. */
    private static final int VISITS = 40;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context context;
    private Window window;
    private CounterPair gate;
    private Target toGate;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().patternSlots(512).counters(32).dimensions());
        context = engines.context(0);
        window = engines.client(0).window(1024);
        gate = engines.client(0).counterPair(window, 0, 8, 0, 1);
        engines.client(0).publish("gate", gate);
        toGate = new Target(0, gate.id(), gate.incarnation(), 0, true);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    /** A round that waits for three counts of rank 1, for the first of them before all, and then copies. */
    private Pattern prepared() {
        return context.prepare(Rounds.ALTERNATE, () -> {
            ContextAccess.expectCumulative(context, gate, 3);
            context.waitUntil(gate, 2);
            context.copy(window, 128, window, DONE - 8, 8);
            context.waitUntil(gate, 0);
            context.copy(window, 256, window, DONE, 8);
        });
    }

    private void count(long round, int counts) {
        for (int i = 0; i < counts; i++) {
            engines.context(1).count(toGate.ofRound(round), -1);
        }
        engines.settle();
    }

    private void pass(int passes) {
        for (int i = 0; i < passes; i++) {
            context.advance();
        }
    }

    @Test
    void shouldWaitForTheCountsOfEachRound() {
        final Pattern pattern = prepared();
        for (long round = 1; round <= 9; round++) {
            window.buffer(0, 1024).putLong(128, round);
            window.buffer(0, 1024).putLong(256, -round);
            assertThat(context.replay(pattern)).isEqualTo(round);
            engines.settle();
            assertThat(window.buffer(0, 1024).getLong(DONE - 8))
                    .as("none has arrived")
                    .isEqualTo(round - 1);
            count(round, 1);
            assertThat(window.buffer(0, 1024).getLong(DONE - 8)).isEqualTo(round);
            count(round, 1);
            assertThat(pattern.executedAcquire()).isEqualTo(round - 1);
            assertThatThrownBy(
                            () -> context.await(pattern, pattern.generation(), Deadline.in(1, TimeUnit.MILLISECONDS)))
                    .isInstanceOf(DeadlineException.class)
                    .hasMessageContaining("which misses 1 bytes; it admits rank 1");
            count(round, 1);
            assertThat(pattern.isComplete()).isTrue();
            assertThat(window.buffer(0, 1024).getLong(DONE)).isEqualTo(-round);
        }
        assertThat(gate.counter(1).valueAcquire()).as("of five rounds").isEqualTo(-15);
        assertThat(gate.counter(0).valueAcquire()).as("of four rounds").isEqualTo(-12);
    }

    @Test
    void shouldNotTakeTheCountsOfTheNextRound() {
        final Pattern pattern = prepared();
        context.replay(pattern);
        count(2, 3);
        assertThat(pattern.executedAcquire()).isZero();
        count(1, 3);
        assertThat(pattern.executedAcquire()).isEqualTo(1);
        context.replay(pattern);
        engines.settle();
        assertThat(pattern.executedAcquire())
                .as("its counts arrived before it began")
                .isEqualTo(2);
    }

    @Test
    void shouldCompleteAtOnceIfTheCountsHaveArrivedBefore() {
        final Pattern pattern = prepared();
        count(1, 3);
        context.replay(pattern);
        engines.settle();
        assertThat(pattern.executedAcquire()).isEqualTo(1);
        count(2, 3);
        context.queue(pattern);
        engines.settle();
        assertThat(pattern.executedAcquire()).isEqualTo(2);
    }

    @Test
    void shouldLetTheNextRunPassWhetherItStaysOrIsSetAside() {
        final Pattern pattern = prepared();
        final Pattern other = context.prepare(Rounds.ALTERNATE, () -> context.copy(window, 264, window, 520, 8));
        for (long round = 1; round <= 4; round++) {
            context.replay(pattern);
            // In turn it still stays at its WAIT, and it was set aside, when the other one comes.
            pass(round % 2 == 0 ? VISITS : 1);
            context.replay(other);
            pass(1);
            assertThat(other.executedAcquire()).isEqualTo(round);
            assertThat(pattern.executedAcquire()).isEqualTo(round - 1);
            count(round, 3);
            pass(1);
            assertThat(pattern.executedAcquire()).isEqualTo(round);
            assertThat(context.isDrained()).isTrue();
        }
    }

    @Test
    void shouldBeQueuedAsOtherRounds() {
        final Pattern pattern = prepared();
        context.replay(pattern);
        pass(VISITS);
        assertThat(context.queue(pattern)).isEqualTo(2);
        assertThat(context.queue(pattern)).isEqualTo(Status.BUSY);
        count(2, 3);
        assertThat(pattern.executedAcquire()).isZero();
        count(1, 3);
        pass(2);
        assertThat(pattern.executedAcquire()).isEqualTo(2);
    }

    @Test
    void shouldBeExpectedOnceAndBeforeTheFirstWait() {
        assertThatThrownBy(() -> context.prepare(Rounds.ALTERNATE, () -> {
                    ContextAccess.expectCumulative(context, gate, 1);
                    ContextAccess.expectCumulative(context, gate, 1);
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("cannot be awaited without ARMs in this recording: " + gate);
        assertThatThrownBy(() -> context.prepare(Rounds.ALTERNATE, () -> {
                    context.waitUntil(gate, 0);
                    ContextAccess.expectCumulative(context, gate, 1);
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> context.prepare(Rounds.ALTERNATE, () -> {
                    context.expect(gate, 1);
                    ContextAccess.expectCumulative(context, gate, 1);
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() ->
                        context.record(1, Rounds.ALTERNATE, () -> ContextAccess.expectCumulative(context, gate, 1)))
                .isInstanceOf(IllegalStateException.class);
        assertThat(context.replay(prepared())).isEqualTo(1);
    }
}
