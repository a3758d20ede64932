package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.dma.EngineFixture;
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
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;
import org.segno.status.Status;

/** Closing of windows and counters: their ids and memory are reused once no rank can write there any more. */
class ClosingTest {
    private static final int ARENA = 4096;

    /** Number of passes within which an engine is quiet twice. */
    private static final int TWICE_QUIET = 128;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Client client;
    private Context context;
    private Context peer;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().ranks(3).windowBytes(ARENA).dimensions());
        client = engines.client(0);
        context = engines.context(0);
        peer = engines.context(1);
        for (int rank = 0; rank < 3; rank++) {
            // An engine rests until its first pass; these end at a quiet point.
            passes(rank, TWICE_QUIET);
        }
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldKeepMemoryUntilEveryEngineWasQuietTwice() {
        final Window window = client.window(ARENA);
        window.buffer().setMemory(0, ARENA, (byte) 1);
        final ReceptionCounter counter = client.receptionCounter(window, 0, ARENA);
        final Closing closing = client.close(counter);
        final Closing memory = client.close(window);
        for (int rank = 0; rank < 3; rank++) {
            assertThat(closing.isDone()).isFalse();
            assertThat(memory.isDone()).isFalse();
            assertThat(closing)
                    .hasToString(counter + ", which is being closed and waits for the engine of context 0 of rank "
                            + rank + " to be quiet (under INVOKER, advance that context)");
            assertThatThrownBy(() -> client.window(1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("left=0 of 4096, 4096 bytes being closed: await that");
            passes(rank, TWICE_QUIET - 1);
            assertThat(closing.isDone()).as("rank " + rank).isFalse();
            passes(rank, 1);
        }
        assertThat(memory.isDone()).isFalse();
        assertThat(closing.isDone()).isTrue();
        assertThat(closing).hasToString(counter + ", which is closed");
        assertThat(memory)
                .hasToString(
                        "window 0 [4096 bytes], which is being closed and waits for the engine of context 0 of rank 0"
                                + " to be quiet (under INVOKER, advance that context)");
        passes(0, TWICE_QUIET);
        assertThat(memory.isDone()).as("without another call to the client").isTrue();

        final Window next = client.window(ARENA);
        assertThat(next.base()).isEqualTo(window.base());
        assertThat(next.id()).isNotEqualTo(window.id());
        for (int i = 0; i < ARENA; i++) {
            assertThat(next.buffer().getByte(i)).isZero();
        }
    }

    @Test
    void shouldAwaitPendingClosesOrReportTheMissingRanks() {
        final ReceptionCounter counter = client.receptionCounter(client.window(8), 0, 8);
        final Closing closing = client.close(counter);
        passes(0, TWICE_QUIET);
        assertThatThrownBy(() -> client.await(closing, context, Deadline.in(5, TimeUnit.MILLISECONDS)))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining(counter.toString())
                .hasMessageContaining(
                        "the engine of context 0 of rank 1 to be quiet (under INVOKER, advance that context)");
        passes(1, TWICE_QUIET);
        passes(2, TWICE_QUIET);
        client.await(closing, context, deadline());
        assertThat(closing.isDone()).isTrue();
    }

    @Test
    void shouldCarryOutInjectedDescriptorsBeforeAWindowIsClosed() {
        final Window source = client.window(64);
        final Window target = engines.client(1).window(64);
        final ReceptionCounter counter = engines.client(1).receptionCounter(target, 0, 64);
        engines.client(1).publish("inbox", counter);
        final Target inbox = context.attach(1, "inbox", deadline());
        source.buffer().putLong(0, 42);
        counter.expect(8);
        assertThat(context.put(inbox, 0, source, 0, 8)).isNotNegative();
        final Closing closing = client.close(source);

        assertThat(closing.awaited())
                .isEqualTo(
                        "descriptors injected earlier into FIFO 0 of context 0 (under INVOKER, advance that context)");
        assertThatThrownBy(() -> context.put(inbox, 0, source, 0, 8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("window 0 is closed");
        assertThatThrownBy(source::buffer).hasMessageContaining("window 0 is closed");
        assertThatThrownBy(() -> client.close(source)).hasMessageContaining("window 0 is closed");
        quiet();
        assertThat(counter.valueAcquire()).isZero();
        assertThat(target.buffer().getLong(0)).isEqualTo(42);
        assertThat(closing.isDone()).isFalse();
        quiet();
        assertThat(closing.isDone()).isTrue();
    }

    @Test
    void shouldRefuseMessagesToAClosedCounterForEver() {
        final Window window = client.window(64);
        final ReceptionCounter counter = client.receptionCounter(window, 0, 64);
        client.publish("inbox", counter);
        final Target inbox = peer.attach(0, "inbox", deadline());
        final Window source = engines.client(1).window(64);
        source.buffer().setMemory(0, 64, (byte) 9);
        final Closing closing = client.close(counter);

        assertThatThrownBy(() -> counter.expect(1))
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining(counter + " was closed");
        assertThatThrownBy(() -> context.await(counter, deadline())).isInstanceOf(ClosedException.class);
        assertStale(inbox, source);
        quiet();
        assertThat(closing.isDone()).isTrue();
        assertStale(inbox, source);

        // Another counter with the same id, over the same memory.
        final ReceptionCounter next = client.receptionCounter(window, 0, 64);
        assertThat(next.id()).isEqualTo(counter.id());
        assertThat(next.incarnation()).isNotEqualTo(counter.incarnation());
        assertStale(inbox, source);
        assertThat(next.valueAcquire()).isZero();
        assertThat(window.buffer().getLong(0)).isZero();

        client.publish("inbox", next);
        final Target again = peer.attach(0, "inbox", deadline());
        next.expect(8);
        assertThat(peer.put(again, 0, source, 0, 8)).isNotNegative();
        engines.settle();
        assertThat(next.valueAcquire()).isZero();
    }

    private void assertStale(Target inbox, Window source) {
        final InjectionCounter injected = engines.client(1).injectionCounter();
        injected.expect(8);
        assertThat(peer.put(inbox, 0, source, 0, 8, injected)).isNotNegative();
        assertThatThrownBy(() -> peer.await(injected, deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("rank 0 refused")
                .hasMessageContaining("the counter was closed and its id given to another use");
        engines.client(1).close(injected);
        passes(1, TWICE_QUIET);
    }

    @Test
    void shouldNotWaitForEnginesThatACounterAdmitsNothingFrom() {
        final Window window = client.window(64);
        final Closing closing = client.close(client.receptionCounter(window, 0, 8, 1));
        passes(0, TWICE_QUIET);
        assertThat(closing.isDone()).isFalse();
        passes(1, TWICE_QUIET);
        assertThat(closing.isDone()).isTrue();
    }

    @Test
    void shouldCloseAPairAndGiveBothItsIdsToTheNext() {
        final Window window = client.window(64);
        final CounterPair pair = client.counterPair(window, 0, 8, 8);
        client.publish("pair", pair);
        final Target target = peer.attach(0, "pair", deadline());
        final Closing closing = client.close(pair);
        quiet();
        assertThat(closing.isDone()).isTrue();
        // One of the two ids is used alone meanwhile.
        final ReceptionCounter single = client.receptionCounter(window, 0, 8);
        assertThat(single.id()).isEqualTo(pair.id());
        client.close(single);
        quiet();
        final CounterPair next = client.counterPair(window, 0, 8, 8);
        assertThat(next.id()).isEqualTo(pair.id());
        assertThat(next.counter(1).incarnation()).isEqualTo(next.counter(0).incarnation());
        assertThat(next.counter(0).incarnation()).isGreaterThan(single.incarnation());

        assertThat(peer.count(target.ofRound(0), -1)).isNotNegative();
        engines.settle();
        assertThat(next.counter(0).valueAcquire()).isZero();
        client.publish("pair", next);
        assertThat(peer.count(peer.attach(0, "pair", deadline()).ofRound(0), -1))
                .isNotNegative();
        engines.settle();
        assertThat(next.counter(0).valueAcquire()).isEqualTo(-1);
    }

    @Test
    void shouldNotCloseAWindowUnderAnOpenCounter() {
        final Window window = client.window(64);
        final ReceptionCounter counter = client.receptionCounter(window, 0, 8);
        assertThatThrownBy(() -> client.close(window))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        counter + " covers window 0 [64 bytes]; close the counter first, or call Messenger.release if a"
                                + " messenger opened it");
        client.close(counter);
        final Closing closing = client.close(window);
        assertThat(closing.awaited())
                .isEqualTo(counter
                        + ", which is being closed and waits for the engine of context 0 of rank 0 to be quiet"
                        + " (under INVOKER, advance that context), and covers it");
        quiet();
        assertThat(closing.isDone()).as("the counter first").isFalse();
        quiet();
        assertThat(closing.isDone()).isTrue();
    }

    @Test
    void shouldNotCloseObjectsThatAPatternNames() {
        final Window window = client.window(64);
        final Window other = client.window(64);
        final ReceptionCounter counter = client.receptionCounter(window, 0, 8);
        final CounterPair pair = client.counterPair(window, 8, 16, 8);
        final InjectionCounter injected = client.injectionCounter();
        final Target self = new Target(0, counter.id(), counter.incarnation(), 8, false);
        final Pattern pattern = context.record(7, Rounds.ORDERED_BY_CALLER, () -> {
            context.expect(counter, 8);
            context.expect(pair, 0);
            context.put(self, 0, other, 0, 8, injected);
        });
        final String holder = " is used by pattern 7 of context 0 of rank 0: close the pattern first";
        assertThatThrownBy(() -> client.close(other)).hasMessage("window 1 [64 bytes]" + holder);
        assertThatThrownBy(() -> client.close(counter)).hasMessage(counter + holder);
        assertThatThrownBy(() -> client.close(pair)).hasMessage(pair + holder);
        assertThatThrownBy(() -> client.close(injected)).hasMessage(injected + holder);

        // A queued round continues after all of them are closed.
        engines.settle();
        assertThat(context.replay(pattern)).isEqualTo(2);
        pattern.close();
        final List<Closing> closings = new ArrayList<>();
        closings.add(client.close(counter));
        closings.add(client.close(other));
        closings.add(client.close(injected));
        closings.add(client.close(pair));
        assertThat(closings.get(0).awaited()).isEqualTo("the queued rounds of pattern 7 of context 0 of rank 0");
        assertThat(engines.metrics(0).get(Refusal.NO_SUCH_WINDOW)).isZero();
        for (int step = 0; step < 3; step++) {
            closings.forEach(Closing::awaited);
            quiet();
        }
        assertThat(closings).allMatch(Closing::isDone);
        assertThat(pattern.errorAcquire()).isZero();
        assertThat(pattern.executedAcquire()).isEqualTo(2);
    }

    @Test
    void shouldNotCloseObjectsOfAnOpenRecordingAndCloseThemAfterItFailed() {
        final Window window = client.window(64);
        final ReceptionCounter counter = client.receptionCounter(client.window(8), 0, 8);
        final Target self = new Target(0, counter.id(), counter.incarnation(), 8, false);
        assertThatThrownBy(() -> context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
                    context.put(self, 0, window, 0, 8);
                    client.close(window);
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("window 0 [64 bytes] is used by pattern 1");
        final Closing closing = client.close(window);
        assertThat(closing.awaited()).isEqualTo("the queued rounds of pattern 1 of context 0 of rank 0");
        quiet();
        assertThat(counter.valueAcquire()).isEqualTo(-8);
        closing.awaited();
        quiet();
        assertThat(closing.isDone()).isTrue();
    }

    @Test
    void shouldUseInjectionCountersAgainOnceTheyAreRead() {
        final Window window = client.window(64);
        final InjectionCounter counter = client.injectionCounter();
        counter.expect(100);
        assertThat(context.copy(window, 0, window, 32, 8)).isNotNegative();
        final Closing closing = client.close(counter);
        assertThat(closing.isDone()).isFalse();
        assertThatThrownBy(() -> counter.expect(1)).isInstanceOf(ClosedException.class);
        engines.settle();
        assertThat(closing.isDone()).isFalse();
        passes(0, TWICE_QUIET);
        assertThat(closing.isDone()).as("only the own engine concerns it").isTrue();
        final InjectionCounter next = client.injectionCounter();
        assertThat(next.id()).isEqualTo(counter.id());
        assertThat(next.valueAcquire()).isZero();
        assertThat(next.errorAcquire()).isZero();
    }

    @Test
    void shouldWithdrawNames() {
        final ReceptionCounter counter = client.receptionCounter(client.window(8), 0, 8);
        client.publish("one", counter);
        client.publish("two", counter);
        final Target one = peer.attach(0, "one", deadline());
        client.withdraw("one");
        assertThatThrownBy(() -> client.withdraw("one"))
                .hasMessageContaining("not published")
                .hasMessageContaining("one");
        assertThatThrownBy(() -> peer.attach(0, "one", Deadline.in(1, TimeUnit.MILLISECONDS)))
                .isInstanceOf(DeadlineException.class);
        assertThat(peer.attach(0, "two", deadline())).isEqualTo(one);
        assertThat(peer.count(one, -1)).isNotNegative();
        engines.settle();
        assertThat(counter.valueAcquire()).as("the counter is open").isEqualTo(-1);

        client.close(counter);
        assertThatThrownBy(() -> peer.attach(0, "two", Deadline.in(1, TimeUnit.MILLISECONDS)))
                .isInstanceOf(DeadlineException.class);
        for (int i = 0; i < 8; i++) {
            final ReceptionCounter next = client.receptionCounter(client.window(1), 0, 1);
            client.publish("one", next);
            assertThat(peer.attach(0, "one", deadline()).counter()).isEqualTo(next.id());
            final Closing closing = client.close(next);
            quiet();
            assertThat(closing.isDone()).isTrue();
        }
    }

    @Test
    void shouldWaitForADeadRankUntilItsProcessHasEnded() {
        final ReceptionCounter counter = client.receptionCounter(client.window(64), 0, 8);
        engines.states(0).change(1, PeerStates.DEAD);
        final Closing closing = client.close(counter);
        passes(0, TWICE_QUIET);
        passes(2, TWICE_QUIET);
        assertThat(closing.isDone()).as("a dead rank may still run").isFalse();
        engines.endProcess(1);
        assertThat(closing.isDone()).isTrue();
    }

    @Test
    void shouldRefuseToReplayAPatternThatNeedsADeadRank() {
        final Window window = client.window(64);
        engines.client(1)
                .publish(
                        "inbox",
                        engines.client(1).receptionCounter(engines.client(1).window(8), 0, 8));
        final Target inbox = context.attach(1, "inbox", deadline());
        final ReceptionCounter fromTwo = client.receptionCounter(window, 0, 8, 2);
        final Target self = new Target(0, fromTwo.id(), fromTwo.incarnation(), 8, false);
        final Pattern sends = context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.put(inbox, 0, window, 0, 8));
        final Pattern hears = context.record(2, Rounds.ORDERED_BY_CALLER, () -> {
            context.expect(fromTwo, 0);
            context.count(self, 0);
        });
        final Pattern alone = context.record(3, Rounds.ORDERED_BY_CALLER, () -> context.copy(window, 0, window, 8, 8));
        engines.settle();
        engines.states(0).change(1, PeerStates.DEAD);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> context.replay(sends))
                    .isInstanceOf(PeerFailedException.class)
                    .hasMessageContaining("pattern 1 of 1 descriptors")
                    .hasMessageContaining("is stale: rank 1");
        }
        assertThat(context.replay(hears)).isEqualTo(2);
        engines.states(0).change(2, PeerStates.DEAD);
        assertThatThrownBy(() -> context.replay(hears)).hasMessageContaining("is stale: rank 2");
        assertThat(context.replay(alone)).isEqualTo(2);
    }

    /** Opens and closes windows: none ever sees the bytes of another, and nothing is lost. */
    @Test
    void shouldKeepWindowsApartInAnyOrderOfOpeningAndClosing() {
        final Random chance = new Random(1);
        final List<Window> open = new ArrayList<>();
        final List<Byte> marks = new ArrayList<>();
        int mark = 0;
        for (int i = 0; i < 2000; i++) {
            if (chance.nextBoolean() && open.size() < 10) {
                final int bytes = 1 + chance.nextInt(600);
                try {
                    final Window window = client.window(bytes);
                    for (int at = 0; at < bytes; at++) {
                        assertThat(window.buffer().getByte(at)).isZero();
                    }
                    marks.add((byte) ++mark);
                    window.buffer().setMemory(0, bytes, (byte) mark);
                    open.add(window);
                } catch (final IllegalArgumentException e) {
                    assertThat(e).hasMessageContaining("raise NodeConfig.withWindowBytes");
                }
            } else if (!open.isEmpty()) {
                final int which = chance.nextInt(open.size());
                final Window window = open.remove(which);
                final byte expected = marks.remove(which);
                for (int at = 0; at < window.length(); at++) {
                    assertThat(window.buffer().getByte(at)).isEqualTo(expected);
                }
                client.close(window);
            }
            if (chance.nextInt(3) == 0) {
                quiet();
            }
        }
        open.forEach(client::close);
        quiet();
        assertThat(client.window(ARENA).length()).isEqualTo(ARENA);
    }

    @Test
    void shouldNamePendingClosesWhereIdsRunOut() {
        final Window window = client.window(8);
        final List<ReceptionCounter> counters = new ArrayList<>();
        while (counters.size() < engines.memory(0).layout().dimensions().receptionCounters() - 1) {
            counters.add(client.receptionCounter(window, 0, 8));
        }
        client.close(counters.get(0));
        assertThatThrownBy(() -> client.receptionCounter(window, 0, 8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("1 of them being closed: await that")
                .hasMessageContaining("raise withCounters");
        quiet();
        assertThat(client.receptionCounter(window, 0, 8).id())
                .isEqualTo(counters.get(0).id());
        assertThat(Status.isProgress(context.advance())).isTrue();
    }

    private void passes(int rank, int count) {
        for (int i = 0; i < count; i++) {
            engines.pass(rank);
        }
    }

    private void quiet() {
        for (int rank = 0; rank < 3; rank++) {
            passes(rank, TWICE_QUIET);
        }
    }

    private static long deadline() {
        return Deadline.in(30, TimeUnit.SECONDS);
    }
}
