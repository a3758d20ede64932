package org.segno.context;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.dma.Reach;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Operand;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;

/** Ranges of counters and of pairs as the local memory of operations. Rank 0 sends to rank 1. */
@ParameterizedClass
@EnumSource(
        value = Reach.class,
        names = {"MAPPED", "LINKED"})
class OperandTest {
    private static final int ID = 3;
    private static final int BASE = 256;
    private static final int ODD = 512;
    private static final int LENGTH = 128;

    @Parameter
    Reach reach = Reach.MAPPED;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context context;
    private Window window;
    private ReceptionCounter counter;
    private CounterPair pair;
    private Window theirs;
    private Target peer;
    private InjectionCounter done;
    private final List<Long> received = new ArrayList<>();

    @BeforeEach
    void make() {
        engines = EngineFixture.open(directory, NodeSize.small().dimensions(), reach, EngineFixture.SMALL_LINK);
        context = engines.context(0);
        window = engines.client(0).window(1024);
        counter = engines.client(0).receptionCounter(window, BASE, LENGTH);
        pair = engines.client(0).counterPair(window, BASE, ODD, LENGTH);
        done = engines.client(0).injectionCounter();
        theirs = engines.client(1).window(1024);
        final ReceptionCounter inbox = engines.client(1).receptionCounter(theirs, 0, 1024);
        peer = new Target(1, inbox.id(), inbox.incarnation(), 1024, false);
        engines.context(1).handler(ID, (origin, buffer, metadata, metadataLength, payload, payloadLength) -> {
            if (metadataLength >= Long.BYTES) {
                received.add(buffer.getLong(metadata + metadataLength - Long.BYTES));
            }
            if (payloadLength >= Long.BYTES) {
                received.add(buffer.getLong(payload));
            }
        });
        for (int at = 0; at < 1024; at += Long.BYTES) {
            window.buffer().putLong(at, at);
        }
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldPutFromTheRangeOfACounterFromItsBaseOn() {
        assertThat(context.put(peer, 8, counter, 16, 64)).isNotNegative();
        engines.settle();

        assertThat(theirs.buffer().getLong(8)).isEqualTo(BASE + 16);
        assertThat(theirs.buffer().getLong(8 + 56)).isEqualTo(BASE + 16 + 56);
        assertThat(theirs.buffer().getLong(8 + 64)).isZero();
        assertThat(counter.valueAcquire()).as("only named, not counted").isZero();
    }

    @Test
    void shouldSendPayloadAndMetadataFromRangesOfCounters() {
        assertThat(context.send(new Message().to(1, ID).metadata(counter, 8, 8).payload(counter, 24, 8)))
                .isNotNegative();
        engines.settle();

        assertThat(received).containsExactly(BASE + 8L, BASE + 24L);
    }

    @ParameterizedTest
    @ValueSource(ints = {25, 64, 127, 128})
    void shouldSendUpTo128BytesOfMetadata(int length) {
        final Message message =
                new Message().to(1, ID).metadata(window, 0, length).payload(window, 200, 8);
        window.buffer().putLong(length - Long.BYTES, -length);

        assertThat(context.send(message)).isNotNegative();
        assertThat(context.send(message.payload(window, 0, 0))).isNotNegative();
        assertThat(context.multicast(
                        message.payload(window, 200, 8),
                        new long[] {
                            engines.context(1).endpoint(), engines.context(1).endpoint()
                        },
                        0,
                        2))
                .isNotNegative();
        engines.settle();

        assertThat(received)
                .containsExactly(-(long) length, 200L, -(long) length, -(long) length, 200L, -(long) length, 200L);
    }

    @Test
    void shouldRefuseMetadataThatAreTooLong() {
        final Message message = new Message().to(1, ID).payload(window, 0, 4);
        assertThatThrownBy(() -> message.metadata(window, 0, 129)).hasMessageContaining("0 to 128 bytes: length=129");
        assertThatThrownBy(() -> message.metadata(window.buffer(), 0, 25))
                .hasMessageContaining("0 to 24 bytes by value, more from a window: length=25");
        assertThatThrownBy(() -> context.sendImmediate(message.metadata(window, 0, 25)))
                .hasMessageContaining("at most 24 bytes of metadata");
        assertThatThrownBy(() -> context.sendImmediate(message.metadata(counter, 0, 8)))
                .hasMessageContaining("copies its bytes at the call, from windows");
    }

    @Test
    void shouldUseTheRangeOfTheRoundForEveryOperandOfAPattern() {
        final Message message = new Message().to(1, ID).metadata(pair, 0, 8).payload(pair, 8, 8);
        final long[] endpoints = {engines.context(1).endpoint()};
        final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
            context.put(peer, 0, pair, 16, 8);
            context.send(message);
            context.multicast(message.metadata(pair, 24, 8).payload(pair, 32, 8), endpoints, 0, 1);
            context.copy(pair, 40, window, 0, 8);
            context.copy(window, 8, pair, 48, 8);
        });
        for (long round = 1; round <= 4; round++) {
            if (round > 1) {
                assertThat(context.replay(pattern)).isEqualTo(round);
            }
            engines.settle();
            final long base = pair.offset(round);

            assertThat(theirs.buffer().getLong(0)).isEqualTo(base + 16);
            assertThat(received).containsExactly(base, base + 8, base + 24, base + 32);
            assertThat(window.buffer().getLong(0)).isEqualTo(base + 40);
            assertThat(window.buffer().getLong((int) base + 48)).isEqualTo(8);
            received.clear();
            window.buffer().putLong((int) base + 48, base + 48);
        }
        assertThat(pair.counter(0).valueAcquire() + pair.counter(1).valueAcquire())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"-1, 8", "121, 8", "0, 129", "9223372036854775807, 1", "0, -1"})
    void shouldRefuseARangeOutsideThatOfTheCounter(long offset, long length) {
        for (final Operand operand : new Operand[] {counter, pair}) {
            final String range =
                    "range [" + offset + ", " + offset + " + " + length + ") lies outside the 128 bytes of " + operand;
            assertThatThrownBy(() -> context.put(peer, 0, operand, offset, length))
                    .hasMessageContaining(range);
            assertThatThrownBy(() -> context.copy(operand, offset, window, 0, length))
                    .hasMessageContaining(range);
            assertThatThrownBy(() -> new Message().payload(operand, offset, length))
                    .hasMessageContaining(range);
        }
        assertThat(context.fifo().fill()).isZero();
    }

    @Test
    void shouldRefuseAPairOutsideARecording() {
        final Message message = new Message().to(1, ID).payload(pair, 0, 8);
        final String why = "a pair selects its counter by round, inside record only";
        assertThatThrownBy(() -> context.put(peer, 0, pair, 0, 8)).hasMessageContaining(why);
        assertThatThrownBy(() -> context.send(message)).hasMessageContaining(why);
        assertThatThrownBy(() -> context.copy(pair, 0, window, 0, 8)).hasMessageContaining(why);
        assertThatThrownBy(() -> context.copy(window, 0, pair, 0, 8)).hasMessageContaining(why);
        assertThat(context.put(peer, 0, pair.counter(1), 0, 8)).isNotNegative();
        engines.settle();
        assertThat(theirs.buffer().getLong(0)).isEqualTo(ODD);
    }

    @Test
    void shouldRefuseACounterOfAnotherNodeAndAClosedOne() {
        final ReceptionCounter foreign = engines.client(1).receptionCounter(theirs, 0, 8);
        assertThatThrownBy(() -> context.put(peer, 0, foreign, 0, 8)).isInstanceOf(IllegalArgumentException.class);
        engines.client(0).close(counter);
        assertThatThrownBy(() -> context.put(peer, 0, counter, 0, 8)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> context.copy(window, 0, counter, 0, 8)).isInstanceOf(ClosedException.class);
    }

    /** Changes of a descriptor after its injection, as a foreign process could make them. */
    private enum Forgery {
        DISABLED(Refusal.COUNTER_DISABLED),
        STALE(Refusal.STALE_COUNTER),
        NO_COUNTER(Refusal.NO_SUCH_COUNTER),
        OUT_OF_BOUNDS(Refusal.SOURCE_OUT_OF_BOUNDS);

        private final Refusal refusal;

        Forgery(Refusal refusal) {
            this.refusal = refusal;
        }
    }

    @ParameterizedTest
    @EnumSource(Forgery.class)
    void shouldReportAnOperandThatTheEngineCannotUse(Forgery forgery) {
        done.expect(8);
        assertThat(context.put(peer, 0, counter, 0, 8, done)).isNotNegative();
        final long slot = engines.memory(0).layout().offset(Part.FIFO_SLOTS) + Descriptor.SOURCE_OPERAND_OFFSET;
        final int operand = engines.memory(0).owner().getInt(slot);
        switch (forgery) {
            case DISABLED -> counter.disable();
            case STALE -> engines.memory(0).owner().putInt(slot, operand ^ 1 << 20);
            case NO_COUNTER -> engines.memory(0).owner().putInt(slot, operand | 0xFFFF);
            default ->
                engines.memory(0)
                        .owner()
                        .putLong(
                                engines.memory(0).layout().offset(Part.FIFO_SLOTS) + Descriptor.SOURCE_OFFSET_OFFSET,
                                LENGTH - 7);
        }
        engines.settle();

        assertThatThrownBy(() -> context.await(done, Deadline.in(5, SECONDS)))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(forgery.refusal.reason());
        assertThat(engines.metrics(0).get(forgery.refusal)).isEqualTo(1);
        assertThat(theirs.buffer().getLong(0)).isZero();
    }

    @Test
    void shouldRefuseToRecordOneCounterOfAPairThatTheRecordingExpects() {
        assertThatThrownBy(() -> context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
                    context.expect(pair, 8);
                    context.put(peer, 0, pair.counter(1), 0, 8);
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot be replayed: the source of")
                .hasMessageContaining("Name the pair itself as the operand");
    }

    @Test
    void shouldPinTheCountersThatItsOperandsName() {
        final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.put(peer, 0, pair, 0, 8));
        engines.settle();
        assertThatThrownBy(() -> engines.client(0).close(pair))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("pattern 1");
        pattern.close();
        engines.settle();
        engines.client(0).close(pair);
    }
}
