package org.segno.context;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Combine;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.Refusal;
import org.segno.status.Status;

/**
 * Rounds of short patterns, which the engine executes as they were validated in an earlier round. What changes after a
 * round has the same effect whether any round came before: with 0 of them the first one after the change is validated,
 * with 8 it is not.
 */
class DecodedRoundsTest {
    /** Target of the sum, in the window of rank 0. */
    private static final int SUM = 64;

    /** Range of the inbox in the window of rank 1, and the offset of the PUT in it. */
    private static final int INBOX = 32;

    private static final int AT = 8;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context context;
    private AtomicBuffer own;
    private AtomicBuffer there;
    private Window source;
    private Window far;
    private ReceptionCounter inbox;
    private ReceptionCounter door;
    private Target target;
    private Target doorbell;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory,
                NodeSize.small()
                        .ranks(3)
                        .fifos(3)
                        .patternSlots(256)
                        .windowBytes(8192)
                        .dimensions());
        context = engines.context(0);
        source = engines.client(0).window(256);
        far = engines.client(1).window(256);
        own = source.buffer();
        there = far.buffer();
        inbox = engines.client(1).receptionCounter(far, INBOX, 64);
        door = engines.client(1).receptionCounter(far, 0, 0);
        engines.client(1).publish("in", inbox);
        engines.client(1).publish("door", door);
        target = context.attach(1, "in", deadline());
        doorbell = context.attach(1, "door", deadline());
        engines.settle();
    }

    @AfterEach
    void close() {
        engines.requireNothingThrown();
        engines.close();
    }

    private static long deadline() {
        return Deadline.in(10, SECONDS);
    }

    /** Sends 8 bytes, rings, and adds them to a sum. */
    private Pattern prepare() {
        return context.prepare(Rounds.ORDERED_BY_CALLER, this::round);
    }

    private void round() {
        context.put(target, AT, source, 0, Long.BYTES);
        context.count(doorbell, -1);
        context.combine(source, 0, source, SUM, Long.BYTES, Combine.of(ElementType.LONG, Operator.SUM));
    }

    private void replay(Pattern pattern, int rounds) {
        for (int i = 0; i < rounds; i++) {
            assertThat(context.replay(pattern)).isPositive();
            engines.settle();
            assertThat(pattern.isComplete()).isTrue();
        }
    }

    private static int refusal(Pattern pattern) {
        return InjectionCounter.code(pattern.errorAcquire());
    }

    @Test
    void shouldDoTheSameInEveryRound() {
        final Pattern pattern = prepare();
        long sum = 0;
        for (int i = 1; i <= 20; i++) {
            own.putLong(0, i);
            replay(pattern, 1);
            sum += i;
            assertThat(there.getLong(INBOX + AT)).isEqualTo(i);
            assertThat(own.getLong(SUM)).isEqualTo(sum);
            assertThat(inbox.valueAcquire()).isEqualTo(-8L * i);
            assertThat(door.valueAcquire()).isEqualTo(-i);
        }
        assertThat(refusal(pattern)).isZero();
        assertThat(context.persistentFifo().descriptors()).isEqualTo(60);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 8})
    void shouldRefuseWhatACounterAdmitsNoMore(int before) {
        final Pattern pattern = prepare();
        replay(pattern, before);
        inbox.disable();
        own.putLong(0, 7);
        there.putLong(INBOX + AT, 1);
        replay(pattern, 1);
        assertThat(refusal(pattern)).isEqualTo(Refusal.COUNTER_DISABLED.code());
        assertThat(there.getLong(INBOX + AT)).isEqualTo(1);
        assertThat(inbox.valueAcquire()).isEqualTo(-8L * before);
        assertThat(door.valueAcquire()).as("the next descriptor").isEqualTo(-1 - before);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8})
    void shouldNotWriteToTheFormerRangeOfACounter(int before) {
        final Pattern pattern = prepare();
        replay(pattern, before);
        inbox.disable();
        long enabled = Status.BUSY;
        for (int i = 0; i < 1000 && enabled < 0; i++) {
            for (int rank = 0; rank < 3; rank++) {
                engines.pass(rank);
            }
            enabled = engines.client(1).enable(inbox, far, 128, 64, ReceptionCounter.ANYBODY);
        }
        assertThat(enabled).isZero();
        there.putLong(INBOX + AT, 1);
        replay(pattern, 1);
        assertThat(refusal(pattern)).isEqualTo(Refusal.STALE_COUNTER.code());
        assertThat(there.getLong(INBOX + AT)).isEqualTo(1);
        assertThat(there.getLong(128 + AT)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8})
    void shouldSendNothingToARankThatHasDied(int before) {
        final Pattern pattern = prepare();
        replay(pattern, before);
        there.putLong(INBOX + AT, 1);
        own.putLong(SUM, 0);
        own.putLong(0, 7);
        assertThat(context.replay(pattern)).isPositive();
        engines.states(0).change(1, PeerStates.DEAD);
        engines.settle();
        assertThat(refusal(pattern)).isEqualTo(Refusal.PEER_DEAD.code());
        assertThat(there.getLong(INBOX + AT)).isEqualTo(1);
        assertThat(door.valueAcquire()).isEqualTo(-before);
        assertThat(own.getLong(SUM)).as("what follows").isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8})
    void shouldExecuteAnotherPatternInTheSameSlots(int before) {
        replay(prepare(), before);
        final Pattern first = context.record(1, Rounds.ORDERED_BY_CALLER, this::round);
        engines.settle();
        replay(first, before);
        final Pattern second = context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
            context.put(target, 0, source, 0, Long.BYTES);
            context.count(doorbell, -100);
        });
        engines.settle();
        assertThat(door.valueAcquire()).isEqualTo(-2 * before - 101);
        own.putLong(0, 9);
        for (int i = 1; i <= 8; i++) {
            replay(second, 1);
            assertThat(door.valueAcquire()).isEqualTo(-2 * before - 101 - 100 * i);
            assertThat(there.getLong(INBOX)).isEqualTo(9);
            assertThat(there.getLong(INBOX + AT)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8})
    void shouldDivideALongPutByASmallerQuantum(int before) {
        final ReceptionCounter wide =
                engines.client(1).receptionCounter(engines.client(1).window(1024), 0, 1024);
        engines.client(1).publish("wide", wide);
        final Target all = context.attach(1, "wide", deadline());
        final Window parts = engines.client(0).window(1024);
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.put(all, 0, parts, 0, 1024));
        replay(pattern, before);
        context.persistentFifo().quantum(256, 100);
        engines.settle();
        assertThat(context.replay(pattern)).isPositive();
        for (int part = 1; part <= 4; part++) {
            engines.pass(0);
            assertThat(wide.valueAcquire()).isEqualTo(-1024L * before - 256L * part);
        }
        assertThat(pattern.isComplete()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8})
    void shouldRaiseAnEventForEachHit(int before) {
        final int[] hits = {0};
        engines.client(1).context().onHit(inbox, counter -> hits[0]++);
        engines.settle();
        final Pattern pattern = prepare();
        for (int i = 1; i <= before + 2; i++) {
            inbox.expect(Long.BYTES);
            replay(pattern, 1);
            engines.context(1).advance();
            assertThat(hits[0]).isEqualTo(i);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8})
    void shouldUseTheCountersOfTheRoundInTurn(int before) {
        final Client client = engines.client(0);
        final CounterPair gate = client.counterPair(source, 128, 128, 0);
        client.publish("gate", gate);
        final Target gates = engines.context(1).attach(0, "gate", deadline());
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            context.expect(gate, 1);
            context.waitUntil(gate, 0);
            context.count(doorbell, -1);
        });
        for (int i = 1; i <= before + 3; i++) {
            assertThat(context.replay(pattern)).isEqualTo(i);
            engines.settle();
            assertThat(pattern.isComplete()).isFalse();
            assertThat(door.valueAcquire()).isEqualTo(1 - i);
            engines.context(1).count(gates.ofRound(i), -1);
            engines.settle();
            assertThat(pattern.isComplete()).isTrue();
            assertThat(door.valueAcquire()).isEqualTo(-i);
        }
    }

    /** The section is grouped by target when a round is replayed after those that were queued. */
    @Test
    void shouldExecuteASectionThatIsGroupedAfterSomeRounds() {
        final CounterPair gate = engines.client(0).counterPair(source, 128, 128, 0);
        final Target gates = new Target(0, gate.id(), gate.incarnation(), 0, true);
        final CounterPair data = engines.client(1).counterPair(far, 96, 160, 64);
        final Target into = new Target(1, data.id(), data.incarnation(), data.length(), true);
        final int[] messages = {0};
        engines.context(2).handler(1, (origin, buffer, offset, length, message, messageOffset) -> messages[0]++);
        final UnsafeBuffer body = new UnsafeBuffer(new byte[8]);
        final Pattern pattern = context.record(1, Rounds.ALTERNATE, () -> {
            context.expect(gate, 1);
            context.waitUntil(gate, 0);
            context.put(into, 0, source, 0, 8);
            context.sendImmediate(2, 1, body, 0, 8);
            context.put(into, AT, source, 0, 16);
        });
        engines.settle();
        for (int round = 2; round <= 12; round++) {
            assertThat(round < 8 ? context.queue(pattern) : context.replay(pattern))
                    .isEqualTo(round);
            engines.settle();
            engines.context(1).count(gates.ofRound(round < 8 ? round - 1 : round), -1);
            if (round == 7) {
                engines.context(1).count(gates.ofRound(round), -1);
            }
            engines.settle();
            engines.context(2).advance();
            final int complete = round < 7 ? round - 1 : round;
            final long landed = data.counter(0).valueAcquire() + data.counter(1).valueAcquire();
            assertThat(landed).isEqualTo(-24L * complete);
            assertThat(messages[0]).isEqualTo(complete);
        }
    }
}
