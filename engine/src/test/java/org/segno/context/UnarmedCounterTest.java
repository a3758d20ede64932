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

/** Rounds that expect bytes at counters that are never armed and that no WAIT names, as those of an exchange do. */
class UnarmedCounterTest {
    private static final int BYTES = 3;

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

    private Pattern prepared(int copied) {
        return context.prepare(Rounds.ALTERNATE, () -> {
            ContextAccess.expectUnarmed(context, gate, BYTES);
            context.copy(window, 128, window, 512, copied);
        });
    }

    private void count(long round, int counts) {
        for (int i = 0; i < counts; i++) {
            engines.context(1).count(toGate.ofRound(round), -1);
        }
        engines.settle();
    }

    @Test
    void shouldBeCompleteWhenTheCounterHasFallenByTheBytesOfAllRounds() {
        final Pattern pattern = prepared(8);
        assertThat(pattern.descriptors()).as("the copy and the expectation").isEqualTo(2);
        for (long round = 1; round <= 9; round++) {
            window.buffer(0, 1024).putLong(128, round);
            assertThat(context.replay(pattern)).isEqualTo(round);
            count(round, BYTES - 1);
            assertThat(pattern.executedAcquire()).as("nothing holds it").isEqualTo(round);
            assertThat(window.buffer(0, 1024).getLong(512)).isEqualTo(round);
            assertThat(pattern.isComplete()).isFalse();
            assertThat(context.replay(pattern)).isEqualTo(Status.BUSY);
            final long last = round;
            assertThatThrownBy(() -> context.await(pattern, last, Deadline.in(1, TimeUnit.MILLISECONDS)))
                    .isInstanceOf(DeadlineException.class)
                    .hasMessageContaining("of " + gate + ", which misses 1 bytes; it admits rank 1");
            count(round, 1);
            assertThat(pattern.isComplete()).isTrue();
            context.await(pattern, round, Deadline.in(1, TimeUnit.MINUTES));
        }
        assertThat(gate.counter(1).valueAcquire()).as("of five rounds").isEqualTo(-5 * BYTES);
        assertThat(gate.counter(0).valueAcquire()).as("of four rounds").isEqualTo(-4 * BYTES);
    }

    @Test
    void shouldCountWhatArrivesBeforeItsRound() {
        final Pattern pattern = prepared(8);
        count(1, BYTES);
        assertThat(context.replay(pattern)).isEqualTo(1);
        count(2, BYTES - 1);
        assertThat(pattern.isComplete()).isTrue();
        assertThat(context.replay(pattern)).isEqualTo(2);
        engines.settle();
        assertThat(pattern.isComplete()).isFalse();
        count(2, 1);
        assertThat(pattern.isComplete()).isTrue();
    }

    @Test
    void shouldNotBeQueued() {
        final Pattern pattern = prepared(8);
        assertThat(context.replay(pattern)).isEqualTo(1);
        assertThatThrownBy(() -> context.queue(pattern))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("it expects bytes at " + gate + " and does not wait for them");
    }

    @Test
    void shouldBeReplacedByAnotherPatternOfItsPairThatIsPreparedBeforeItsFirstRound() {
        final Pattern first = prepared(8);
        final Pattern second = prepared(16);
        assertThat(first.isClosed()).isTrue();
        assertThat(context.replay(second)).isEqualTo(1);
        count(1, BYTES);
        assertThat(second.isComplete()).isTrue();
    }

    @Test
    void shouldNotShareItsPairWithAnotherPatternAfterItsFirstRound() {
        final Pattern first = prepared(8);
        context.replay(first);
        count(1, BYTES);
        assertThatThrownBy(() -> prepared(16))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("rounds of " + first + " have counted down " + gate
                        + ", which no other pattern can use then: close the exchange of this pair, and open it again");
        assertThat(context.replay(first)).as("it can still be used").isEqualTo(2);
        count(2, BYTES);
        first.close();
        assertThatThrownBy(() -> prepared(16))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("a pattern that is closed has counted down " + gate);
    }

    @Test
    void shouldBeExpectedOnceAndWithoutOtherExpectations() {
        assertThatThrownBy(() -> context.prepare(Rounds.ALTERNATE, () -> {
                    ContextAccess.expectUnarmed(context, gate, 1);
                    ContextAccess.expectUnarmed(context, gate, 1);
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("cannot be expected without ARMs in this recording: " + gate);
        assertThatThrownBy(() -> context.prepare(Rounds.ALTERNATE, () -> {
                    context.waitUntil(gate, 0);
                    ContextAccess.expectUnarmed(context, gate, 1);
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> context.prepare(Rounds.ALTERNATE, () -> {
                    context.expect(gate, 1);
                    ContextAccess.expectUnarmed(context, gate, 1);
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() ->
                        context.prepare(Rounds.ORDERED_BY_CALLER, () -> ContextAccess.expectUnarmed(context, gate, 1)))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(
                        () -> context.prepare(Rounds.ALTERNATE, () -> ContextAccess.expectUnarmed(context, gate, -1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () -> context.record(1, Rounds.ALTERNATE, () -> ContextAccess.expectUnarmed(context, gate, 1)))
                .isInstanceOf(IllegalStateException.class);
        assertThat(context.replay(prepared(8))).isEqualTo(1);
    }
}
