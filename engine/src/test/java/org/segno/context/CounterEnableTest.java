package org.segno.context;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.Closing;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;
import org.segno.status.Status;

/** Counters of rank 0 that are disabled, and enabled again over another range or for other sources. */
class CounterEnableTest {
    /** Number of passes within which an engine is quiet twice. */
    private static final int TWICE_QUIET = 128;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Client client;
    private Context context;
    private Context peer;
    private Window first;
    private Window second;
    private Window source;
    private ReceptionCounter counter;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().ranks(4).fifos(3).windowBytes(4096).dimensions());
        client = engines.client(0);
        context = engines.context(0);
        peer = engines.context(1);
        first = client.window(64);
        second = client.window(64);
        source = engines.client(1).window(64);
        source.buffer().setMemory(0, 64, (byte) 9);
        counter = client.receptionCounter(first, 0, 64);
        client.publish("in", counter);
        for (int rank = 0; rank < 4; rank++) {
            // An engine rests until its first pass; these end at a quiet point.
            passes(rank);
        }
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private static long deadline() {
        return Deadline.in(10, SECONDS);
    }

    private void passes(int rank) {
        for (int i = 0; i < TWICE_QUIET; i++) {
            engines.pass(rank);
        }
    }

    private void quiet() {
        for (int rank = 0; rank < 4; rank++) {
            passes(rank);
        }
    }

    private Target attach() {
        return peer.attach(0, "in", deadline());
    }

    private void put(Target target, long offset) {
        assertThat(peer.put(target, offset, source, 0, 8)).isNotNegative();
        engines.settle();
    }

    @Test
    void shouldBeBusyUntilEveryAdmittedEngineWasQuiet() {
        counter.disable();
        for (int rank = 0; rank < 4; rank++) {
            assertThat(client.enable(counter, second, 8, 16, ReceptionCounter.ANYBODY))
                    .as("before rank " + rank)
                    .isEqualTo(Status.BUSY);
            passes(rank);
        }
        final int id = counter.id();
        final int incarnation = counter.incarnation();
        assertThat(client.enable(counter, second, 8, 16, 1)).isZero();
        assertThat(counter.id()).isEqualTo(id);
        assertThat(counter.incarnation()).isGreaterThan(incarnation);
        assertThat(counter.length()).isEqualTo(16);

        // Only rank 1 can write now.
        counter.disable();
        assertThat(client.enable(counter, first, 0, 64, 2)).isEqualTo(Status.BUSY);
        passes(0);
        passes(1);
        assertThat(client.enable(counter, first, 0, 64, new int[] {2, 3})).isZero();
    }

    @Test
    void shouldLandInTheNewRangeAfterAnotherAttach() {
        final Target old = attach();
        counter.expect(8);
        put(old, 0);
        assertThat(counter.valueAcquire()).isZero();
        counter.expect(5);
        counter.disable();
        client.enable(counter, second, 8, 16, ReceptionCounter.ANYBODY);
        quiet();
        assertThat(client.enable(counter, second, 8, 16, ReceptionCounter.ANYBODY, Right.PUT, Right.GET))
                .isZero();
        assertThat(counter.valueAcquire()).as("of a new use").isZero();

        assertStale(old);
        final Target now = attach();
        assertThat(now.length()).isEqualTo(16);
        counter.expect(8);
        put(now, 8);
        assertThat(counter.valueAcquire()).isZero();
        assertThat(second.buffer().getByte(16)).isEqualTo((byte) 9);
        assertThat(first.buffer().getByte(8)).isZero();
        final InjectionCounter got = engines.client(1).injectionCounter();
        got.expect(8);
        peer.get(now, 8, source, 8, 8, got);
        peer.await(got, deadline());
        // The first window is free, the second is not.
        assertThatThrownBy(() -> client.close(second)).hasMessageContaining(counter + " covers");
        assertThat(client.close(first)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldAdmitTheNewSourcesAlone(boolean isSet) {
        final ReceptionCounter moved = client.receptionCounter(first, 0, 64, 1);
        client.publish("moved", moved);
        assertAdmitted("moved", 1);
        moved.disable();
        assertThat(enable(moved, isSet)).isEqualTo(Status.BUSY);
        quiet();
        assertThat(enable(moved, isSet)).isZero();
        assertAdmitted("moved", isSet ? new int[] {2, 3} : new int[] {2});
        moved.disable();
        client.enable(moved, first, 0, 64, 3);
        quiet();
        assertThat(client.enable(moved, first, 0, 64, 3)).isZero();
        assertAdmitted("moved", 3);
    }

    private long enable(ReceptionCounter moved, boolean isSet) {
        return isSet ? client.enable(moved, second, 0, 64, new int[] {2, 3}) : client.enable(moved, second, 0, 64, 2);
    }

    /** Checks that a put of each of these ranks lands, and that one of any other is refused. */
    private void assertAdmitted(String name, int... admitted) {
        for (int rank = 1; rank < 4; rank++) {
            final int sender = rank;
            final Context from = engines.context(sender);
            final InjectionCounter sent = engines.client(sender).injectionCounter();
            final Window bytes = engines.client(sender).window(8);
            final Target to = from.attach(0, name, deadline());
            final long refused = engines.metrics(sender).get(Refusal.SOURCE_NOT_ADMITTED);
            sent.expect(8);
            from.put(to, 8L * sender, bytes, 0, 8, sent);
            if (IntStream.of(admitted).anyMatch(each -> each == sender)) {
                from.await(sent, deadline());
                assertThat(engines.metrics(sender).get(Refusal.SOURCE_NOT_ADMITTED))
                        .isEqualTo(refused);
            } else {
                assertThatThrownBy(() -> from.await(sent, deadline()))
                        .as("rank " + sender)
                        .isInstanceOf(RefusedException.class)
                        .hasMessageContaining(Refusal.SOURCE_NOT_ADMITTED.reason());
                assertThat(engines.metrics(sender).get(Refusal.SOURCE_NOT_ADMITTED))
                        .isEqualTo(refused + 1);
            }
        }
    }

    private void assertStale(Target old) {
        final InjectionCounter sent = engines.client(1).injectionCounter();
        sent.expect(8);
        peer.put(old, 0, source, 0, 8, sent);
        assertThatThrownBy(() -> peer.await(sent, deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("its id given to another use");
        assertThat(second.buffer().getByte(8)).isZero();
    }

    /** Keeps a put to the old range in a FIFO that nobody serves meanwhile. */
    @Test
    void shouldRefuseADescriptorThatWasMadeForTheOldRange() {
        final Target old = attach();
        final InjectionFifo late = peer.injectionFifo();
        engines.settle();
        late.deactivate();
        engines.settle();
        final InjectionCounter sent = engines.client(1).injectionCounter();
        sent.expect(8);
        late.put(old, 0, source, 0, 8, sent);
        counter.disable();
        client.enable(counter, second, 0, 64, ReceptionCounter.ANYBODY);
        quiet();
        assertThat(client.enable(counter, second, 0, 64, ReceptionCounter.ANYBODY))
                .isZero();
        late.activate();
        assertThatThrownBy(() -> peer.await(sent, deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("its id given to another use");
        assertThat(second.buffer().getByte(0)).isZero();
        assertThat(counter.valueAcquire()).isZero();
    }

    @Test
    void shouldMakeAPatternOfAPeerStale() {
        final Target old = attach();
        final Pattern pattern = peer.prepare(Rounds.ORDERED_BY_CALLER, () -> peer.put(old, 0, source, 0, 8));
        counter.disable();
        client.enable(counter, second, 0, 64, ReceptionCounter.ANYBODY);
        quiet();
        client.enable(counter, second, 0, 64, ReceptionCounter.ANYBODY);
        peer.replay(pattern);
        assertThatThrownBy(() -> peer.await(pattern, 1, deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("is stale")
                .hasMessageContaining("attach to the counter that rank 0 publishes now");
    }

    @Test
    void shouldKeepItsHandlerAndItsErrorOnUnderflow() {
        final List<Integer> hits = new ArrayList<>();
        final ReceptionCounter watched = client.receptionCounter(first, 0, 64);
        context.onHit(watched, hits::add);
        watched.forbidUnderflow();
        client.publish("watched", watched);
        put(peer.attach(0, "watched", deadline()), 0);
        assertThatThrownBy(() -> context.await(watched, deadline())).isInstanceOf(RefusedException.class);
        watched.disable();
        client.enable(watched, second, 0, 64, 1);
        quiet();
        assertThat(client.enable(watched, second, 0, 64, 1)).isZero();
        hits.clear();
        watched.expect(8);
        final Target now = peer.attach(0, "watched", deadline());
        put(now, 0);
        assertThat(hits).contains(watched.id());
        context.await(watched, deadline());
        put(now, 0);
        assertThatThrownBy(() -> context.await(watched, deadline())).isInstanceOf(RefusedException.class);
    }

    @Test
    void shouldRefuseWhatIsNotDisabledOrStillNamed() {
        assertThatThrownBy(() -> client.enable(counter, second, 0, 64, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is enabled; call its disable()");
        final ReceptionCounter armed = client.receptionCounter(first, 0, 8);
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.expect(armed, 8));
        armed.disable();
        assertThatThrownBy(() -> client.enable(armed, second, 0, 64, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("close the pattern first");
        pattern.close();
        client.enable(armed, second, 0, 64, 1);
        quiet();
        assertThat(client.enable(armed, second, 0, 64, 1)).isZero();
        final CounterPair pair = client.counterPair(first, 0, 8, 8);
        pair.counter(1).disable();
        assertThatThrownBy(() -> client.enable(pair.counter(1), second, 0, 8, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is one of a pair");
        counter.disable();
        assertThatThrownBy(() -> client.enable(counter, second, 60, 8, 1)).hasMessageContaining("[60, 60 + 8)");
        assertThatThrownBy(() -> client.enable(counter, second, 0, 8, 4)).hasMessageContaining("sources=4");
        assertThatThrownBy(() -> client.enable(counter, source, 0, 8, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldLandInTheNewRangesOfAPair() {
        final CounterPair pair = client.counterPair(first, 0, 8, 8);
        client.publish("pair", pair);
        final Target old = peer.attach(0, "pair", deadline());
        final int incarnation = pair.incarnation();
        pair.counter(1).expect(5);
        pair.disable();
        for (int rank = 0; rank < 4; rank++) {
            assertThat(client.enable(pair, second, new CounterPair.Sets(40, 16, 16), ReceptionCounter.ANYBODY))
                    .as("before rank " + rank)
                    .isEqualTo(Status.BUSY);
            assertThat(pair.incarnation()).isEqualTo(incarnation);
            assertThat(pair.offset(0)).isZero();
            assertThat(pair.length()).isEqualTo(8);
            passes(rank);
        }
        assertThat(client.enable(pair, second, new CounterPair.Sets(40, 16, 16), new int[] {1, 2}))
                .isZero();
        assertThat(pair.incarnation())
                .isGreaterThan(incarnation)
                .isEqualTo(pair.counter(1).incarnation());
        assertThat(pair.offset(0)).isEqualTo(40);
        assertThat(pair.offset(1)).isEqualTo(16);
        assertThat(pair.length()).isEqualTo(16);
        assertThat(pair.counter(1).valueAcquire()).as("of a new use").isZero();

        final Target now = peer.attach(0, "pair", deadline());
        assertThat(now.length()).isEqualTo(16);
        final Pattern pattern = peer.record(1, Rounds.ALTERNATE, () -> peer.put(now, 8, source, 0, 8));
        engines.settle();
        assertThat(second.buffer().getByte(24)).isEqualTo((byte) 9);
        peer.replay(pattern);
        engines.settle();
        assertThat(second.buffer().getByte(48)).isEqualTo((byte) 9);
        assertThat(first.buffer().getByte(8)).isZero();
        final Pattern stale = peer.record(2, Rounds.ALTERNATE, () -> peer.put(old, 0, source, 0, 8));
        assertThatThrownBy(() -> peer.await(stale, 1, deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("is stale");
        assertThat(second.buffer().getByte(16)).isZero();
    }

    @Test
    void shouldChangeNeitherCounterOfAPairUnlessBothCanBeEnabled() {
        final CounterPair pair = client.counterPair(first, 0, 8, 8);
        final int incarnation = pair.incarnation();
        pair.counter(0).disable();
        assertThatThrownBy(() -> client.enable(pair, second, new CounterPair.Sets(0, 8, 8), 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(pair.counter(1) + " is enabled; call its disable()");
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.expect(pair.counter(1), 8));
        pair.disable();
        quiet();
        assertThatThrownBy(() -> client.enable(pair, second, new CounterPair.Sets(0, 8, 8), 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(pair.counter(1) + " is used by")
                .hasMessageContaining("close the pattern first");
        pattern.close();
        assertThatThrownBy(() -> client.enable(pair, second, new CounterPair.Sets(0, 7, 8), 1))
                .hasMessageContaining("must be the same or not overlap");
        assertThatThrownBy(() -> client.enable(pair, second, new CounterPair.Sets(0, 60, 8), 1))
                .hasMessageContaining("[60, 60 + 8)");
        assertThatThrownBy(() -> client.enable(pair, second, new CounterPair.Sets(0, 8, 8), 4))
                .hasMessageContaining("sources=4");
        assertThatThrownBy(() -> client.enable(pair, source, new CounterPair.Sets(0, 8, 8), 1))
                .isInstanceOf(IllegalArgumentException.class);
        for (int round = 0; round < 2; round++) {
            assertThat(pair.counter(round).incarnation()).isEqualTo(incarnation);
            assertThat(pair.offset(round)).isEqualTo(8L * round);
        }
        client.enable(pair, second, new CounterPair.Sets(0, 8, 8), 1);
        quiet();
        assertThat(client.enable(pair, second, new CounterPair.Sets(0, 8, 8), 1))
                .isZero();
        pair.disable();
        assertThat(client.enable(pair, first, new CounterPair.Sets(0, 8, 8), 1)).isEqualTo(Status.BUSY);
        final Closing closing = client.close(pair);
        assertThatThrownBy(() -> client.enable(pair, second, new CounterPair.Sets(0, 8, 8), 1))
                .isInstanceOf(ClosedException.class);
        quiet();
        assertThat(closing.isDone()).isTrue();
    }

    @Test
    void shouldCloseACounterThatIsDisabled() {
        counter.disable();
        assertThat(client.enable(counter, second, 0, 64, 1)).isEqualTo(Status.BUSY);
        final Closing closing = client.close(counter);
        assertThatThrownBy(() -> client.enable(counter, second, 0, 64, 1)).isInstanceOf(ClosedException.class);
        quiet();
        assertThat(closing.isDone()).isTrue();
        assertThat(client.receptionCounter(second, 0, 64).id()).isEqualTo(counter.id());
    }

    @Test
    void shouldNotDisableTheNextCounterOfAClosedId() {
        final CounterPair pair = client.counterPair(first, 0, 8, 8);
        client.close(counter);
        client.close(pair);
        quiet();
        final ReceptionCounter next = client.receptionCounter(second, 0, 64);
        assertThat(next.id()).isEqualTo(counter.id());

        assertThatThrownBy(counter::disable)
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("reception counter " + counter.id() + " was closed");
        assertThatThrownBy(pair::disable).isInstanceOf(ClosedException.class);

        client.publish("next", next);
        put(peer.attach(0, "next", deadline()), 0);
        assertThat(next.valueAcquire()).isEqualTo(-8);
    }

    @Test
    void shouldReleaseTheOldSetOfRanks() {
        counter.disable();
        client.enable(counter, second, 0, 64, 1);
        quiet();
        // One set per counter; each use takes another one.
        for (int i = 0; i < 100; i++) {
            final int[] set = i % 2 == 0 ? new int[] {1, 2} : new int[] {2, 3};
            assertThat(client.enable(counter, second, 0, 64, set)).isZero();
            counter.disable();
            client.enable(counter, second, 0, 64, 1);
            quiet();
        }
        assertThat(client.enable(counter, second, 0, 64, 1)).isZero();
    }
}
