package org.segno.engine.dma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Context;
import org.segno.context.Loan;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.ErrorLog;
import org.segno.engine.metrics.Metric;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Combine;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;

/** Invalid descriptors: they are changed in their slots, after every check at injection. */
class RefusalTest {
    private static final byte CANARY = 0x6B;
    private static final int SLOTS = 64;
    private static final int ARENA = 1 << 16;
    private static final int WINDOW = 5000;
    private static final int RANGE_AT = 1000;
    private static final int RANGE = 2000;

    /** Targets of the multicast. */
    private static final long[] ALL = {Endpoint.of(1, 0, 0, 0), Endpoint.of(1, 0, 0, 0)};

    /** Number of randomly changed descriptors of each kind, per seed. */
    private static final int TRIALS = 100_000;

    /** Number in the profile {@code stress}. */
    private static final int STRESS_TRIALS = 5_000_000;

    /** Number of changed descriptors between two checks of all memory. */
    private static final int TRIALS_PER_LOOK = 2_000;

    private static final long[] EDGES = {
        Long.MIN_VALUE,
        Integer.MIN_VALUE,
        -129,
        -128,
        -2,
        -1,
        0,
        1,
        2,
        3,
        8,
        9,
        15,
        16,
        17,
        24,
        25,
        31,
        32,
        33,
        127,
        128,
        RANGE - 1,
        RANGE,
        RANGE + 1,
        WINDOW,
        WINDOW + 1,
        ARENA - 1,
        ARENA,
        ARENA + 1,
        Integer.MAX_VALUE,
        1L << 32,
        Long.MAX_VALUE - 1,
        Long.MAX_VALUE
    };

