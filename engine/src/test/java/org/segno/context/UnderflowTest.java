package org.segno.context;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.dma.Reach;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.metrics.ErrorLog;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;

/** Counters that forbid underflow. Rank 1 sends to rank 0. */
@ParameterizedClass
@EnumSource(
        value = Reach.class,
        names = {"MAPPED", "LINKED"})
class UnderflowTest {
    private static final String REASON = "the counter forbids underflow and was counted below zero";

    @Parameter
    Reach reach = Reach.MAPPED;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Client client;
    private Context context;
    private Context peer;
    private Window window;
    private Window source;
    private ReceptionCounter counter;
    private Target in;

    @BeforeEach
    void make() {
        open(EngineFixture.open(directory, dimensions(), reach, EngineFixture.SMALL_LINK));
    }

    private static NodeDimensions dimensions() {
        return NodeSize.small().fifos(3).dimensions();
    }

    private void open(EngineFixture opened) {
        engines = opened;
        client = engines.client(0);
        context = engines.context(0);
        peer = engines.context(1);
        window = client.window(64);
        source = engines.client(1).window(64);
        counter = client.receptionCounter(window, 0, 64);
        counter.forbidUnderflow();
        in = new Target(0, counter.id(), counter.incarnation(), 64, false);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private static long deadline() {
        return Deadline.in(10, SECONDS);
    }

    private void put(int bytes) {
        peer.put(in, 0, source, 0, bytes);
        engines.settle();
    }

    private void assertUnderflow() {
        assertThat(InjectionCounter.code(counter.errorAcquire())).isEqualTo(Refusal.UNDERFLOW.code());
        assertThatThrownBy(() -> context.await(counter, deadline()))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.rank()).isEqualTo(1))
                .hasMessageContaining("a message of rank 1: " + REASON)
                .hasMessageContaining("waiting for " + counter);
    }

    @Test
    void shouldCompleteWhenEveryByteWasExpectedBefore() {
        for (int round = 0; round < 3; round++) {
            counter.expect(24);
            put(8);
            put(16);
            context.await(counter, deadline());
            assertThat(counter.errorAcquire()).isZero();
        }
        assertThat(engines.metrics(1).get(Refusal.UNDERFLOW)).isZero();
    }

    @Test
    void shouldReportBytesThatNobodyExpected() {
        final int logged = ErrorLog.count(engines.memory(1));
        counter.expect(8);
        put(8);
        put(1);
        assertUnderflow();
        counter.expect(1);
        assertThat(counter.valueAcquire()).isZero();
        assertUnderflow();
        put(3);
        assertUnderflow();
        assertThat(engines.metrics(1).get(Refusal.UNDERFLOW)).isEqualTo(2);
        assertThat(ErrorLog.count(engines.memory(1))).isEqualTo(logged + 1);
    }

    @Test
    void shouldReportACountBelowZeroButNoExpectationAfterwards() {
        counter.expect(2);
        peer.count(in, -1);
        peer.count(in, 3);
        peer.count(in, -4);
        engines.settle();
        context.await(counter, deadline());
        peer.count(in, -1);
        engines.settle();
        assertUnderflow();
    }

    @Test
    void shouldCountBelowZeroWithoutErrorWhereItIsNotForbidden() {
        final ReceptionCounter plain = client.receptionCounter(window, 0, 64);
        in = new Target(0, plain.id(), plain.incarnation(), 64, false);
        put(8);
        assertThat(plain.valueAcquire()).isEqualTo(-8);
        context.await(plain, deadline());
        assertThat(plain.errorAcquire()).isZero();
        assertThat(engines.metrics(1).get(Refusal.UNDERFLOW)).isZero();
    }

    @Test
    void shouldRefuseAWaitDescriptorAndAwaitOfAPattern() {
        final CounterPair pair = client.counterPair(window, 0, 32, 32);
        pair.forbidUnderflow();
        final Target to = new Target(0, pair.id(), pair.incarnation(), 32, true);
        final Pattern receive = context.prepare(Rounds.ALTERNATE, () -> context.expect(pair, 8));
        final Pattern held = context.prepare(Rounds.ALTERNATE, () -> context.waitUntil(pair, 0));
        context.replay(receive);
        engines.settle();
        peer.put(to.ofRound(1), 0, source, 0, 8);
        engines.settle();
        context.await(receive, 1, deadline());
        context.replay(receive);
        engines.settle();
        peer.put(to.ofRound(2), 0, source, 0, 9);
        engines.settle();
        assertThatThrownBy(() -> context.await(receive, 2, deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("a message of rank 1: " + REASON)
                .hasMessageContaining("waiting for " + pair.counter(2));
        assertThatThrownBy(() -> context.replay(receive))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("cannot be replayed")
                .hasMessageContaining(REASON);
        context.replay(held);
        context.await(held, 1, deadline());
        context.replay(held);
        assertThatThrownBy(() -> context.await(held, 2, deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(REASON);
    }

    @Test
    void shouldBeginAgainWithoutErrorWhenItIsEnabledAgain() {
        put(8);
        assertUnderflow();
        counter.disable();
        client.enable(counter, window, 0, 64, 1);
        for (int i = 0; i < 128; i++) {
            engines.pass(0);
            engines.pass(1);
        }
        assertThat(client.enable(counter, window, 0, 64, 1)).isZero();
        assertThat(counter.errorAcquire()).isZero();
        counter.expect(0);
        context.await(counter, deadline());
    }

    @Test
    void shouldReportAnInjectionCounterWhoseBytesWereNotExpected() {
        final InjectionCounter sent = engines.client(1).injectionCounter();
        sent.forbidUnderflow();
        counter.expect(16);
        sent.expect(8);
        peer.put(in, 0, source, 0, 8, sent);
        engines.settle();
        peer.await(sent, deadline());
        peer.put(in, 8, source, 0, 8, sent);
        final int logged = ErrorLog.count(engines.memory(1));
        engines.settle();
        assertThatThrownBy(() -> peer.await(sent, deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(REASON);
        assertThat(engines.metrics(1).get(Refusal.UNDERFLOW)).isEqualTo(1);
        assertThat(ErrorLog.count(engines.memory(1))).isEqualTo(logged + 1);
        context.await(counter, deadline());
        sent.reset();
        sent.expect(8);
        counter.expect(8);
        peer.put(in, 0, source, 0, 8, sent);
        engines.settle();
        peer.await(sent, deadline());
        // Another use of the id is not concerned.
        engines.client(1).await(engines.client(1).close(sent), peer, deadline());
        final InjectionCounter next = engines.client(1).injectionCounter();
        assertThat(next.id()).isEqualTo(sent.id());
        peer.put(in, 0, source, 0, 8, next);
        engines.settle();
        peer.await(next, deadline());
        assertThat(next.valueAcquire()).isEqualTo(-8);
    }

    @Test
    void shouldReportUnderflowOverALink() throws IOException {
        engines.close();
        open(EngineFixture.linked(
                Files.createDirectory(directory.resolve("linked")), dimensions(), EngineFixture.SMALL_LINK));
        counter.expect(8);
        put(8);
        context.await(counter, deadline());
        put(8);
        assertUnderflow();
        engines.settle();
        assertThat(engines.metrics(1).get(Refusal.UNDERFLOW))
                .as("at the origin")
                .isEqualTo(1);
        assertThat(engines.metrics(0).get(Refusal.UNDERFLOW))
                .as("at the target")
                .isZero();

        final InjectionCounter got = engines.client(1).injectionCounter();
        got.forbidUnderflow();
        final ReceptionCounter readable = client.receptionCounter(window, 0, 64, 1, Right.GET);
        final Target from = new Target(0, readable.id(), readable.incarnation(), 64, false);
        peer.get(from, 0, source, 0, 8, got);
        engines.settle();
        assertThatThrownBy(() -> peer.await(got, deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(REASON);
    }
}
