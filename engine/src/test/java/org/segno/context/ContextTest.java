package org.segno.context;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;

/** Refusals of a context, and the ends of its waits. Rank 0 of three ranks waits. */
class ContextTest {
    @TempDir
    Path directory;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
    private EngineFixture engines;
    private Context context;
    private Window window;
    private ReceptionCounter anybody;
    private ReceptionCounter fromOne;
    private ReceptionCounter fromTwo;
    private Target peer;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(directory, NodeSize.small().ranks(3).dimensions());
        context = engines.context(0);
        window = engines.client(0).window(1024);
        anybody = engines.client(0).receptionCounter(window, 0, 64);
        fromOne = engines.client(0).receptionCounter(window, 64, 64, 1);
        fromTwo = engines.client(0).receptionCounter(window, 128, 64, 2);
        engines.client(0).publish("anybody", anybody);
        engines.client(0).publish("from one", fromOne);
        engines.client(0).publish("from two", fromTwo);
        final ReceptionCounter counter =
                engines.client(1).receptionCounter(engines.client(1).window(64), 0, 64);
        engines.client(1).publish("peer", counter);
        peer = context.attach(1, "peer", deadline());
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private static long deadline() {
        return Deadline.in(20, SECONDS);
    }

    private static long shortDeadline() {
        return Deadline.in(5, MILLISECONDS);
    }

    @Test
    void shouldNameTheArgumentThatIsWrong() {
        assertWrong(() -> context.put(peer, 0, window, 1017, 8), "window range [1017, 1017 + 8)", "window 0");
        assertWrong(() -> context.put(peer, 0, window, -1, 8), "window range [-1");
        assertWrong(() -> context.put(peer, 0, window, 0, -8), "window range [0, 0 + -8)");
        assertWrong(() -> context.put(peer, 57, window, 0, 8), "target range [57, 57 + 8)", "64 bytes", "of rank 1");
        assertWrong(() -> context.put(peer, -1, window, 0, 8), "target range [-1");
        assertWrong(() -> context.put(peer, Long.MAX_VALUE, window, 0, 8), "target range");
        assertWrong(() -> context.put(new Target(5, 0, 0, 8, false), 0, window, 0, 8), "rank must be 0 to 2", "rank=5");
        assertWrong(() -> context.count(new Target(3, 0, 0, 8, false), 1), "rank must be 0 to 2", "rank=3");
        assertWrong(() -> context.count(new Target(-1, 0, 0, 8, false), 1), "rank=-1");
        assertWrong(() -> context.copy(window, 1017, window, 0, 8), "source range [1017");
        assertWrong(() -> context.copy(window, 0, window, 1017, 8), "target range [1017");
        assertWrong(() -> context.attach(3, "peer", shortDeadline()), "rank must be 0 to 2", "rank=3");
        assertWrong(() -> context.attach(-1, "peer", shortDeadline()), "rank=-1");
        assertWrong(() -> context.attach(1, "", shortDeadline()), "1 to 96 bytes");
        assertWrong(() -> context.handler(-1, (s, b, m, ml, p, pl) -> {}), "dispatchId=-1");
        assertWrong(() -> context.advance(-1), "limit must not be negative: limit=-1");
        assertWrong(() -> context.handler(65_536, (s, b, m, ml, p, pl) -> {}), "dispatchId=65536");
        assertThat(context.fifo().fill()).isZero();
    }