    @TempDir
    Path directory;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
    private final Message message = new Message();
    private EngineFixture engines;
    private Context sender;
    private Window source;
    private Window second;
    private Window target;
    private ReceptionCounter counter;
    private InjectionCounter injected;
    private ReceptionCounter inbox;
    private Target in;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().fifoSlots(SLOTS).windowBytes(ARENA).dimensions());
        sender = engines.context(0);
        source = engines.client(0).window(WINDOW);
        second = engines.client(0).window(WINDOW);
        engines.client(1).window(100);
        target = engines.client(1).window(WINDOW);
        counter = engines.client(1)
                .receptionCounter(
                        target, RANGE_AT, RANGE, ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
        engines.client(1).publish("in", counter);
        engines.client(1).receptionCounter(target, 0, 8, 1);
        injected = engines.client(0).injectionCounter();
        inbox = engines.client(0).receptionCounter(second, 100, 500, 1);
        engines.memory(1).arena().buffer(0, ARENA).setMemory(0, ARENA, CANARY);
        engines.memory(0).arena().buffer(0, ARENA).setMemory(0, ARENA, CANARY);
        in = sender.attach(1, "in", deadline());
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @ParameterizedTest
    @CsvSource({
        "flags,                1, 1,                  20, UNKNOWN_OPERATION",
        "rank,                 4, 4,                   2, NO_SUCH_RANK",
        "counter,              8, 4,                   9, COUNTER_DISABLED",
        "incarnation,         12, 4,                   2, STALE_COUNTER",
        "target offset,       32, 8,                  -1, TARGET_OUT_OF_BOUNDS",
        "target offset,       32, 8,                1993, TARGET_OUT_OF_BOUNDS",
        "length,              56, 8,                  -1, BAD_LENGTH",
        "length,              56, 8,                2001, TARGET_OUT_OF_BOUNDS",
        "length,              56, 8, 9223372036854775807, TARGET_OUT_OF_BOUNDS",
    })
    void shouldRefuseALoanForTheFieldThatIsWrong(String field, int offset, int bytesWide, long value, Refusal refusal) {
        final Loan loan = sender.loan();
        injected.expect(8);
        final long slot = slot();
        loan.claim(in, 0, 8);
        loan.publish(injected);
        write(slot + offset, bytesWide, value);
        loan.claim(in, 8, 8);
        loan.publish();
        engines.settle();

        assertThat(engines.metrics(0).get(refusal)).as(field).isEqualTo(1);
        assertThat(counter.valueAcquire()).as("the next one is carried out").isEqualTo(-8);
        assertThat(InjectionCounter.code(injected.errorAcquire())).isEqualTo(refusal.code());
    }

    @ParameterizedTest
    @CsvSource({
        "operation,           0, 1,                      0, UNKNOWN_OPERATION",
        "operation,           0, 1,                     11, UNKNOWN_OPERATION",
        "operation,           0, 1,                    200, UNKNOWN_OPERATION",
        "unknown flag,        1, 1,                      8, UNKNOWN_OPERATION",
        "deposit,             1, 1,                     16, UNKNOWN_OPERATION",
        "in place counter,    1, 1,                     68, UNKNOWN_OPERATION",
        "in place alternate,  1, 1,                    132, UNKNOWN_OPERATION",
        "rank,                4, 4,                      2, NO_SUCH_RANK",
        "rank,                4, 4,                     -1, NO_SUCH_RANK",
        "counter,             8, 4,                     16, NO_SUCH_COUNTER",
        "counter,             8, 4,                     -1, NO_SUCH_COUNTER",
        "counter,             8, 4,                      9, COUNTER_DISABLED",
        "incarnation,        12, 4,                      2, STALE_COUNTER",
        "source offset,      16, 8,                     -1, SOURCE_OUT_OF_BOUNDS",
        "source offset,      16, 8,                   4993, SOURCE_OUT_OF_BOUNDS",
        "source offset,      16, 8,    9223372036854775807, SOURCE_OUT_OF_BOUNDS",
        "source window,      24, 4,                      2, NO_SUCH_WINDOW",
        "source window,      24, 4,                     16, NO_SUCH_WINDOW",
        "source window,      24, 4,                     -1, NO_SUCH_WINDOW",
        "target offset,      32, 8,                     -1, TARGET_OUT_OF_BOUNDS",
        "target offset,      32, 8,                   1993, TARGET_OUT_OF_BOUNDS",
        "target offset,      32, 8,    9223372036854775807, TARGET_OUT_OF_BOUNDS",
        "length,             56, 8,                     -1, BAD_LENGTH",
        "length,             56, 8,                   5001, SOURCE_OUT_OF_BOUNDS",
        "length,             56, 8,                   2001, TARGET_OUT_OF_BOUNDS",
        "length,             56, 8,    9223372036854775807, SOURCE_OUT_OF_BOUNDS",
    })
    void shouldRefuseAPutForTheFieldThatIsWrong(String field, int offset, int bytesWide, long value, Refusal refusal) {
        injected.expect(8);
        final long slot = slot();
        sender.put(in, 0, source, 0, 8, injected);
        write(slot + offset, bytesWide, value);
        sender.put(in, 8, source, 0, 8);
        engines.settle();

        assertThat(engines.metrics(0).get(refusal)).as(field).isEqualTo(1);
        assertThat(counter.valueAcquire()).as("the next one is carried out").isEqualTo(-8);
        assertThat(sender.fifo().descriptorsAcquire()).isEqualTo(2);
        assertThat(InjectionCounter.code(injected.errorAcquire())).isEqualTo(refusal.code());
        assertThat(ErrorLog.count(engines.memory(0))).isEqualTo(1);
        assertThatThrownBy(() -> sender.await(injected, deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(refusal.reason());
    }

    /** CUMULATIVE needs ALTERNATE, and excludes INJECTION. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4, 16, 64, 64 + 32, 64 + 32 + 1, 64 + 1 + 2, 128})
    void shouldRefuseAWaitWithFlagsThatItCannotHave(int flags) {
        final long slot = slot();
        sender.waitUntil(inbox, 0);
        write(slot + Descriptor.FLAGS_OFFSET, 1, flags);
        sender.put(in, 8, source, 0, 8);
        engines.settle();

        assertThat(engines.metrics(0).get(Refusal.UNKNOWN_OPERATION)).isEqualTo(1);
        assertThat(counter.valueAcquire()).as("the next one is carried out").isEqualTo(-8);
    }

    /** Tests each kind of descriptor alone, with every bit of the reserved field set in turn. */
    @ParameterizedTest
    @EnumSource(Injected.class)
    void shouldRefuseADescriptorWithANonzeroReservedField(Injected kind) {
        for (int bit = 0; bit < Short.SIZE; bit++) {
            final long slot = slot();
            kind.inject(this);
            assertThat(engines.memory(0).owner().getShort(slot + Descriptor.RESERVED_OFFSET))
                    .as("as it is written")
                    .isZero();
            write(slot + Descriptor.RESERVED_OFFSET, 2, 1L << bit);
            engines.settle();
            assertThat(engines.metrics(0).get(Refusal.UNKNOWN_OPERATION))
                    .as("bit " + bit)
                    .isEqualTo(bit + 1);
        }
        assertThat(engines.metrics(1).get(Metric.RECEIVED)).isZero();
        assertThat(counter.valueAcquire()).isZero();
        assertThat(injected.valueAcquire()).isZero();
        kind.inject(this);
        engines.settle();
        assertThat(engines.metrics(0).get(Refusal.UNKNOWN_OPERATION)).isEqualTo(Short.SIZE);
    }

    /** Valid descriptor of each operation, and of each form of a SEND. */
    private enum Injected {
        PUT,
        NOTIFYING_PUT,
        REMOTE_GET,
        GET_TO_COUNTER,
        IMMEDIATE,
        SEND,
        SEND_METADATA,
        MULTICAST,
        RMW,
        COUNT,
        COPY,
        COMBINE,
        WAIT;

        void inject(RefusalTest test) {
            final Message metadata =
                    test.message.to(1, 5).metadata(test.source, 8, 16).payload(test.source, 0, 0);
            final long result = switch (this) {
                case PUT -> test.sender.put(test.in, 0, test.source, 0, 8);
                case NOTIFYING_PUT -> test.sender.putNotifying(test.in, 0, test.source, 0, 8, new Notification().at(5));
                case REMOTE_GET -> test.sender.get(test.in, 0, test.second, 0, 8, test.injected);
                case GET_TO_COUNTER -> test.sender.get(test.in, 0, test.inbox, 0, 8, null);
                case IMMEDIATE -> test.sender.sendImmediate(1, 5, test.bytes, 0, 8);
                case SEND ->
                    test.sender.send(
                            new Message().to(1, 5).metadata(test.bytes, 0, 8).payload(test.source, 0, 8));
                case SEND_METADATA -> test.sender.send(metadata);
                case MULTICAST -> test.sender.multicast(metadata, ALL, 0, 2);
                case RMW -> test.sender.rmw(test.in, 0, new Rmw().fetchAdd(1));
                case COUNT -> test.sender.count(test.in, 1);
                case COPY -> test.sender.copy(test.source, 0, test.second, 0, 8);
                case COMBINE ->
                    test.sender.combine(test.source, 0, test.second, 0, 8, Combine.of(ElementType.LONG, Operator.SUM));
                case WAIT -> test.sender.waitUntil(test.inbox, 0);
            };
            assertThat(result).isNotNegative();
        }
    }

    @Test
    void shouldReportTheRefusingRankAndTheReasonToTheWaiterForAMessage() {
        final ReceptionCounter closed =
                engines.client(1).receptionCounter(engines.client(1).window(8), 0, 8, 1);
        engines.client(1).publish("closed", closed);
        final Target out = sender.attach(1, "closed", deadline());
        injected.expect(8);
        sender.put(out, 0, source, 0, 8, injected);

        assertThatThrownBy(() -> sender.await(injected, deadline()))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.rank()).isEqualTo(1))
                .hasMessageContaining("rank 1 refused")
                .hasMessageContaining(Refusal.SOURCE_NOT_ADMITTED.reason())
                .hasMessageContaining(injected.toString());

        injected.reset();
        injected.expect(8);
        sender.put(in, 0, source, 0, 8, injected);
        sender.await(injected, deadline());
    }

    @Test
    void shouldKeepTheFirstRefusal() {
        injected.expect(16);
        sender.put(new Target(1, 9, 1, 100, false), 0, source, 0, 8, injected);
        sender.put(new Target(1, 999, 1, 100, false), 0, source, 0, 8, injected);

        assertThatThrownBy(() -> sender.await(injected, deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(Refusal.COUNTER_DISABLED.reason());
    }

    @Test
    void shouldReportThatThePeerHasDied() {
        engines.states(0).change(1, PeerStates.DEAD);
        injected.expect(8);
        sender.put(in, 0, source, 0, 8, injected);

        assertThatThrownBy(() -> sender.await(injected, deadline()))
                .isInstanceOfSatisfying(
                        PeerFailedException.class,
                        failed -> assertThat(failed.rank()).isEqualTo(1));
        sender.sendImmediate(1, 1, bytes, 0, 8);
        engines.settle();
        assertThat(engines.metrics(0).get(Refusal.PEER_DEAD)).isEqualTo(2);
    }

    /**
     * Checks that the refusal of a WAIT, which names no rank, reports the dead rank with which the awaited message may
     * be lost.
     */
    @Test
    void shouldNameTheDeadRankAndNotRankZeroWhenAWaitIsRefused() {
        final Window window = engines.client(0).window(8);
        final ReceptionCounter awaited = engines.client(0).receptionCounter(window, 0, 8);
        final Pattern pattern = sender.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            sender.expect(awaited, 8);
            sender.waitUntil(awaited, 0);
            sender.sendImmediate(0, 1, bytes, 0, 8);
        });
        assertThat(sender.replay(pattern)).isEqualTo(1);
        // The rank dies before the engine reaches the descriptor.
        engines.states(0).change(1, PeerStates.DEAD);

        engines.pass(0);

        assertThat(InjectionCounter.code(pattern.errorAcquire())).isEqualTo(Refusal.PEER_DEAD.code());
        assertThat(InjectionCounter.rank(pattern.errorAcquire())).isEqualTo(1);
    }

    /** Fills the lane of a rank that has left and never frees a record: the descriptors behind must not wait. */
    @Test
    void shouldNotHoldTheFifoForARankThatHasLeft() {
        final ReceptionCounter own = engines.client(0).receptionCounter(source, 0, 8);
        while (sender.sendImmediate(1, 5, bytes, 0, 8) >= 0 || engines.pass(0) != 0) {
            Thread.onSpinWait();
        }
        engines.states(0).change(1, PeerStates.LEFT);
        assertThat(engines.pass(0)).isEqualTo(SLOTS);
        assertThat(engines.metrics(0).get(Refusal.PEER_LEFT)).isZero();

        sender.put(new Target(0, own.id(), own.incarnation(), 8, false), 0, source, 8, 8);
        engines.pass(0);
        assertThat(own.valueAcquire()).isEqualTo(-8);
    }

    @Test
    void shouldReportTheRefusingRankToTheWaiterForAPattern() {
        final Target stale = new Target(1, in.counter(), in.incarnation() + 1, RANGE, false);
        final Pattern pattern = sender.record(3, Rounds.ORDERED_BY_CALLER, () -> {
            sender.put(in, 0, source, 0, 8);
            sender.put(stale, 0, source, 0, 8);
        });
        assertThatThrownBy(() -> sender.await(pattern, 1, deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("rank 1 refused")
                .hasMessageContaining(Refusal.STALE_COUNTER.reason())
                .hasMessageContaining("pattern 3");
        assertThat(InjectionCounter.rank(pattern.errorAcquire())).isEqualTo(1);
        assertThat(counter.valueAcquire()).isEqualTo(-8);

        // A recording without the refused descriptor starts without the error.
        final Pattern better = sender.record(3, Rounds.ORDERED_BY_CALLER, () -> sender.put(in, 0, source, 0, 8));
        sender.await(better, 2, deadline());
        assertThat(better.errorAcquire()).isZero();
    }

    @Test
    void shouldRefuseAMessageThatIsTooLongWhenInjectedAndWhenRead() {
        final int most = 1024 - 8;
        message.to(1, 5).metadata(bytes, 0, 24);
        sender.send(message.payload(source, 0, most - 24));
        assertThatThrownBy(() -> sender.send(message.payload(source, 0, most - 23)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a quarter of the target's lane of 4096 bytes")
                .hasMessageContaining("payload=" + (most - 23))
                .hasMessageContaining("withLaneBudgetBytes");
        final long slot = slot();
        sender.send(message.payload(source, 0, 100));
        write(slot + Descriptor.LENGTH_OFFSET, 8, most - 23);
        engines.settle();

        assertThat(engines.metrics(0).get(Refusal.TOO_LONG)).isEqualTo(1);
        assertThat(engines.metrics(1).get(Metric.UNKNOWN_DISPATCH)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "rank,                4, 4,  2, NO_SUCH_RANK",
        "context,            10, 2,  1, NO_SUCH_CONTEXT",
        "context,            10, 2, -1, NO_SUCH_CONTEXT",
        "metadata length,    12, 1, 25, BAD_LENGTH",
        "metadata length,    12, 1, -1, BAD_LENGTH",
        "immediate length,   13, 1, 33, BAD_LENGTH",
        "immediate length,   13, 1, -1, BAD_LENGTH",
        "deposit,             1, 1, 16, UNKNOWN_OPERATION",
        "both,                1, 1, 12, UNKNOWN_OPERATION",
    })
    void shouldRefuseASendForTheFieldThatIsWrong(String field, int offset, int bytesWide, long value, Refusal refusal) {
        final long slot = slot();
        sender.sendImmediate(1, 5, bytes, 0, 32);
        write(slot + offset, bytesWide, value);
        engines.settle();

        assertThat(engines.metrics(0).get(refusal)).as(field).isEqualTo(1);
        assertThat(engines.metrics(1).get(Metric.RECEIVED)).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "metadata length,    12, 1,  129, BAD_LENGTH",
        "source window,      24, 4,   40, NO_SUCH_WINDOW",
        "injection counter,  28, 4,   -2, NO_SUCH_COUNTER",
        "source offset,      16, 8,   -1, SOURCE_OUT_OF_BOUNDS",
        "source offset,      16, 8, 5001, SOURCE_OUT_OF_BOUNDS",
        "metadata offset,    32, 8, 4985, SOURCE_OUT_OF_BOUNDS",
        "metadata offset,    32, 8,   -1, SOURCE_OUT_OF_BOUNDS",
        "metadata operand,   40, 4,   40, NO_SUCH_WINDOW",
        "length,             56, 8,   -1, BAD_LENGTH",
        "alternating window,  1, 1,   40, UNKNOWN_OPERATION",
        "alternating source,  1, 1,  136, UNKNOWN_OPERATION",
        "metadata counter,    1, 1,   24, STALE_COUNTER",
        "source counter,      1, 1,   72, STALE_COUNTER",
        "another flag,        1, 1,   10, UNKNOWN_OPERATION",
    })
    void shouldRefuseTheOneOfARunWithAnInvalidField(
            String field, int offset, int bytesWide, long value, Refusal refusal) {
        message.to(1, 5).metadata(source, 8, 16).payload(source, 0, 0);
        for (int wrong = 0; wrong < 3; wrong++) {
            for (int i = 0; i < 3; i++) {
                final long slot = slot();
                sender.send(message);
                if (i == wrong) {
                    write(slot + offset, bytesWide, value);
                }
            }
            engines.settle();
            assertThat(engines.metrics(0).get(refusal)).as(field).isEqualTo(wrong + 1);
            assertThat(engines.metrics(1).get(Metric.UNKNOWN_DISPATCH)).isEqualTo(2L * (wrong + 1));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "target window,       8, 4,    5, NO_SUCH_WINDOW",
        "source window,      24, 4,    5, NO_SUCH_WINDOW",
        "injection counter,  28, 4,   16, NO_SUCH_COUNTER",
        "injection counter,  28, 4,   -2, NO_SUCH_COUNTER",
        "source offset,      16, 8, 4901, SOURCE_OUT_OF_BOUNDS",
        "target offset,      32, 8, 4901, TARGET_OUT_OF_BOUNDS",
        "target offset,      32, 8,   -1, TARGET_OUT_OF_BOUNDS",
        "length,             56, 8,   -1, BAD_LENGTH",
        "alternate,           1, 1,    1, UNKNOWN_OPERATION",
    })
    void shouldRefuseACopyForTheFieldThatIsWrong(String field, int offset, int bytesWide, long value, Refusal refusal) {
        final long slot = slot();
        sender.copy(source, 0, second, 0, 100);
        write(slot + offset, bytesWide, value);
        engines.settle();

        assertThat(engines.metrics(0).get(refusal)).as(field).isEqualTo(1);
    }

    /** The source lies at 0 of the arena, the target at 5120, and the third operand behind the source. */
    @ParameterizedTest
    @CsvSource({
        "reserved,            2, 2,    1, UNKNOWN_OPERATION",
        "reversed with third, 1, 1,   12, UNKNOWN_OPERATION",
        "third counter alone, 1, 1,   16, UNKNOWN_OPERATION",
        "alternating alone,   1, 1,   32, UNKNOWN_OPERATION",
        "alternate target,    1, 1,    9, UNKNOWN_OPERATION",
        "alternate third,     1, 1,   40, UNKNOWN_OPERATION",
        "alternate source,    1, 1,  136, UNKNOWN_OPERATION",
        "target counter,      1, 1,   10, STALE_COUNTER",
        "third counter,       1, 1,   24, STALE_COUNTER",
        "source counter,      1, 1,   72, STALE_COUNTER",
        "type,               12, 1,    0, UNKNOWN_TYPE",
        "type,               12, 1,    7, UNKNOWN_TYPE",
        "type,               12, 1,   16, UNKNOWN_TYPE",
        "type,               12, 1,   23, UNKNOWN_TYPE",
        "type,               12, 1,   -1, UNKNOWN_TYPE",
        "operator,           13, 1,    0, UNKNOWN_OPERATOR",
        "operator,           13, 1,    5, UNKNOWN_OPERATOR",
        "operator,           13, 1,   11, UNKNOWN_OPERATOR",
        "operator,           13, 1,   13, UNKNOWN_OPERATOR",
        "operator,           13, 1,  127, UNKNOWN_OPERATOR",
        "user operator,      13, 1,  128, NO_SUCH_OPERATOR",
        "user operator,      13, 1,   -1, NO_SUCH_OPERATOR",
        "rest of the detail, 14, 2,    1, UNKNOWN_OPERATOR",
        "rest of the detail, 14, 2,   -1, UNKNOWN_OPERATOR",
        "target window,       8, 4,    5, NO_SUCH_WINDOW",
        "source window,      24, 4,    5, NO_SUCH_WINDOW",
        "third window,       48, 4,    5, NO_SUCH_WINDOW",
        "injection counter,  28, 4,   16, NO_SUCH_COUNTER",
        "injection counter,  28, 4,   -2, NO_SUCH_COUNTER",
        "source offset,      16, 8, 4905, SOURCE_OUT_OF_BOUNDS",
        "source offset,      16, 8,   -8, SOURCE_OUT_OF_BOUNDS",
        "target offset,      32, 8, 4905, TARGET_OUT_OF_BOUNDS",
        "target offset,      32, 8,   -8, TARGET_OUT_OF_BOUNDS",
        "third offset,       40, 8, 4905, SOURCE_OUT_OF_BOUNDS",
        "third offset,       40, 8,   -8, SOURCE_OUT_OF_BOUNDS",
        "length,             56, 8,   -8, BAD_LENGTH",
        "length,             56, 8,   92, BAD_LENGTH",
        "length,             56, 8, 5008, SOURCE_OUT_OF_BOUNDS",
        "source and third,   16, 8,  504, OVERLAPPING",
        "third and source,   40, 8,    8, OVERLAPPING",
    })
    void shouldRefuseACombineForTheFieldThatIsWrong(
            String field, int offset, int bytesWide, long value, Refusal refusal) {
        injected.expect(96);
        final long slot = slot();
        sender.combine(
                source,
                0,
                second,
                0,
                96,
                Combine.of(ElementType.DOUBLE, Operator.SUM).with(source, 512).completes(injected));
        write(slot + offset, bytesWide, value);
        sender.put(in, 8, source, 0, 8);
        engines.settle();

        assertThat(engines.metrics(0).get(refusal)).as(field).isEqualTo(1);
        assertThat(counter.valueAcquire()).as("the next one is carried out").isEqualTo(-8);
        assertThat(injected.valueAcquire()).as("nothing is counted").isEqualTo(96);
        if (!field.equals("injection counter")) {
            assertThat(InjectionCounter.code(injected.errorAcquire())).isEqualTo(refusal.code());
        }
        assertNothingElseWritten(field);
        assertThat(second.buffer().getByte(0)).isEqualTo(CANARY);
    }

    @Test
    void shouldRefuseACombineWhoseTargetOverlapsAnOperand() {
        final long slot = slot();
        sender.combine(source, 0, source, 200, 96, Combine.of(ElementType.DOUBLE, Operator.SUM));
        write(slot + Descriptor.TARGET_OFFSET_OFFSET, 8, 95);
        sender.combine(source, 0, source, 96, 96, Combine.of(ElementType.DOUBLE, Operator.SUM));
        engines.settle();

        assertThat(engines.metrics(0).get(Refusal.OVERLAPPING)).isEqualTo(1);
        assertThat(sender.fifo().descriptorsAcquire()).isEqualTo(2);
    }

    @Test
    void shouldCountAMessageForWhichNoHandlerIsRegistered() {
        final int[] handled = new int[1];
        engines.context(1).handler(5, (from, buffer, m, ml, p, pl) -> handled[0]++);
        for (final int id : new int[] {4, 5, 6, 65_533}) {
            sender.sendImmediate(1, id, bytes, 0, 8);
        }
        engines.settle();

        assertThat(handled[0]).isEqualTo(1);
        assertThat(engines.metrics(1).get(Metric.UNKNOWN_DISPATCH)).isEqualTo(3);
        assertThat(ErrorLog.count(engines.memory(1))).isEqualTo(1);
    }

    /**
     * Changes fields of every kind of descriptor in its slot. The engine must survive each, carry out or refuse it, and
     * write nowhere but in the counter's range, the windows of its own node and its own lane.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void shouldSurviveAnyDescriptorAndWriteNowhereElse(long seed) {
        runChanged(seed, TRIALS);
    }

    @Tag("stress")
    @Timeout(3600)
    @ParameterizedTest
    @ValueSource(longs = {3, 4})
    void shouldSurviveMillionsOfDescriptors(long seed) {
        runChanged(seed, STRESS_TRIALS);
    }

    private void runChanged(long seed, int trials) {
        final Random chance = new Random(seed);
        final OwnerHalfSnapshot own = new OwnerHalfSnapshot(engines.memory(0));
        final OwnerHalfSnapshot peer = new OwnerHalfSnapshot(engines.memory(1));
        final Memory slots = engines.memory(0).owner();
        long injectedCount = sender.fifo().descriptorsAcquire();
        for (int trial = 0; trial < trials; trial++) {
            final long slot = slot();
            inject(chance);
            injectedCount++;
            if (chance.nextInt(10) == 0) {
                for (int at = 0; at < Descriptor.LENGTH; at += Long.BYTES) {
                    slots.putLong(slot + at, chance.nextLong());
                }
                // Mostly a valid operation; the engine checks no other field of an invalid one.
                slots.putByte(slot, (byte) chance.nextInt(11));
            }
            for (int changes = 1 + chance.nextInt(3); changes > 0; changes--) {
                change(slots, slot, chance);
            }
            if (chance.nextInt(8) == 0) {
                drain();
                assertThat(sender.fifo().fill())
                        .as("trial " + trial + ": everything is taken")
                        .isZero();
            }
            if (trial % TRIALS_PER_LOOK == 0) {
                engines.requireNothingThrown();
                assertNothingElseWritten("seed " + seed + " trial " + trial);
                own.require("seed " + seed + " trial " + trial);
                peer.require("seed " + seed + " trial " + trial);
            }
        }
        drain();
        assertNothingElseWritten("seed " + seed);
        assertThat(sender.fifo().descriptorsAcquire()).isEqualTo(injectedCount);
        assertThat(engines.metrics(1).get(Metric.QUARANTINED_LANES)).isZero();
        for (final Refusal refusal : Refusal.values()) {
            if (refusal.code() >= Refusal.BAD_LENGTH.code()) {
                assertThat(engines.metrics(0).get(refusal)).as(refusal.name()).isPositive();
            }
        }
    }

    /** Replaces descriptors that the test turned into WAIT, because they may hold the FIFO. */
    private void drain() {
        engines.settle();
        for (int held = 0; held < SLOTS && sender.fifo().fill() != 0; held++) {
            final Memory slots = engines.memory(0).owner();
            final long slot = slotAt(sender.fifo().headAcquire());
            assertThat(slots.getByte(slot)).isEqualTo((byte) Operation.WAIT);
            slots.putByte(slot, (byte) 0);
            engines.settle();
        }
    }

    private void inject(Random chance) {
        final int length = chance.nextInt(300);
        while (sender.fifo().fill() == SLOTS) {
            drain();
        }
        final long result = switch (chance.nextInt(12)) {
            case 0, 1 -> sender.put(in, chance.nextInt(RANGE - 300), source, chance.nextInt(4000), length, injected);
            case 2 ->
                sender.send(message.to(1, 5)
                        .metadata(bytes, 0, chance.nextInt(25))
                        .payload(source, chance.nextInt(4000), length));
            case 3 -> sender.sendImmediate(1, 5, bytes, 0, chance.nextInt(33));
            case 4 -> sender.count(in, chance.nextInt());
            case 5 -> sender.get(in, chance.nextInt(RANGE - 300), second, chance.nextInt(4000), length, injected);
            case 6 -> sender.get(in, chance.nextInt(RANGE - 300), inbox, chance.nextInt(200), length, injected);
            case 8 ->
                sender.multicast(
                        message.to(1, 5)
                                .metadata(source, chance.nextInt(4000), chance.nextInt(25))
                                .payload(source, chance.nextInt(4000), length),
                        ALL,
                        0,
                        1 + chance.nextInt(ALL.length));
            case 9, 10 ->
                sender.combine(
                        source, chance.nextInt(4000), second, chance.nextInt(4000), length & -16, combine(chance));
            case 7 -> sender.rmw(in, 8L * chance.nextInt(RANGE / 8), rmw(chance));
            default -> sender.copy(source, chance.nextInt(4000), second, chance.nextInt(4000), length);
        };
        assertThat(result).isNotNegative();
    }

    private Rmw rmw(Random chance) {
        final Rmw rmw =
                new Rmw().result(second, 8L * chance.nextInt(WINDOW / 8)).completes(injected);
        return switch (chance.nextInt(3)) {
            case 0 -> rmw.fetchAdd(chance.nextLong());
            case 1 -> rmw.compareAndSet(0, chance.nextLong());
            default -> rmw.swap(chance.nextLong());
        };
    }

    private Combine combine(Random chance) {
        final ElementType[] types = ElementType.values();
        final ElementType type = types[chance.nextInt(types.length)];
        final Combine combine = Combine.of(type, type.isPair() ? Operator.MAXIMUM_PAIR : Operator.PRODUCT)
                .completes(injected);
        return switch (chance.nextInt(3)) {
            case 0 -> combine;
            case 1 -> combine.reversed();
            default -> combine.with(inbox, chance.nextInt(200));
        };
    }

    private static void change(Memory slots, long slot, Random chance) {
        final long value = chance.nextInt(4) == 0 ? chance.nextLong() : EDGES[chance.nextInt(EDGES.length)];
        switch (chance.nextInt(5)) {
            case 0 -> slots.putByte(slot + chance.nextInt(Descriptor.LENGTH), (byte) value);
            case 1 -> slots.putShort(slot + 2L * chance.nextInt(Descriptor.LENGTH / 2), (short) value);
            case 2 -> slots.putInt(slot + 4L * chance.nextInt(Descriptor.LENGTH / 4), (int) value);
            case 3 -> slots.putByte(slot, (byte) (1 + chance.nextInt(Operation.MULTICAST)));
            default -> slots.putLong(slot + 8L * chance.nextInt(Descriptor.LENGTH / 8), value);
        }
    }

    private void assertNothingElseWritten(String as) {
        final Memory peer = engines.memory(1).arena();
        final long base = target.base();
        for (long at = 0; at < ARENA; at++) {
            if ((at < base + RANGE_AT || at >= base + RANGE_AT + RANGE) && peer.getByte(at) != CANARY) {
                throw new AssertionError(as + ": byte " + at + " of rank 1's arena");
            }
        }
        final Memory own = engines.memory(0).arena();
        for (long at = 0; at < ARENA; at++) {
            final boolean inWindow = at < WINDOW || (at >= second.base() && at < second.base() + WINDOW);
            if (!inWindow && own.getByte(at) != CANARY) {
                throw new AssertionError(as + ": byte " + at + " of rank 0's arena");
            }
        }
        final Memory lanes = engines.memory(1).peers();
        for (int at = 0; at < 4096; at += 8) {
            if (lanes.getLong(engines.memory(1).laneOffset(0, 1) + at) != 0) {
                throw new AssertionError(as + ": rank 1's own lane");
            }
        }
    }

    /** Returns the slot of the next descriptor. */
    private long slot() {
        return slotAt(sender.fifo().descriptorsAcquire() + sender.fifo().fill());
    }

    private long slotAt(long position) {
        return engines.memory(0).layout().offset(Part.FIFO_SLOTS) + (position & (SLOTS - 1)) * Descriptor.LENGTH;
    }

    private void write(long offset, int width, long value) {
        final Memory slots = engines.memory(0).owner();
        switch (width) {
            case 1 -> slots.putByte(offset, (byte) value);
            case 2 -> slots.putShort(offset, (short) value);
            case 4 -> slots.putInt(offset, (int) value);
            default -> slots.putLong(offset, value);
        }
    }

    private static long deadline() {
        return Deadline.in(10, SECONDS);
    }
}
