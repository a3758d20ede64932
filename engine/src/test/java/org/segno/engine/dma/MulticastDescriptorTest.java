package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.ErrorLogReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Context;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.Metric;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.status.Refusal;

/**
 * Multicast descriptors to several contexts: the messages of each target, their order, and the targets that are
 * skipped.
 */
class MulticastDescriptorTest {
    private static final int RANKS = 3;
    private static final int CONTEXTS = 2;
    private static final int SLOTS = 16;
    private static final int WINDOW = 4096;
    private static final int MOST = LaneRecord.maxBodyLength(4096);
    private static final int DISPATCH = 7;

    @TempDir
    Path directory;

    /**
     * Message that one target must receive.
     *
     * @param metadata its bytes
     * @param payload its bytes
     */
    private record Sent(ByteBuffer metadata, ByteBuffer payload) {}

    private final Queue<Sent>[] sent = queues();
    private final Message message = new Message();
    private EngineFixture engines;
    private Context sender;
    private Window window;
    private InjectionCounter injected;
    private int received;

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Queue<Sent>[] queues() {
        final Queue<Sent>[] queues = new Queue[RANKS * CONTEXTS];
        for (int i = 0; i < queues.length; i++) {
            queues[i] = new ArrayDeque<>();
        }
        return queues;
    }

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory,
                NodeSize.small()
                        .ranks(RANKS)
                        .contexts(CONTEXTS)
                        .fifoSlots(SLOTS)
                        .dimensions());
        sender = engines.context(0);
        window = engines.client(0).window(WINDOW);
        injected = engines.client(0).injectionCounter();
        for (int i = 0; i < RANKS * CONTEXTS; i++) {
            final int at = i;
            context(at).handler(DISPATCH, (source, buffer, m, ml, p, pl) -> {
                assertThat(source).isZero();
                assertThat(new Sent(copy(buffer, m, ml), copy(buffer, p, pl))).isEqualTo(sent[at].remove());
                received++;
            });
        }
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private Context context(int number) {
        return engines.client(number / CONTEXTS).context(number % CONTEXTS);
    }

    private static long endpoint(int number) {
        return Endpoint.of(number / CONTEXTS, 0, number % CONTEXTS, number % CONTEXTS);
    }

    private static ByteBuffer copy(DirectBuffer buffer, int offset, int length) {
        final byte[] copy = new byte[length];
        buffer.getBytes(offset, copy);
        return ByteBuffer.wrap(copy);
    }

    /**
     * Runs lanes of a few records full all the time: a descriptor resumes where it had to stop, and no target gets a
     * message twice.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldDeliverToEveryTargetOnceWholeAndInOrder(long seed) {
        final Random chance = new Random(seed);
        int expected = 0;
        for (int i = 0; i < 10_000; i++) {
            if (sender.fifo().fill() == 0) {
                window.buffer().putLong(8 * chance.nextInt(WINDOW / 8), chance.nextLong());
            }
            final int count = 1 + chance.nextInt(Descriptor.MAX_TARGETS);
            final int metadataLength = chance.nextInt(25);
            final int length = switch (chance.nextInt(4)) {
                case 0, 1 -> 0;
                case 2 -> chance.nextInt(100);
                default -> chance.nextInt(MOST - metadataLength + 1);
            };
            final int metadata = chance.nextInt(WINDOW - metadataLength + 1);
            final int payload = chance.nextInt(WINDOW - length + 1);
            message.to(0, DISPATCH).metadata(window, metadata, metadataLength).payload(window, payload, length);
            message.completes(injected);
            final long[] endpoints = new long[Descriptor.MAX_TARGETS];
            for (int target = 0; target < count; target++) {
                final int number = chance.nextInt(RANKS * CONTEXTS);
                endpoints[target] = endpoint(number);
                sent[number].add(new Sent(
                        copy(window.buffer(), metadata, metadataLength), copy(window.buffer(), payload, length)));
            }
            injected.expect((long) count * length);
            while (sender.multicast(message, endpoints, 0, count) < 0) {
                engines.pass(0);
                advance(chance);
            }
            expected += count;
            if (chance.nextInt(3) == 0) {
                engines.pass(0);
                advance(chance);
            }
        }
        settle();
        assertThat(received).isEqualTo(expected);
        assertThat(sent).allSatisfy(queue -> assertThat(queue).isEmpty());
        assertThat(injected.valueAcquire()).isZero();
        assertThat(engines.metrics(0).get(Metric.BLOCKED)).isPositive();
    }

    private void advance(Random chance) {
        context(chance.nextInt(RANKS * CONTEXTS)).advance(1 + chance.nextInt(20));
    }

    private void settle() {
        int work;
        do {
            work = engines.pass(0);
            for (int number = 0; number < RANKS * CONTEXTS; number++) {
                work += context(number).advance();
            }
        } while (work != 0 || sender.fifo().fill() != 0);
    }

    /** Reports a dead target by its rank; the other targets get the message. */
    @Test
    void shouldSkipADeadTargetAndDeliverToTheOthers() {
        engines.states(0).change(1, PeerStates.DEAD);
        message.to(0, DISPATCH).metadata(window, 0, 8).payload(window, 8, 8);
        expect(0, 8, 8, 8);
        expect(4, 8, 8, 8);
        sender.multicast(message, new long[] {endpoint(0), endpoint(2), endpoint(3), endpoint(4)}, 0, 4);
        settle();
        assertThat(received).isEqualTo(2);
        assertThat(engines.metrics(0).get(Refusal.PEER_DEAD)).isEqualTo(2);
        assertThat(engines.metrics(0).get(Metric.RECORDS)).isEqualTo(2);
        assertThat(engines.metrics(0).get(Metric.BYTES)).isEqualTo(2 * 16);
    }

    /** Ends a visit at a full lane: the messages delivered before count as work, and no metric ever decreases. */
    @Test
    void shouldCountItsDeliveriesWhenALaneIsFull() {
        message.to(0, DISPATCH).metadata(window, 0, 0).payload(window, 0, MOST);
        for (int i = 0; i < 3; i++) {
            expect(2, 0, 0, MOST);
            sender.multicast(message, new long[] {endpoint(2)}, 0, 1);
        }
        while (sender.fifo().fill() != 0) {
            engines.pass(0);
        }
        engines.states(0).change(2, PeerStates.DEAD);
        expect(0, 0, 0, MOST);
        expect(2, 0, 0, MOST);
        sender.multicast(message, new long[] {endpoint(4), endpoint(0), endpoint(2), endpoint(5)}, 0, 4);

        assertThat(engines.pass(0)).isPositive();
        assertThat(engines.metrics(0).get(Metric.RECORDS)).isEqualTo(4);
        assertThat(engines.metrics(0).get(Metric.BYTES)).isEqualTo(4L * MOST);
        engines.pass(0);
        assertThat(engines.metrics(0).get(Metric.RECORDS)).isEqualTo(4);
        settle();
        assertThat(received).isEqualTo(5);
        assertThat(engines.metrics(0).get(Metric.RECORDS)).isEqualTo(5);
        assertThat(engines.metrics(0).get(Metric.BYTES)).isEqualTo(5L * MOST);
        assertThat(engines.metrics(0).get(Refusal.PEER_DEAD)).isEqualTo(2);
        // The message names only this one of its targets.
        final List<String> logged = new ArrayList<>();
        ErrorLogReader.read(
                engines.memory(0)
                        .owner()
                        .buffer(engines.memory(0).layout().offset(Part.ERROR_LOG), NodeLayout.ERROR_LOG_LENGTH),
                (count, first, last, text) ->
                        logged.add(text.lines().findFirst().orElse("")));
        assertThat(logged).anySatisfy(text -> assertThat(text).contains("refused at rank 2: "));
    }

    private void expect(int number, int metadataLength, int payload, int length) {
        sent[number].add(new Sent(copy(window.buffer(), 0, metadataLength), copy(window.buffer(), payload, length)));
    }

    /** Fills the lane of a rank that has left and never frees a record: the targets behind it must not wait. */
    @Test
    void shouldNotWaitForATargetThatHasLeftWithAFullLane() {
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
        while (sender.sendImmediate(1, 99, bytes, 0, 32) >= 0 || engines.pass(0) != 0) {
            Thread.onSpinWait();
        }
        engines.states(0).change(1, PeerStates.LEFT);
        while (sender.fifo().fill() != 0) {
            engines.pass(0);
        }
        message.to(0, DISPATCH).metadata(window, 0, 16).payload(window, 0, 0);
        expect(0, 16, 0, 0);
        expect(4, 16, 0, 0);
        sender.multicast(message, new long[] {endpoint(0), endpoint(2), endpoint(4)}, 0, 3);
        settle();
        assertThat(received).isEqualTo(2);
        assertThat(engines.metrics(0).get(Refusal.PEER_LEFT)).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "flags,              1, 1,   1, UNKNOWN_OPERATION, 0",
        "rank,               4, 4,   3, NO_SUCH_RANK,      2",
        "rank,               4, 4,  -1, NO_SUCH_RANK,      2",
        "context,           10, 2,   2, NO_SUCH_CONTEXT,   2",
        "metadata length,   12, 1, 129, BAD_LENGTH,        0",
        "targets,           13, 1,   0, BAD_LENGTH,        0",
        "targets,           13, 1,   6, BAD_LENGTH,        0",
        "targets,           13, 1,  -1, BAD_LENGTH,        0",
        "source offset,     16, 8,  -1, SOURCE_OUT_OF_BOUNDS, 0",
        "source offset,     16, 8, 4089, SOURCE_OUT_OF_BOUNDS, 0",
        "source window,     24, 4,   9, NO_SUCH_WINDOW,    0",
        "injection counter, 28, 4,  -2, NO_SUCH_COUNTER,   0",
        "injection counter, 28, 4,  99, NO_SUCH_COUNTER,   0",
        "metadata offset,   32, 8, 4081, SOURCE_OUT_OF_BOUNDS, 0",
        "metadata offset,   32, 8,  -1, SOURCE_OUT_OF_BOUNDS, 0",
        "metadata window,   40, 4,   9, NO_SUCH_WINDOW,    0",
        "length,            44, 4,  -1, BAD_LENGTH,        0",
        "length,            44, 4, 4097, SOURCE_OUT_OF_BOUNDS, 0",
        "second rank,       48, 2,   3, NO_SUCH_RANK,      2",
        "third context,     54, 2,  -1, NO_SUCH_CONTEXT,   2",
    })
    void shouldRefuseInvalidTargetsAndDeliverToTheValidOnes(
            String field, int offset, int width, long value, Refusal refusal, int delivered) {
        message.to(0, DISPATCH).metadata(window, 0, 16).payload(window, 0, 8);
        final long[] endpoints = {endpoint(0), endpoint(1), endpoint(2)};
        final boolean isFirst = offset < 48;
        for (int number = 0; number < 3 && delivered != 0; number++) {
            if (number != (isFirst ? 0 : offset == 48 ? 1 : 2)) {
                expect(number, 16, 0, 8);
            }
        }
        final long slot = engines.memory(0).layout().offset(Part.FIFO_SLOTS);
        sender.multicast(message, endpoints, 0, 3);
        write(slot + offset, width, value);
        settle();

        assertThat(engines.metrics(0).get(refusal)).as(field).isEqualTo(1);
        assertThat(received).as(field).isEqualTo(delivered);
        assertThat(sender.fifo().fill()).isZero();
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

    /**
     * Checks that the engine validates a descriptor of another message in full, though it validates only the first one
     * of consecutive descriptors of the same multicast.
     */
    @Test
    void shouldRecheckADescriptorBehindOneOfAnotherMessage() {
        for (int round = 0; round < 3; round++) {
            message.to(0, DISPATCH).metadata(window, 0, 16).payload(window, 0, 8L * round);
            expect(0, 16, 0, 8 * round);
            sender.multicast(message, new long[] {endpoint(0)}, 0, 1);
        }
        final long slot = engines.memory(0).layout().offset(Part.FIFO_SLOTS) + 3L * Descriptor.LENGTH;
        sender.multicast(message, new long[] {endpoint(0)}, 0, 1);
        write(slot + Descriptor.MULTICAST_LENGTH_OFFSET, 4, WINDOW + 1);
        settle();
        assertThat(received).isEqualTo(3);
        assertThat(engines.metrics(0).get(Refusal.SOURCE_OUT_OF_BOUNDS)).isEqualTo(1);
    }

    @Test
    void shouldNameTheErrorOfACall() {
        final long[] endpoints = {endpoint(0), endpoint(1)};
        message.to(0, DISPATCH).payload(window, 0, 0);
        assertThatThrownBy(() -> sender.multicast(message, endpoints, 0, 2)).hasMessageContaining("metadata(window");
        message.metadata(window, 0, 0);
        assertThatThrownBy(() -> sender.multicast(message, endpoints, 0, 0)).hasMessageContaining("count=0");
        assertThatThrownBy(() -> sender.multicast(message, endpoints, 1, 2)).hasMessageContaining("first=1");
        assertThatThrownBy(() -> sender.multicast(message, new long[9], 0, 6)).hasMessageContaining("1 to 5");
        assertThatThrownBy(() -> sender.multicast(message, new long[] {RANKS}, 0, 1))
                .hasMessageContaining("rank=3");
        assertThatThrownBy(() -> sender.multicast(message, new long[] {Endpoint.of(1, 0, 0, CONTEXTS)}, 0, 1))
                .hasMessageContaining("context=2");
        message.payload(window, 0, MOST + 1);
        assertThatThrownBy(() -> sender.multicast(message, endpoints, 0, 2)).hasMessageContaining("quarter");
        assertThat(sender.fifo().fill()).isZero();
    }
}
