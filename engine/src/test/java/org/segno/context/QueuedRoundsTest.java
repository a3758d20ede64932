package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.dma.Reach;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.memory.Closing;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.Status;

/** Rounds of a pattern that are queued while the last one is in progress. */
@ParameterizedClass
@EnumSource(
        value = Reach.class,
        names = {"MAPPED", "LINKED"})
class QueuedRoundsTest {
    private static final int ID = 7;
    private static final int DONE = 512;

    @Parameter
    Reach reach = Reach.MAPPED;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Client client;
    private Context context;
    private Window window;
    private CounterPair gate;
    private Target toGate;
    private Window peerWindow;
    private ReceptionCounter peerCounter;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory,
                NodeSize.small()
                        .patternSlots(512)
                        .patterns(96)
                        .runSlots(128)
                        .counters(32)
                        .dimensions(),
                reach,
                EngineFixture.SMALL_LINK);
        client = engines.client(0);
        context = engines.context(0);
        window = client.window(1024);
        gate = client.counterPair(window, 0, 8, 0, 1);
        client.publish("gate", gate);
        toGate = new Target(0, gate.id(), gate.incarnation(), 0, true);
        peerWindow = engines.client(1).window(1024);
        peerCounter = engines.client(1).receptionCounter(peerWindow, 0, 1024);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private static long deadline() {
        return Deadline.in(10, TimeUnit.SECONDS);
    }

    private static long soon() {
        return Deadline.in(5, TimeUnit.MILLISECONDS);
    }

    /** A round that waits for a count of rank 1, and then copies the word at 256 to the word at 512. */
    private void body() {
        context.expect(gate, 1);
        context.waitUntil(gate, 0);
        context.copy(window, 256, window, DONE, 8);
    }

    private Pattern prepared() {
        return context.prepare(Rounds.ALTERNATE, this::body);
    }

    /** Lets a round pass its gate. */
    private void open(long round) {
        engines.context(1).count(toGate.ofRound(round), -1);
        engines.settle();
    }

    @Test
    void shouldBeginWhenItsPredecessorIsExecuted() {
        final Pattern pattern = prepared();
        assertThat(context.queue(pattern)).as("nothing is in progress").isEqualTo(1);
        engines.settle();
        assertThat(context.queue(pattern)).isEqualTo(2);
        assertThat(context.queue(pattern)).as("two are in progress").isEqualTo(Status.BUSY);
        assertThat(context.replay(pattern)).isEqualTo(Status.BUSY);
        engines.settle();
        assertThat(pattern.generation()).isEqualTo(2);
        assertThat(gate.counter(0).valueAcquire()).as("round 2 has not armed").isZero();
        assertThat(gate.counter(1).valueAcquire()).isEqualTo(1);

        // The count for round 2 arrives first: it must not let round 1 pass.
        open(2);
        assertThat(pattern.executedAcquire()).isZero();
        open(1);
        assertThat(pattern.executedAcquire()).isEqualTo(2);
        assertThat(pattern.isComplete()).isTrue();
        assertThat(gate.counter(0).valueAcquire()).isZero();
        assertThat(context.isDrained()).isTrue();
    }

    @Test
    void shouldLetOtherRunsPassWhileItWaits() {
        final Pattern pattern = prepared();
        final Pattern other = context.prepare(Rounds.ALTERNATE, () -> context.copy(window, 264, window, 520, 8));
        context.queue(pattern);
        context.queue(pattern);
        window.buffer().putLong(264, 5);
        assertThat(context.replay(other)).isEqualTo(1);
        engines.settle();
        assertThat(other.isComplete()).isTrue();
        assertThat(window.buffer().getLong(520)).isEqualTo(5);
        assertThat(context.isDrained()).as("rounds are held").isFalse();
        open(1);
        open(2);
        context.fence(deadline());
    }

    @Test
    void shouldAwaitEachRoundByItsOwnCounters() {
        final Pattern pattern = prepared();
        context.queue(pattern);
        context.queue(pattern);
        engines.settle();
        assertThatThrownBy(() -> context.await(pattern, 1, soon()))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("round 1 of pattern")
                .hasMessageContaining("a WAIT holds it");
        assertThatThrownBy(() -> context.await(pattern, 2, soon()))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("round 2 of pattern")
                .hasMessageContaining("queued behind round 1")
                .hasMessageContaining("a WAIT holds it");
        assertThatThrownBy(() -> context.await(pattern, 3, soon())).isInstanceOf(IllegalArgumentException.class);
        open(1);
        // Round 2 is in progress, and its counter is above zero.
        assertThat(gate.counter(2).valueAcquire()).isEqualTo(1);
        context.await(pattern, 1, deadline());
        assertThatThrownBy(() -> context.await(pattern, 2, soon())).hasMessageNotContaining("queued");
        assertThat(context.queue(pattern)).isEqualTo(3);
        open(2);
        open(3);
        context.await(pattern, 3, deadline());
    }

    @Test
    void shouldQueueBehindARecording() {
        final Pattern pattern = context.record(ID, Rounds.ALTERNATE, this::body);
        assertThat(context.queue(pattern)).isEqualTo(2);
        engines.settle();
        assertThat(gate.counter(2).valueAcquire()).isZero();
        open(1);
        assertThat(pattern.executedAcquire()).isEqualTo(1);
        assertThat(gate.counter(2).valueAcquire()).isEqualTo(1);
        assertThatThrownBy(() -> context.record(ID, Rounds.ALTERNATE, this::body))
                .hasMessageContaining("is still running");
        open(2);
        assertThat(context.record(ID, Rounds.ALTERNATE, this::body).generation())
                .isEqualTo(3);
        open(3);
    }

    @Test
    void shouldFollowRoundsThatWereSentInAnotherWay() {
        final Pattern pattern = prepared();
        assertThat(context.replay(pattern, 4)).isEqualTo(4);
        assertThat(context.queue(pattern)).isEqualTo(5);
        engines.settle();
        assertThat(gate.counter(5).valueAcquire()).isZero();
        open(4);
        assertThat(pattern.executedAcquire()).isEqualTo(4);
        open(5);
        assertThat(pattern.executedAcquire()).isEqualTo(5);
        assertThat(context.replay(pattern, 8)).isEqualTo(8);
        assertThat(context.queue(pattern)).isEqualTo(9);
        open(8);
        open(9);
        assertThat(pattern.isComplete()).isTrue();
    }

    @Test
    void shouldFollowAFailedRecordingOfItsId() {
        final Pattern pattern = context.record(ID, Rounds.ALTERNATE, this::body);
        open(1);
        assertThatThrownBy(() -> context.record(ID, Rounds.ALTERNATE, () -> {
                    context.copy(window, 0, window, 64, 8);
                    throw new IllegalStateException("wrong");
                }))
                .hasMessage("wrong");
        assertThat(pattern.generation()).as("the failed round counts").isEqualTo(2);
        assertThat(context.queue(pattern)).isEqualTo(3);
        engines.settle();
        assertThat(gate.counter(3).valueAcquire()).as("begun").isEqualTo(1);
        assertThat(context.queue(pattern)).isEqualTo(4);
        open(3);
        open(4);
        assertThat(pattern.executedAcquire()).isEqualTo(4);
    }

    @Test
    void shouldRefuseAPatternThatDoesNotWaitForAllThatItExpects() {
        final CounterPair data = client.counterPair(window, 64, 128, 64);
        final InjectionCounter read = client.injectionCounter();
        assertRefused(
                () -> {
                    context.expect(gate, 1);
                    context.expect(data, 8);
                    context.waitUntil(gate, 0);
                },
                data.toString());
        assertRefused(
                () -> {
                    context.expect(data, 8);
                    context.waitUntil(data, 4);
                },
                data.toString());
        assertRefused(() -> context.expect(read, 8), read.toString());
    }

    private void assertRefused(Runnable body, String counter) {
        final Pattern pattern = context.prepare(Rounds.ALTERNATE, body);
        assertThatThrownBy(() -> context.queue(pattern))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot be queued: it expects bytes at " + counter)
                .hasMessageContaining("record waitUntil for " + counter);
        assertThat(pattern.generation()).isZero();
    }

    @Test
    void shouldRefuseARecordingThatWaitsBeforeItExpects() {
        final Pattern pattern = context.record(ID, Rounds.ALTERNATE, () -> {
            context.waitUntil(gate, 0);
            context.expect(gate, 1);
        });
        assertThatThrownBy(() -> context.queue(pattern)).hasMessageContaining("after its last expectation");
        open(1);
    }

    @Test
    void shouldRefuseRoundsThatTheCallerOrders() {
        final ReceptionCounter counter = client.receptionCounter(window, 64, 8);
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            context.expect(counter, 8);
            context.waitUntil(counter, 0);
        });
        assertThatThrownBy(() -> context.queue(pattern))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Rounds.ORDERED_BY_CALLER")
                .hasMessageContaining("Rounds.ALTERNATE");
    }

    @Test
    void shouldRefuseInARecordingAndAfterClosing() {
        final Pattern pattern = prepared();
        assertThatThrownBy(() -> context.record(ID, Rounds.ALTERNATE, () -> context.queue(pattern)))
                .hasMessageContaining("inside record");
        pattern.close();
        assertThatThrownBy(() -> context.queue(pattern)).hasMessageContaining("is closed");
        assertThatThrownBy(() -> engines.context(1).queue(pattern)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldCompleteQueuedRoundsOfAClosedPattern() {
        final int free = context.patterns().free();
        final Pattern pattern = prepared();
        context.queue(pattern);
        context.queue(pattern);
        window.buffer().putLong(256, 9);
        pattern.close();
        final Closing closing = client.close(gate);
        open(1);
        assertThat(closing.isDone()).as("round 2 needs the counters").isFalse();
        assertThat(context.patterns().free()).as("round 2 needs the section").isLessThan(free);
        open(2);
        assertThat(window.buffer().getLong(DONE)).isEqualTo(9);
        assertThat(context.patterns().free()).isEqualTo(free);
        assertThat(pattern.executedAcquire()).isEqualTo(2);
        for (int i = 0; i < 100 && !closing.isDone(); i++) {
            engines.settle();
        }
        assertThat(closing.isDone()).isTrue();
    }

    @Test
    void shouldSetAsideSixtyFourRoundsQueuedOnesIncluded() {
        final List<Pattern> patterns = new ArrayList<>();
        for (int i = 0; i <= FifoMetadata.MAX_HELD_RUNS / 2; i++) {
            patterns.add(prepared());
        }
        for (int i = 0; i < FifoMetadata.MAX_HELD_RUNS / 2; i++) {
            assertThat(context.queue(patterns.get(i))).isEqualTo(1);
            assertThat(context.queue(patterns.get(i))).isEqualTo(2);
        }
        engines.settle();
        final Pattern last = patterns.get(patterns.size() - 1);
        assertThat(context.queue(last)).isEqualTo(Status.BACK_PRESSURED);
        final Pattern other = context.prepare(Rounds.ALTERNATE, () -> context.copy(window, 0, window, 64, 8));
        assertThat(context.replay(other)).isEqualTo(1);
        engines.settle();
        assertThat(other.isComplete()).as("another run").isTrue();
        for (int i = 0; i < FifoMetadata.MAX_HELD_RUNS / 2; i++) {
            engines.context(1).count(toGate.ofRound(1), -1);
            engines.context(1).count(toGate.ofRound(2), -1);
            engines.settle();
        }
        for (int i = 0; i < FifoMetadata.MAX_HELD_RUNS / 2; i++) {
            assertThat(patterns.get(i).executedAcquire()).isEqualTo(2);
        }
        assertThat(context.queue(last)).isEqualTo(1);
        open(1);
        assertThat(last.isComplete()).isTrue();
    }

    @Test
    void shouldBeBackPressuredWhileTheRunRingIsFull() {
        final List<Pattern> patterns = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            patterns.add(context.prepare(Rounds.ALTERNATE, () -> context.copy(window, 0, window, 64, 8)));
            assertThat(context.replay(patterns.get(i))).isEqualTo(1);
        }
        for (int i = 0; i < 64; i++) {
            assertThat(context.queue(patterns.get(i))).isEqualTo(2);
        }
        final Pattern one = prepared();
        assertThat(context.queue(one)).isEqualTo(Status.BACK_PRESSURED);
        assertThat(one.generation()).isZero();
        engines.settle();
        assertThat(context.queue(one)).isEqualTo(1);
        open(1);
    }

    @Test
    void shouldFailBothRoundsWhenTheirSenderDies() {
        final Pattern pattern = prepared();
        context.queue(pattern);
        context.queue(pattern);
        engines.settle();
        engines.states(0).change(1, PeerStates.DEAD);
        for (long round = 1; round <= 2; round++) {
            final long awaited = round;
            assertThatThrownBy(() -> context.await(pattern, awaited, deadline()))
                    .isInstanceOf(PeerFailedException.class)
                    .hasMessageContaining("rank 1 has died; waiting for round " + round);
        }
        assertThatThrownBy(() -> context.queue(pattern)).isInstanceOf(PeerFailedException.class);
    }

    @Test
    void shouldCarryOutNothingOfARoundBehindOneThatWasGivenUp() {
        final Pattern pattern = context.prepare(Rounds.ALTERNATE, () -> {
            context.expect(gate, 1);
            context.copy(window, 256, window, DONE, 8);
            context.waitUntil(gate, 0);
        });
        window.putLong(256, 5);
        context.queue(pattern);
        context.queue(pattern);
        engines.settle();
        assertThat(window.getLong(DONE)).isEqualTo(5);
        window.putLong(DONE, 0);
        engines.states(0).change(1, PeerStates.DEAD);
        engines.settle();
        assertThat(pattern.executedAcquire()).isEqualTo(2);
        assertThat(window.getLong(DONE)).isZero();
        assertThatThrownBy(() -> context.await(pattern, 2, deadline())).isInstanceOf(PeerFailedException.class);
    }

    @Test
    void shouldStartNothingAfterARoundThatFailed() {
        assumeTrue(reach == Reach.MAPPED, "behaviour 50 of the contract differs over links");
        final CounterPair closing = engines.client(1).counterPair(peerWindow, 0, 8, 8);
        final Target target = new Target(1, closing.id(), closing.incarnation(), 8, true);
        final Pattern pattern = context.prepare(Rounds.ALTERNATE, () -> {
            context.put(target, 0, window, 0, 8);
            body();
        });
        engines.client(1).close(closing);
        context.queue(pattern);
        context.queue(pattern);
        open(1);
        open(2);
        assertThat(pattern.errorAcquire()).isNotZero();
        assertThatThrownBy(() -> context.queue(pattern)).hasMessageContaining("is stale");
        assertThatThrownBy(() -> context.await(pattern, 2, deadline())).hasMessageContaining("is stale");
        assertThat(peerCounter.valueAcquire()).isZero();
    }
}
