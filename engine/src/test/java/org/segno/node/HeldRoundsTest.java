package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.memory.NodeDimensions;
import org.segno.memory.Closing;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.multisend.JointPattern;
import org.segno.multisend.Request;
import org.segno.multisend.Requests;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.SegnoException;

/** Three nodes in every threading mode: rank 0 has rounds that wait for rank 1, which leaves the job. */
@Timeout(60)
@OverMemoryAndLinks
class HeldRoundsTest {
    private static final int SIZE = 3;
    private static final int DONE = 512;
    private static final ClientConfig ALPHA =
            ClientConfig.named("alpha").withContexts(2).withCounters(2, 6).withWindowBytes(1024);

    @TempDir
    Path parent;

    @SuppressWarnings("NullAway.Init") // join is the first call of every test
    private InProcessJob job;

    @SuppressWarnings("NullAway.Init") // likewise
    private Client client;

    @SuppressWarnings("NullAway.Init") // likewise
    private Context context;

    @SuppressWarnings("NullAway.Init") // likewise
    private Window window;

    @SuppressWarnings("NullAway.Init") // likewise
    private CounterPair gate;

    private void join(String modes) {
        job = InProcessJob.join(
                parent,
                SmallNodes.configs(SIZE, SmallNodes.modes(modes)).stream()
                        .map(config -> config.withContexts(3)
                                .withEngines(2)
                                .withRunSlots(8)
                                .withLaneBudgetBytes(27L * NodeDimensions.MIN_LANE_BYTES))
                        .toList());
        client = job.node(0).openClient(ALPHA);
        use(client);
        gate = client.counterPair(window, 0, 8, 0, 1);
    }

    private void use(Client used) {
        context = used.context();
        window = used.window(1024);
    }

    @AfterEach
    void close() {
        // A test that does not run over links has not joined.
        if (job != null) {
            job.close();
        }
    }

    private static long soon() {
        return Deadline.in(20, TimeUnit.MILLISECONDS);
    }

    /** A round that waits for a count at the gate, and then copies a word. */
    private void body() {
        context.expect(gate, 1);
        context.waitUntil(gate, 0);
        context.copy(window, 256, window, DONE, 8);
    }

    private Pattern held() {
        final Pattern pattern = context.prepare(Rounds.ALTERNATE, this::body);
        context.queue(pattern);
        return pattern;
    }