    private static void assertWrong(ThrowingCallable call, String... parts) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContainingAll(parts);
    }

    @Test
    void shouldRefuseToSendOrToAdvanceFromAHandler() {
        final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.put(peer, 0, window, 0, 8));
        context.await(pattern, 1, deadline());
        final List<Consumer<Context>> calls = List.of(
                it -> it.advance(),
                it -> it.put(peer, 0, window, 0, 8),
                it -> it.count(peer, 1),
                it -> it.copy(window, 0, window, 512, 8),
                it -> it.sendImmediate(1, 0, bytes, 0, 8),
                it -> it.send(new Message().to(1, 0).payload(window, 0, 8)),
                it -> it.replay(pattern),
                it -> it.barrier(deadline()),
                it -> it.attach(1, "peer", deadline()),
                it -> {
                    anybody.expect(1);
                    it.await(anybody, deadline());
                },
                it -> it.record(2, Rounds.ORDERED_BY_CALLER, () -> {}));
        for (int call = 0; call < calls.size(); call++) {
            final Consumer<Context> refused = calls.get(call);
            context.handler(1, (source, buffer, m, ml, p, pl) -> refused.accept(context));
            engines.context(1).sendImmediate(0, 1, bytes, 0, 8);
            engines.pass(1);
            assertThatThrownBy(() -> context.advance())
                    .as("call " + call)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("handler");
            assertThat(context.advance())
                    .as("call " + call + ": the message is gone")
                    .isZero();
        }
        // Outside a handler the context works as before.
        assertThat(context.put(peer, 0, window, 0, 8)).isNotNegative();
        assertThat(context.replay(pattern)).isEqualTo(2);
        engines.settle();
    }

    @Test
    void shouldLetAHandlerNoteAMessageToSendAfterwards() {
        final List<Long> noted = new ArrayList<>();
        context.handler(1, (source, buffer, m, ml, p, pl) -> noted.add(buffer.getLong(p)));
        engines.context(1).sendImmediate(0, 1, bytes, 0, 8);
        engines.pass(1);
        context.await(() -> !noted.isEmpty(), deadline());
        assertThat(context.sendImmediate(1, 1, bytes, 0, 8)).isNotNegative();
    }

    @Test
    void shouldReportTheMissingCountAtTheDeadline() {
        anybody.expect(10);
        assertThatThrownBy(() -> context.await(anybody, shortDeadline()))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining(anybody.toString())
                .hasMessageContaining("misses 10 bytes");
        final InjectionCounter injected = engines.client(0).injectionCounter();
        injected.expect(11);
        assertThatThrownBy(() -> context.await(injected, shortDeadline()))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("11 bytes are not injected");
        assertThatThrownBy(() -> context.await(() -> false, shortDeadline()))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("a condition of the application");
        assertThatThrownBy(() -> context.attach(1, "nobody's", shortDeadline()))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("rank 1 to publish \"nobody's\"");
        assertThatThrownBy(() -> context.barrier(shortDeadline()))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("a barrier, which misses 2 of 2 other ranks");
        assertThatThrownBy(() -> engines.context(1).barrier(shortDeadline())).isInstanceOf(DeadlineException.class);
        assertThatThrownBy(() -> context.barrier(shortDeadline()))
                .hasMessageContaining("a barrier, which misses 1 of 2 other ranks");
    }

    /** Repeats the same wait after its deadline: nothing is lost. */
    @Test
    void shouldContinueABarrierThatEndedAtItsDeadline() {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> context.barrier(shortDeadline())).isInstanceOf(DeadlineException.class);
            }
            assertThatThrownBy(() -> engines.context(1).barrier(shortDeadline()))
                    .isInstanceOf(DeadlineException.class);
            engines.context(2).barrier(deadline());
            context.barrier(deadline());
            engines.context(1).barrier(deadline());
        }
    }

    @Test
    void shouldNotNeedTheTimeOfAWaitThatIsMet() {
        context.await(anybody, System.nanoTime() - 1);
        context.await(() -> true, System.nanoTime() - 1);
    }

    @Test
    void shouldEndTheWaitsThatADeadRankConcerns() {
        anybody.expect(1);
        fromOne.expect(1);
        fromTwo.expect(1);
        engines.states(0).change(1, PeerStates.DEAD);
        assertDead(() -> context.await(anybody, deadline()));
        assertDead(() -> context.await(fromOne, deadline()));
        assertDead(() -> context.await(() -> false, deadline()));
        assertDead(() -> context.barrier(deadline()));
        assertDead(() -> context.attach(1, "later", deadline()));
        assertThatThrownBy(() -> context.await(fromTwo, shortDeadline())).isInstanceOf(DeadlineException.class);
    }

    private static void assertDead(ThrowingCallable wait) {
        assertThatThrownBy(wait)
                .isInstanceOfSatisfying(
                        PeerFailedException.class,
                        failed -> assertThat(failed.rank()).isEqualTo(1))
                .hasMessageContaining("rank 1 has died");
    }

    @Test
    void shouldCompleteWaitsForMessagesThatADeadRankHasSent() {
        fromOne.expect(8);
        engines.context(1)
                .put(
                        new Target(0, fromOne.id(), 1, 64, false),
                        0,
                        engines.client(1).window(8),
                        0,
                        8);
        engines.pass(1);
        final List<Long> handled = new ArrayList<>();
        context.handler(1, (source, buffer, m, ml, p, pl) -> handled.add(source));
        for (int i = 0; i < 10; i++) {
            engines.context(1).sendImmediate(0, 1, bytes, 0, 8);
            engines.pass(1);
        }
        engines.states(0).change(1, PeerStates.DEAD);
        context.await(fromOne, deadline());
        context.await(() -> handled.size() == 10, deadline());
    }

    /**
     * Lets a pattern first miss a message of a live rank; when that has arrived, it misses a message of the dead rank.
     */
    @Test
    void shouldFindTheDeadRankThatAPatternMissesLater() {
        final Window own = engines.client(0).window(64);
        final CounterPair one = engines.client(0).counterPair(own, 0, 8, 8, 1);
        final CounterPair two = engines.client(0).counterPair(own, 16, 24, 8, 2);
        final Pattern pattern = context.record(1, Rounds.ALTERNATE, () -> {
            context.expect(two, 8);
            context.expect(one, 8);
            context.copy(window, 0, window, 512, 8);
        });
        engines.states(0).change(1, PeerStates.DEAD);
        assertThatThrownBy(() -> context.await(pattern, 1, shortDeadline())).isInstanceOf(DeadlineException.class);
        // Rank 2 publishes while rank 0 waits: its message's handler, inside the wait, sees it land.
        context.handler(2, (source, buffer, m, ml, p, pl) -> {
            engines.context(2)
                    .put(
                            new Target(0, two.id() + 1, 1, 8, false),
                            0,
                            engines.client(2).window(8),
                            0,
                            8);
            engines.pass(2);
        });
        engines.context(2).sendImmediate(0, 2, bytes, 0, 0);
        engines.pass(2);
        assertDead(() -> context.await(pattern, 1, deadline()));
    }

    @Test
    void shouldEndWaitsForRanksThatHaveLeft() {
        fromOne.expect(1);
        anybody.expect(1);
        engines.states(0).change(1, PeerStates.LEFT);
        assertClosed(() -> context.await(fromOne, deadline()), "has left the job");
        assertThatThrownBy(() -> context.await(anybody, shortDeadline())).isInstanceOf(DeadlineException.class);
        engines.states(0).change(2, PeerStates.LEFT);
        assertClosed(() -> context.await(anybody, deadline()), "has left the job");
    }

    /** Sends a last message and a credit to a rank that has left: they are no error, only unread. */
    @Test
    void shouldCompleteMessagesToARankThatHasLeft() {
        engines.states(0).change(1, PeerStates.LEFT);
        final InjectionCounter injected = engines.client(0).injectionCounter();
        window.buffer().putLong(0, 42);
        context.expect(injected, 8);
        context.put(peer, 16, window, 0, 8, injected);
        context.sendImmediate(1, 1, bytes, 0, 8);
        context.await(injected, deadline());
        assertThat(engines.memory(1).arena().getLong(16)).isZero();
        assertThat(engines.metrics(0).get(Refusal.PEER_LEFT)).isZero();
    }

    @Test
    void shouldEndAllWaitsWhenTheHubIsLost() {
        fromTwo.expect(1);
        engines.states(0).loseHub();
        assertClosed(() -> context.await(fromTwo, deadline()), "its hub");
        assertClosed(() -> context.await(() -> false, deadline()), "its hub");
    }

    @Test
    void shouldEndWaitsWhenItIsClosed() {
        fromTwo.expect(1);
        context.close("the reason");
        assertClosed(() -> context.await(fromTwo, deadline()), "the reason");
        assertClosed(() -> context.await(() -> false, deadline()), "the reason");
        assertClosed(() -> context.barrier(deadline()), "the reason");
        context.await(anybody, deadline());
    }

    private static void assertClosed(ThrowingCallable wait, String reason) {
        assertThatThrownBy(wait).isInstanceOf(ClosedException.class).hasMessageContaining(reason);
    }

    @Test
    void shouldReturnThePositionOfADescriptor() {
        for (long i = 0; i < 40; i++) {
            assertThat(context.put(peer, 0, window, 0, 8)).isEqualTo(i);
            assertThat(context.fifo().descriptorsAcquire()).isEqualTo(i);
            context.advance();
        }
    }
}
