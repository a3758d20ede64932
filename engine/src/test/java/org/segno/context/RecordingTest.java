package org.segno.context;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.metrics.Metric;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.Status;

/** Recording and replay on rank 0, of messages to rank 1 and to itself. */
class RecordingTest {
    private static final int SLOTS = 16;
    private static final int PATTERNS = 4;
    private static final int ID = 7;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context context;
    private Window window;
    private Window peerWindow;
    private ReceptionCounter single;
    private ReceptionCounter peerSingle;
    private CounterPair pair;
    private CounterPair peerPair;
    private Target toSingle;
    private Target toPair;
    private Target toSelf;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory,
                NodeSize.small()
                        .patternSlots(SLOTS)
                        .patterns(PATTERNS)
                        .runSlots(2)
                        .fifoSlots(4)
                        .dimensions());
        context = engines.context(0);
        window = engines.client(0).window(1024);
        peerWindow = engines.client(1).window(1024);
        single = engines.client(0).receptionCounter(window, 256, 64);
        pair = engines.client(0).counterPair(window, 512, 768, 64);
        peerSingle = engines.client(1).receptionCounter(peerWindow, 256, 64);
        peerPair = engines.client(1).counterPair(peerWindow, 512, 768, 64);
        engines.client(1).publish("single", peerSingle);
        engines.client(1).publish("pair", peerPair);
        engines.client(0).publish("self", pair);
        toSingle = context.attach(1, "single", deadline());
        toPair = context.attach(1, "pair", deadline());
        toSelf = context.attach(0, "self", deadline());
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private static long deadline() {
        return Deadline.in(10, SECONDS);
    }

    private Pattern recordOne() {
        return context.record(ID, Rounds.ALTERNATE, () -> context.put(toPair, 0, window, 0, 8));
    }

    private int free() {
        return context.patterns().free();
    }

    @Test
    void shouldSendMessagesWhenRecordedAndAgainWhenReplayed() {
        window.buffer().putLong(0, 11);
        final Pattern pattern = recordOne();
        assertThat(pattern.generation()).isEqualTo(1);
        assertThat(pattern.descriptors()).isEqualTo(1);
        assertThat(pattern.id()).isEqualTo(ID);
        assertThat(context.pattern(ID)).isSameAs(pattern);
        context.await(pattern, 1, deadline());
        assertThat(peerWindow.buffer().getLong(768))
                .as("generation 1 uses the odd set")
                .isEqualTo(11);
        assertThat(peerPair.counter(1).valueAcquire()).isEqualTo(-8);

        window.buffer().putLong(0, 12);
        assertThat(context.replay(pattern)).isEqualTo(2);
        context.await(pattern, 2, deadline());
        assertThat(peerWindow.buffer().getLong(512)).isEqualTo(12);
        assertThat(peerWindow.buffer().getLong(768)).isEqualTo(11);
        assertThat(peerPair.counter(0).valueAcquire()).isEqualTo(-8);
        assertThat(engines.metrics(0).get(Metric.REPLAYS)).isEqualTo(1);
    }

    @Test
    void shouldAwaitOnlyRoundsThatWereStarted() {
        final Pattern first = recordOne();
        context.await(first, first.generation(), deadline());
        assertThat(context.replay(first)).isEqualTo(2);
        context.await(first, 2, deadline());
        final Pattern second = recordOne();
        assertThat(second.generation())
                .as("an existing id, recorded again, continues its count")
                .isEqualTo(3);
        context.await(second, second.generation(), deadline());
        context.await(second, 1, deadline());
        for (final long never : new long[] {Long.MIN_VALUE, -1, 0, 4, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> context.await(second, never, deadline()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("1 to 3: generation=" + never, "pattern " + ID);
        }
    }

    @Test
    void shouldStayClosedWhenItIsClosedInsideARecording() {
        assertThatThrownBy(() -> context.record(ID, Rounds.ALTERNATE, () -> {
                    context.put(toPair, 0, window, 0, 8);
                    context.close("the reason");
                    context.put(toPair, 8, window, 0, 8);
                }))
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("the reason");
        assertThatThrownBy(() -> context.put(toPair, 0, window, 0, 8)).isInstanceOf(ClosedException.class);
        assertThat(context.pattern(ID)).isNull();
    }

    /** Shows the hazard that {@link Rounds#ALTERNATE} documents, and its remedy. */
    @Test
    void shouldHoldASenderToOneRoundAheadOnlyWhereItsReceiverReplies() {
        window.buffer().putLong(0, 1);
        final Pattern oneWay = recordOne();
        engines.settle();
        for (long round = 2; round <= 3; round++) {
            window.buffer().putLong(0, round);
            assertThat(context.replay(oneWay)).isEqualTo(round);
            engines.settle();
        }
        peerPair.counter(1).expect(8);
        assertThat(peerPair.counter(1).valueAcquire()).isEqualTo(-8);
        assertThat(peerWindow.buffer().getLong(768)).as("of round 1").isEqualTo(3);

        final Target back = engines.context(1).attach(0, "self", deadline());
        final Pattern replied = context.record(ID + 1, Rounds.ALTERNATE, () -> {
            context.expect(pair, 1);
            context.put(toPair, 0, window, 0, 8);
        });
        engines.settle();
        assertThat(context.replay(replied)).isEqualTo(Status.BUSY);
        engines.context(1).record(ID, Rounds.ALTERNATE, () -> engines.context(1).count(back, -1));
        engines.settle();
        assertThat(context.replay(replied)).isEqualTo(2);
        engines.settle();
        assertThat(context.replay(replied)).isEqualTo(Status.BUSY);
    }

    @Test
    void shouldSendWhileItRecordsNotOnlyAtItsEnd() {
        context.record(ID, Rounds.ALTERNATE, () -> {
            context.put(toPair, 0, window, 0, 8);
            engines.pass(0);
            assertThat(peerPair.counter(1).valueAcquire()).isEqualTo(-8);
            // An advance inside record executes it too.
            context.put(toPair, 8, window, 0, 8);
            context.advance();
            assertThat(peerPair.counter(1).valueAcquire()).isEqualTo(-16);
            context.put(toPair, 16, window, 0, 8);
        });
        context.advance();
        assertThat(peerPair.counter(1).valueAcquire()).isEqualTo(-24);
    }

    @Test
    void shouldArmItsCountersInEveryRound() {
        final InjectionCounter injected = engines.client(0).injectionCounter();
        final Pattern pattern = context.record(ID, Rounds.ALTERNATE, () -> {
            context.expect(pair, 16);
            context.expect(injected, 16);
            context.put(toSelf, 0, window, 0, 8, injected);
            context.put(toSelf, 8, window, 8, 8, injected);
        });
        assertThat(pattern.descriptors()).isEqualTo(4);
        for (long round = 1; round <= 50; round++) {
            if (round > 1) {
                window.buffer().putLong(8, round);
                assertThat(context.replay(pattern)).isEqualTo(round);
            }
            context.await(pattern, round, deadline());
            context.await(injected, deadline());
            assertThat(pair.counter(0).valueAcquire()).isZero();
            assertThat(pair.counter(1).valueAcquire()).isZero();
            assertThat(injected.valueAcquire()).isZero();
            assertThat(window.buffer().getLong((int) pair.offset(round) + 8)).isEqualTo(round > 1 ? round : 0);
        }
    }

    @Test
    void shouldBeBusyWhileTheLastRoundIsIncomplete() {
        final Pattern pattern = context.record(ID, Rounds.ALTERNATE, () -> {
            context.expect(pair, 8);
            context.put(toPair, 0, window, 0, 8);
        });
        assertThat(context.replay(pattern)).as("not executed").isEqualTo(Status.BUSY);
        engines.settle();
        assertThat(pattern.executedAcquire()).isEqualTo(1);
        assertThat(pattern.isComplete()).isFalse();
        assertThat(context.replay(pattern)).as("not arrived").isEqualTo(Status.BUSY);
        assertThatThrownBy(() -> context.await(pattern, 1, Deadline.in(5, MILLISECONDS)))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("round 1 of pattern 7")
                .hasMessageContaining("misses 8 bytes");

        engines.context(1).put(new Target(0, pair.id() + 1, 1, 64, false), 0, peerWindow, 0, 8);
        engines.settle();
        assertThat(context.replay(pattern)).isEqualTo(2);
        assertThat(context.replay(pattern)).isEqualTo(Status.BUSY);
    }

    @Test
    void shouldBeBackPressuredWhileTheRunRingIsFull() {
        final Pattern[] patterns = new Pattern[3];
        for (int i = 0; i < patterns.length; i++) {
            patterns[i] = context.record(i, Rounds.ALTERNATE, () -> context.put(toPair, 0, window, 0, 8));
            engines.settle();
        }
        assertThat(context.replay(patterns[0])).isEqualTo(2);
        assertThat(context.replay(patterns[1])).isEqualTo(2);
        assertThat(context.replay(patterns[2])).isEqualTo(Status.BACK_PRESSURED);
        assertThat(patterns[2].generation()).isEqualTo(1);
        engines.settle();
        assertThat(context.replay(patterns[2])).isEqualTo(2);
        engines.settle();
        assertThat(peerPair.counter(0).valueAcquire()).isEqualTo(-24);
        assertThat(peerPair.counter(1).valueAcquire()).isEqualTo(-24);
    }

    @Test
    void shouldRerecordUnderTheSameIdAndContinueTheCount() {
        final Pattern first = recordOne();
        context.await(first, 1, deadline());
        context.replay(first);
        context.await(first, 2, deadline());
        final Pattern second = context.record(ID, Rounds.ALTERNATE, () -> {
            context.put(toPair, 0, window, 0, 8);
            context.put(toPair, 8, window, 0, 8);
        });
        assertThat(second.generation()).isEqualTo(3);
        assertThat(first.isClosed()).isTrue();
        assertThatThrownBy(() -> context.replay(first))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was replaced");
        context.await(second, 3, deadline());
        assertThat(context.replay(second)).isEqualTo(4);
        engines.settle();
        context.await(first, 2, deadline());
        assertThat(peerPair.counter(0).valueAcquire()).isEqualTo(-8 - 16);
        assertThat(peerPair.counter(1).valueAcquire()).isEqualTo(-8 - 16);
        assertThat(free()).isEqualTo(SLOTS - 2);
        first.close();
        assertThat(free()).isEqualTo(SLOTS - 2);
    }

    @Test
    void shouldNotBeRerecordedWhileItsLastRoundIsIncomplete() {
        final Pattern pattern = context.record(ID, Rounds.ALTERNATE, () -> {
            context.expect(pair, 8);
            context.put(toPair, 0, window, 0, 8);
        });
        final ThrowingCallable again = this::recordOne;
        assertRefused(again, "still running");
        engines.settle();
        assertRefused(again, "still running");
        engines.context(1).put(new Target(0, pair.id() + 1, 1, 64, false), 0, peerWindow, 0, 8);
        engines.settle();
        assertThat(recordOne().generation()).isEqualTo(pattern.generation() + 1);
    }

    @Test
    void shouldFinishQueuedRunsWhenClosedAndThenGiveItsSectionBack() {
        final Pattern pattern = recordOne();
        engines.settle();
        context.replay(pattern);
        pattern.close();
        pattern.close();
        assertThat(pattern.isClosed()).isTrue();
        assertThatThrownBy(() -> context.replay(pattern)).hasMessageContaining("closed");
        assertThat(context.pattern(ID)).isNull();
        assertThat(free()).as("a run of it is queued").isEqualTo(SLOTS - 1);

        engines.settle();
        assertThat(free()).isEqualTo(SLOTS);
        assertThat(peerPair.counter(0).valueAcquire()).isEqualTo(-8);
        // Its last round can still be read, even when its slots and its state belong to other patterns.
        for (int i = 0; i < PATTERNS; i++) {
            context.record(100 + i, Rounds.ALTERNATE, () -> context.put(toPair, 0, window, 0, 8));
            engines.settle();
        }
        assertThat(pattern.executedAcquire()).isEqualTo(2);
        context.await(pattern, 2, deadline());
    }

    @Test
    void shouldNotBeClosedWhileItIsRerecorded() {
        final Pattern pattern = recordOne();
        engines.settle();
        assertThatThrownBy(() -> context.record(ID, Rounds.ALTERNATE, () -> {
                    context.put(toPair, 0, window, 0, 8);
                    pattern.close();
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is being recorded again");
        engines.settle();
        assertThat(pattern.isClosed()).isFalse();
        assertThat(context.replay(pattern)).isEqualTo(3);
        engines.settle();
        pattern.close();
        assertThat(free()).isEqualTo(SLOTS);
    }

    @Test
    void shouldCloseAnotherPatternInsideARecording() {
        final Pattern other = recordOne();
        engines.settle();
        final Pattern pattern = context.record(8, Rounds.ALTERNATE, () -> {
            other.close();
            context.put(toPair, 0, window, 0, 8);
        });
        engines.settle();
        assertThat(context.replay(pattern)).isEqualTo(2);
        engines.settle();
        assertThat(free()).isEqualTo(SLOTS - 1);
    }

    @Test
    void shouldRefuseOperationsThatCannotBeReplayedWithTheReasonAndLeakNothing() {
        final Pattern recorded = recordOne();
        engines.settle();
        final InjectionCounter injected = engines.client(0).injectionCounter();
        refuse("recordings do not nest", () -> context.record(9, Rounds.ALTERNATE, () -> {}));
        refuse("a wait cannot be replayed", () -> context.await(single, deadline()));
        refuse("a wait cannot be replayed", () -> context.await(injected, deadline()));
        refuse("a wait cannot be replayed", () -> context.await(() -> true, deadline()));
        refuse("a wait cannot be replayed", () -> context.await(recorded, 1, deadline()));
        refuse("a barrier cannot be replayed", () -> context.barrier(deadline()));
        refuse("attach cannot be replayed", () -> context.attach(1, "single", deadline()));
        refuse("not possible in a handler or inside record", () -> context.replay(recorded));
        refuse("call context.expect", () -> single.expect(8));
        refuse("call context.expect", () -> pair.counter(0).expect(8));
        refuse("goes to a single counter", () -> context.put(toSingle, 0, window, 0, 8));
        refuse("goes to a single counter", () -> context.count(toSingle, -1));
        refuse("is a single counter", () -> context.expect(single, 8));
        refuse("out of the body", () -> {
            throw new IllegalStateException("out of the body");
        });
        refuse("outgrows the pattern buffer", () -> {
            for (int i = 0; i <= SLOTS; i++) {
                context.put(toPair, 0, window, 0, 8);
            }
        });
        refuse("outgrows the pattern buffer", () -> {
            for (int i = 0; i <= SLOTS; i++) {
                context.expect(injected, 1);
            }
        });
        assertThat(single.valueAcquire()).isZero();
        assertThat(MemoryAccess.isArmed(single)).isFalse();
        assertThat(peerSingle.valueAcquire()).isZero();
        assertThat(context.replay(recorded)).isEqualTo(2);
        engines.settle();
    }

    /**
     * Fails the body in the middle: the messages before the failure are sent, and the pattern counts as never recorded.
     */
    private void refuse(String reason, Runnable wrong) {
        final long sentBefore = peerPair.counter(1).valueAcquire();
        assertRefused(
                () -> context.record(8, Rounds.ALTERNATE, () -> {
                    context.put(toPair, 0, window, 0, 8);
                    wrong.run();
                }),
                reason);
        assertThat(context.patterns().recorder()).isNull();
        engines.settle();
        assertThat(peerPair.counter(1).valueAcquire())
                .as("the earlier messages are sent")
                .isLessThanOrEqualTo(sentBefore - 8);
        assertThat(free()).as(reason).isEqualTo(SLOTS - 1);
        assertThat(context.pattern(8)).isNull();
        // Plain again.
        final long fill = context.fifo().descriptorsAcquire();
        context.put(toPair.ofRound(0), 0, window, 0, 8);
        engines.settle();
        assertThat(context.fifo().descriptorsAcquire()).isEqualTo(fill + 1);
    }

    private static void assertRefused(ThrowingCallable recording, String reason) {
        assertThatThrownBy(recording).isInstanceOf(IllegalStateException.class).hasMessageContaining(reason);
    }

    @Test
    void shouldRecordAnEmptyBody() {
        for (long round = 1; round < 6 * PATTERNS; round += 2) {
            final Pattern pattern = context.record(ID, Rounds.ALTERNATE, () -> {});
            assertThat(pattern.descriptors()).isZero();
            assertThat(pattern.generation()).isEqualTo(round);
            context.await(pattern, round, deadline());
            assertThat(context.replay(pattern)).isEqualTo(round + 1);
            context.await(pattern, round + 1, deadline());
            assertThat(free()).isEqualTo(SLOTS);
        }
        assertThat(recordOne().generation()).isEqualTo(6 * PATTERNS + 1);
    }

    @Test
    void shouldRecordAgainAfterRecordingsThatFailed() {
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> context.record(ID, Rounds.ALTERNATE, () -> {
                        context.put(toPair, 0, window, 0, 8);
                        throw new IllegalStateException("wrong");
                    }))
                    .hasMessage("wrong");
        }
        // The engine has served neither yet; only the slots that it still has to read are held.
        assertThat(free()).isEqualTo(SLOTS - 2);
        assertRefused(this::recordOne, "advance the context");
        engines.settle();
        assertThat(free()).isEqualTo(SLOTS);
        recordOne();
    }

    @Test
    void shouldKeepAPatternThatCouldNotBeRerecorded() {
        final Pattern pattern = recordOne();
        engines.settle();
        assertThatThrownBy(() -> context.record(ID, Rounds.ALTERNATE, () -> {
                    context.put(toPair, 8, window, 0, 8);
                    throw new IllegalStateException("wrong");
                }))
                .hasMessage("wrong");
        engines.settle();
        assertThat(context.pattern(ID)).isSameAs(pattern);
        assertThat(pattern.generation()).as("the failed round is counted").isEqualTo(2);
        assertThat(context.replay(pattern)).isEqualTo(3);
        engines.settle();
        assertThat(pattern.isComplete()).isTrue();
        assertThat(free()).isEqualTo(SLOTS - 1);
    }

    @Test
    void shouldReportTheExhaustedResource() {
        final List<Pattern> patterns = new ArrayList<>();
        for (int i = 0; i < PATTERNS; i++) {
            patterns.add(context.record(i, Rounds.ALTERNATE, () -> context.put(toPair, 0, window, 0, 8)));
            engines.settle();
        }
        assertRefused(this::recordOne, "all 4 patterns are in use");
        patterns.subList(1, PATTERNS).forEach(Pattern::close);
        context.record(20, Rounds.ALTERNATE, () -> {
            for (int i = 0; i < SLOTS - 1; i++) {
                context.put(toPair, 0, window, 0, 8);
            }
        });
        engines.settle();
        assertRefused(this::recordOne, "the pattern buffer is full: all 16 slots");
        assertThat(free()).isZero();
    }

    @Test
    void shouldAcceptASingleCounterInRoundsThatTheCallerOrders() {
        final Pattern pattern = context.record(ID, Rounds.ORDERED_BY_CALLER, () -> {
            context.expect(single, 0);
            context.put(toSingle, 0, window, 0, 8);
            context.count(toSingle, -2);
            context.copy(window, 0, window, 100, 8);
            context.sendImmediate(1, 3, window.buffer(), 0, 8);
        });
        for (long round = 2; round <= 10; round++) {
            context.await(pattern, round - 1, deadline());
            assertThat(context.replay(pattern)).isEqualTo(round);
        }
        engines.settle();
        assertThat(peerSingle.valueAcquire()).isEqualTo(-100);
        assertThat(engines.metrics(1).get(Metric.UNKNOWN_DISPATCH)).isEqualTo(10);
    }

    @Test
    void shouldRefuseAPlainWaitOnACounterThatAPatternArms() {
        final Pattern pattern = context.record(ID, Rounds.ALTERNATE, () -> {
            context.expect(pair, 8);
            context.put(toSelf, 0, window, 0, 8);
        });
        for (int generation = 0; generation < 2; generation++) {
            final ReceptionCounter armed = pair.counter(generation);
            assertThatThrownBy(() -> context.await(armed, deadline()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("armed by a pattern")
                    .hasMessageContaining("await the pattern");
        }
        context.await(pattern, 1, deadline());
        pattern.close();
        context.await(pair.counter(0), deadline());
        context.await(pair.counter(1), deadline());
    }

    @Test
    void shouldNotArmCountersOfARecordingThatFailed() {
        assertThatThrownBy(() -> context.record(ID, Rounds.ALTERNATE, () -> {
                    context.expect(pair, 8);
                    throw new IllegalStateException("wrong");
                }))
                .hasMessage("wrong");
        assertThat(MemoryAccess.isArmed(pair.counter(0))).isFalse();
        assertThat(MemoryAccess.isArmed(pair.counter(1))).isFalse();
    }

    @Test
    void shouldExpectAtAPairOnlyInsideARecording() {
        assertThatThrownBy(() -> context.expect(pair, 8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("pair.counter(g).expect");
        context.expect(single, 8);
        assertThat(single.valueAcquire()).isEqualTo(8);
    }
}