    private static void assertLeft(ThrowingCallable wait) {
        assertThatThrownBy(wait)
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("every possible sender has left the job");
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    void shouldEndEachKindOfWaitWhenTheOnlySenderLeaves(String modes) {
        join(modes);
        final InjectionCounter sent = client.injectionCounter();
        final ReceptionCounter other = client.receptionCounter(window, 8, 8, 1);
        other.expect(8);
        final Pattern pattern = held();
        context.queue(pattern);
        assertThatThrownBy(() -> context.await(pattern, 1, soon())).isInstanceOf(DeadlineException.class);
        job.node(1).close();
        assertLeft(() -> context.await(pattern, 1, InProcessJob.deadline()));
        assertLeft(() -> context.await(pattern, 2, InProcessJob.deadline()));
        assertLeft(() -> context.await(other, InProcessJob.deadline()));
        assertLeft(() -> context.fence(InProcessJob.deadline()));
        sent.expect(8);
        assertLeft(() -> context.await(sent, InProcessJob.deadline()));
        assertThatThrownBy(() -> context.await(pattern, 1, InProcessJob.deadline()))
                .hasMessageContaining("a WAIT holds it: " + gate.counter(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    void shouldFailARequestThatWaitsForARankThatHasLeft(String modes) throws Exception {
        join(modes);
        try (Requests requests = new Requests(context)) {
            final Request request = requests.init(this::body);
            requests.startAll();
            context.advance();
            assertThat(request.test()).isFalse();
            job.node(1).close();
            final long deadlineNs = InProcessJob.deadline();
            assertLeft(() -> {
                while (!request.test() && !Deadline.reached(deadlineNs)) {
                    context.advance();
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    void shouldEndAWaitBehindAHeldDescriptorOfAnInjectionFifo(String modes) {
        join(modes);
        final ReceptionCounter counter = client.receptionCounter(window, 8, 8, 1);
        counter.expect(8);
        context.waitUntil(counter, 0);
        context.advance();
        assertThatThrownBy(() -> context.fence(soon())).isInstanceOf(DeadlineException.class);
        job.node(1).close();
        assertLeft(() -> context.fence(InProcessJob.deadline()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    @MappedOnly(value = MappedOnly.ONE_THREAD, threading = "INVOKER")
    void shouldKeepWaitingWhileAnotherRoundMayProceed(String modes) {
        join(modes);
        final ReceptionCounter open = client.receptionCounter(window, 8, 8, 2);
        client.publish("open", open);
        final Pattern lost = held();
        final Pattern alive = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            context.expect(open, 1);
            context.waitUntil(open, 0);
            context.copy(window, 256, window, DONE, 8);
        });
        context.replay(alive);
        job.node(1).close();
        assertThatThrownBy(() -> context.await(lost, 1, soon())).isInstanceOf(DeadlineException.class);
        final Context far = job.context(2);
        final Target target = far.attach(0, "alpha/open", InProcessJob.deadline());
        far.count(target, -1);
        far.fence(InProcessJob.deadline());
        context.await(alive, 1, InProcessJob.deadline());
        assertLeft(() -> context.await(lost, 1, InProcessJob.deadline()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    void shouldCloseAClientWhoseRoundsWaitForARankThatHasLeft(String modes) {
        join(modes);
        final Pattern pattern = held();
        context.queue(pattern);
        final ReceptionCounter counter = client.receptionCounter(window, 8, 8, 1);
        counter.expect(8);
        context.waitUntil(counter, 0);
        context.advance();
        final Context own = job.context(0);
        final Closing closing = client.close();
        assertThatThrownBy(() -> job.node(0).client().await(closing, own, soon()))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("a WAIT holds it: " + gate.counter(1));
        job.node(1).close();
        job.node(0).client().await(closing, own, InProcessJob.deadline());
        use(job.node(0).openClient(ALPHA));
        window.buffer().putLong(256, 7);
        final Pattern next =
                context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.copy(window, 256, window, DONE, 8));
        context.await(next, context.replay(next), InProcessJob.deadline());
        assertThat(window.buffer().getLong(DONE)).isEqualTo(7);
    }

    /** What can never be carried out does not delay the close, and the log names it. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    void shouldCloseANodeWithoutWaitingForARankThatHasLeft(String modes) {
        join(modes);
        final Pattern pattern = held();
        context.advance();
        job.node(1).close();
        // The wait ends when the departure is known here.
        assertLeft(() -> context.await(pattern, 1, InProcessJob.deadline()));
        final List<String> logged = new ArrayList<>();
        final Logger logger = Logger.getLogger(Node.class.getName());
        logger.setFilter(entry -> !logged.add(entry.getMessage()));
        job.node(0).close();
        logger.setFilter(null);
        assertThat(logged)
                .singleElement()
                .asString()
                .startsWith("rank 0 closes; its remaining descriptors are lost; context 1; round 1 of pattern -1")
                .contains("a WAIT holds it: " + gate.counter(1))
                .contains("it admits rank 1, which is gone, having left the job");
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    void shouldCloseANodeWhosePatternAndCountersWereClosedDuringAHeldRound(String modes) {
        join(modes);
        final Pattern pattern = held();
        context.advance();
        job.node(1).close();
        assertLeft(() -> context.await(pattern, 1, InProcessJob.deadline()));
        pattern.close();
        client.close(gate);
        final List<String> logged = new ArrayList<>();
        final Logger logger = Logger.getLogger(Node.class.getName());
        logger.setFilter(entry -> !logged.add(entry.getMessage()));
        job.node(0).close();
        logger.setFilter(null);
        assertThat(logged)
                .singleElement()
                .asString()
                .startsWith("rank 0 closes; its remaining descriptors are lost; context 1; round 1 of pattern -1")
                .contains("it admits rank 1, which is gone, having left the job");
    }

    /** A WAIT behind the one that holds the round may still be satisfied; it does not matter. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    void shouldEndAWaitForARoundThatIsHeldAtTheFirstOfTwoWaits(String modes) {
        join(modes);
        final CounterPair open = client.counterPair(window, 16, 24, 0, 2);
        final Pattern pattern = context.prepare(Rounds.ALTERNATE, () -> {
            context.expect(open, 1);
            body();
            context.waitUntil(open, 0);
        });
        context.queue(pattern);
        context.advance();
        job.node(1).close();
        assertLeft(() -> context.await(pattern, 1, InProcessJob.deadline()));
    }

    /** Anybody is admitted, and another context of rank 0 has a count for the counter, behind a WAIT. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    @MappedOnly(value = MappedOnly.ONE_THREAD, threading = "INVOKER")
    void shouldKeepWaitingWhileAnotherContextOfTheRankIsAtWork(String modes) {
        join(modes);
        final Context other = job.context(0);
        final ReceptionCounter anybody = client.receptionCounter(window, 16, 8);
        final ReceptionCounter open = client.receptionCounter(window, 24, 8, 2);
        client.publish("anybody", anybody);
        client.publish("open", open);
        final Target own = other.attach(0, "alpha/anybody", InProcessJob.deadline());
        final Target opening = job.context(2).attach(0, "alpha/open", InProcessJob.deadline());
        anybody.expect(1);
        open.expect(1);
        other.waitUntil(open, 0);
        other.count(own, -1);
        other.advance();
        job.context(2).count(opening, -1);
        job.node(1).close();
        job.node(2).close();
        if (modes.equals("INVOKER")) {
            assertThatThrownBy(() -> context.await(anybody, soon())).isInstanceOf(DeadlineException.class);
            other.fence(InProcessJob.deadline());
        }
        context.await(anybody, InProcessJob.deadline());
        anybody.expect(1);
        assertLeft(() -> context.await(anybody, InProcessJob.deadline()));
    }

    /** A counter that names rank 0 waits for it, as for any rank that has not left. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    void shouldKeepWaitingForAThreadOfTheRankThatTheCounterNames(String modes) throws InterruptedException {
        join(modes);
        final ReceptionCounter admitted = client.receptionCounter(window, 16, 8, new int[] {0, 1});
        client.publish("admitted", admitted);
        admitted.expect(1);
        job.node(1).close();
        job.node(2).close();
        assertThatThrownBy(() -> context.await(admitted, soon())).isInstanceOf(DeadlineException.class);
        final Thread thread = new Thread(() -> {
            final Context other = job.context(0);
            other.count(other.attach(0, "alpha/admitted", InProcessJob.deadline()), -1);
            other.fence(InProcessJob.deadline());
        });
        thread.start();
        context.await(admitted, InProcessJob.deadline());
        thread.join();
    }

    /** The other thread may do what it likes with its context: a wait reads only its memory. */
    @ParameterizedTest
    @ValueSource(strings = {"DEDICATED", "SHARED"})
    void shouldEndWaitsForAnybodyWhileAnotherThreadRecords(String modes) throws InterruptedException {
        join(modes);
        final Context other = client.context(1);
        final ReceptionCounter anybody = client.receptionCounter(window, 16, 8);
        anybody.expect(1);
        other.advance();
        job.node(1).close();
        job.node(2).close();
        final AtomicBoolean stop = new AtomicBoolean();
        final AtomicInteger recorded = new AtomicInteger();
        final Thread thread = new Thread(() -> {
            while (!stop.get()) {
                other.prepare(Rounds.ORDERED_BY_CALLER, () -> other.copy(window, 256, window, DONE, 8))
                        .close();
                recorded.incrementAndGet();
            }
        });
        thread.start();
        try {
            while (recorded.get() < 2000 && thread.isAlive()) {
                assertLeft(() -> context.await(anybody, InProcessJob.deadline()));
            }
        } finally {
            stop.set(true);
            thread.join();
        }
        assertThat(recorded).hasValueGreaterThanOrEqualTo(2000);
    }

    /** A thread that once used another context cannot count at a barrier of this one. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    void shouldEndABarrierWhileAnotherContextIsHeld(String modes) {
        join(modes);
        final ReceptionCounter open = client.receptionCounter(window, 24, 8, 2);
        open.expect(1);
        context.waitUntil(open, 0);
        context.advance();
        final Context own = job.context(0);
        job.node(1).close();
        job.node(2).close();
        assertThatThrownBy(() -> own.barrier(InProcessJob.deadline())).isInstanceOf(ClosedException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    void shouldCompleteAJointRoundOfWhichOnePartWaitsForTheOther(String modes) {
        join(modes);
        final Context other = client.context(1);
        final CounterPair admitted = client.counterPair(window, 16, 24, 0, new int[] {0, 1});
        client.publish("admitted", admitted);
        final Target own = other.attach(0, "admitted", InProcessJob.deadline());
        job.node(1).close();
        try (JointPattern pattern = JointPattern.record(
                9,
                Rounds.ALTERNATE,
                () -> {
                    context.expect(admitted, 1);
                    context.waitUntil(admitted, 0);
                    other.count(own, -1);
                },
                context,
                other)) {
            pattern.await(1, InProcessJob.deadline());
            for (long round = 2; round <= 20; round++) {
                assertThat(pattern.replay()).isEqualTo(round);
                pattern.await(round, InProcessJob.deadline());
            }
        }
    }
}
