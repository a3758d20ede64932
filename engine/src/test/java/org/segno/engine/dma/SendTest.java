package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.metrics.Metric;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.status.Status;

class SendTest {
    private static final int CONTEXTS = 2;
    private static final int MOST = LaneRecord.maxBodyLength(4096);
    private static final int WINDOW = 4096;
    private static final int IDS = 3;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    @TempDir
    Path directory;

    /**
     * Message on its way.
     *
     * @param source rank of its sender
     * @param context number of the receiver's context
     * @param id dispatch id
     * @param metadata its bytes
     * @param payload its bytes
     */
    private record Sent(int source, int context, int id, ByteBuffer metadata, ByteBuffer payload) {}

    private final Message message = new Message();
    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[64]);

    /** Messages by source and receiving context, because order holds between those. */
    private final Queue<Sent>[][] sent = queues();

    private EngineFixture engines;
    private Window[] windows;
    private InjectionCounter injected;
    private int received;

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Queue<Sent>[][] queues() {
        final Queue<Sent>[][] queues = new Queue[2][CONTEXTS];
        for (final Queue<Sent>[] ofSource : queues) {
            Arrays.setAll(ofSource, context -> new ArrayDeque<>());
        }
        return queues;
    }

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().contexts(CONTEXTS).fifoSlots(32).dimensions());
        windows = new Window[] {
            engines.client(0).window(WINDOW), engines.client(1).window(WINDOW)
        };
        injected = engines.client(0).injectionCounter();
        for (int context = 0; context < CONTEXTS; context++) {
            for (int id = 0; id < IDS; id++) {
                final int at = context;
                final int dispatchId = id * 100;
                engines.client(1)
                        .context(context)
                        .handler(
                                dispatchId,
                                (source, buffer, m, ml, p, pl) -> take(new Sent(
                                        Endpoint.task(source),
                                        at,
                                        dispatchId,
                                        copy(buffer, m, ml),
                                        copy(buffer, p, pl))));
            }
        }
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private void take(Sent found) {
        final Sent expected = sent[found.source()][found.context()].remove();
        assertThat(found).isEqualTo(expected);
        received++;
    }

    private static ByteBuffer copy(DirectBuffer buffer, int offset, int length) {
        final byte[] copy = new byte[length];
        buffer.getBytes(offset, copy);
        return ByteBuffer.wrap(copy);
    }

    /** Sends from both ranks, to both contexts of rank 1, in every form and length. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldDeliverEveryMessageWholeOnceAndInOrder(long seed) {
        final Random chance = new Random(seed);
        int count = 0;
        for (int i = 0; i < 20_000; i++) {
            final int source = chance.nextInt(2);
            fillWindows(chance);
            while (!send(chance, source)) {
                advance(chance.nextInt(3));
            }
            count++;
            if (chance.nextInt(10) == 0) {
                advance(1 + chance.nextInt(300));
            }
            // The engine reads a payload later: it must not be overwritten before.
            engines.pass(source);
        }
        settle();
        assertThat(received).isEqualTo(count);
        assertThat(injected.valueAcquire()).isZero();
        assertThat(engines.metrics(1).get(Metric.RECEIVED)).isEqualTo(count);
    }

    private void fillWindows(Random chance) {
        for (final Window window : windows) {
            // The window changes only while no engine has to read it.
            if (engines.context(0).fifo().fill() == 0
                    && engines.context(1).fifo().fill() == 0) {
                window.buffer().putLong(8 * chance.nextInt(WINDOW / 8), chance.nextLong());
            }
        }
    }

    private boolean send(Random chance, int source) {
        return switch (chance.nextInt(3)) {
            case 0 -> sendFromWindow(chance, source);
            case 1 -> sendMetadataOfWindow(chance, source);
            default -> sendImmediate(chance, source);
        };
    }

    /** Sends metadata alone, often of the last one's length and for the same handler, so that they make runs. */
    private boolean sendMetadataOfWindow(Random chance, int source) {
        final int length = chance.nextInt(4) == 0 ? chance.nextInt(25) : 16;
        final int id = 100 * (chance.nextInt(4) == 0 ? chance.nextInt(IDS) : 0);
        final int offset = chance.nextInt(WINDOW - length + 1);
        final Window window = windows[source];
        final long result = engines.context(source)
                .send(new Message()
                        .to(1, 0, id)
                        .metadata(window, offset, length)
                        .payload(window, WINDOW, 0));
        if (result >= 0) {
            sent[source][0].add(new Sent(source, 0, id, copy(window.buffer(), offset, length), NOTHING));
        }
        return result >= 0;
    }

    private boolean sendFromWindow(Random chance, int source) {
        final int metadataLength = chance.nextInt(25);
        final int length = chance.nextInt(10) == 0 ? MOST - metadataLength : chance.nextInt(300);
        final int context = chance.nextInt(CONTEXTS);
        final int id = 100 * chance.nextInt(IDS);
        final int offset = chance.nextInt(WINDOW - length + 1);
        chance.ints(metadataLength).forEach(value -> bytes.putByte(value & 31, (byte) value));
        message.to(1, context, id).metadata(bytes, 0, metadataLength).payload(windows[source], offset, length);
        final long result;
        if (source == 0) {
            result = engines.context(0).send(message.completes(injected));
            if (result >= 0) {
                injected.expect(length);
            }
        } else {
            result = engines.context(1)
                    .send(new Message()
                            .to(1, context, id)
                            .metadata(bytes, 0, metadataLength)
                            .payload(windows[1], offset, length));
        }
        if (result >= 0) {
            sent[source][context].add(new Sent(
                    source,
                    context,
                    id,
                    copy(bytes, 0, metadataLength),
                    copy(windows[source].buffer(), offset, length)));
        }
        return result >= 0;
    }

    private boolean sendImmediate(Random chance, int source) {
        final int length = chance.nextInt(33);
        final int id = 100 * chance.nextInt(IDS);
        final int offset = chance.nextInt(32);
        bytes.putLong(chance.nextInt(56), chance.nextLong());
        final long result = engines.context(source).sendImmediate(1, id, bytes, offset, length);
        if (result >= 0) {
            sent[source][0].add(new Sent(source, 0, id, NOTHING, copy(bytes, offset, length)));
        }
        return result >= 0;
    }

    private int advance(int limit) {
        return engines.pass(0)
                + engines.client(1).context(0).advance(limit)
                + engines.client(1).context(1).advance(limit);
    }

    private void settle() {
        while (advance(Integer.MAX_VALUE) != 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldDeliverEveryImmediateLengthFromEveryOffset() {
        for (int at = 0; at < bytes.capacity(); at++) {
            bytes.putByte(at, (byte) (at + 1));
        }
        for (int length = 0; length <= 32; length++) {
            for (int offset = 0; offset <= 16; offset++) {
                sent[0][0].add(new Sent(0, 0, 100, NOTHING, copy(bytes, offset, length)));
                assertThat(engines.context(0).sendImmediate(1, 100, bytes, offset, length))
                        .isNotNegative();
                engines.settle();
                engines.client(1).context(0).advance();
            }
        }
        assertThat(received).isEqualTo(33 * 17);
    }

    @Test
    void shouldHoldItsFifoWhenTheLaneIsFullAndLoseNothing() {
        bytes.putLong(0, 0);
        long count = 0;
        while (true) {
            bytes.putLong(0, count);
            if (engines.context(0).sendImmediate(1, 0, bytes, 0, 8) == Status.BACK_PRESSURED) {
                if (engines.pass(0) == 0) {
                    break;
                }
                continue;
            }
            sent[0][0].add(new Sent(0, 0, 0, NOTHING, copy(bytes, 0, 8)));
            count++;
        }
        // A lane of 4096 bytes less one header, and a FIFO of 32 slots.
        assertThat(count).isEqualTo(255 + 32);
        assertThat(engines.metrics(0).get(Metric.BLOCKED)).isPositive();
        assertThat(engines.context(0).fifo().fill()).isEqualTo(32);

        settle();
        assertThat(received).isEqualTo(255 + 32);
    }

    @Test
    void shouldServeOneTargetWhileTheLaneOfAnotherIsFull() {
        // The lane of context 0 is full. The next message in the same FIFO waits; the FIFO of another node does not.
        while (engines.context(0).sendImmediate(1, 0, bytes, 0, 8) >= 0 || engines.pass(0) != 0) {
            Thread.onSpinWait();
        }
        assertThat(engines.context(1).sendImmediate(1, 0, bytes, 0, 8)).isNotNegative();
        assertThat(engines.pass(1)).isEqualTo(1);
    }

    @Test
    void shouldValidateItsMessage() {
        assertThatThrownBy(() -> engines.context(0).sendImmediate(1, 0, bytes, 0, 33))
                .hasMessageContaining("length=33");
        assertThatThrownBy(() -> engines.context(0).sendImmediate(1, 0, bytes, 0, -1))
                .hasMessageContaining("length=-1");
        assertThatThrownBy(() -> engines.context(0).sendImmediate(2, 0, bytes, 0, 8))
                .hasMessageContaining("rank=2");
        assertThatThrownBy(() -> engines.context(0).sendImmediate(-1, 0, bytes, 0, 8))
                .hasMessageContaining("rank=-1");
        assertThatThrownBy(() -> engines.context(0).sendImmediate(1, -1, bytes, 0, 8))
                .hasMessageContaining("dispatchId=-1");
        assertThatThrownBy(() -> engines.context(0).sendImmediate(1, 65_536, bytes, 0, 8))
                .hasMessage("dispatch id must be 0 to 65534: dispatchId=65536");
        final String reserved = "dispatch id 65535 is reserved for announcements of long messages; choose a lower one";
        assertThatThrownBy(() -> engines.context(0).sendImmediate(1, 65_535, bytes, 0, 8))
                .hasMessage(reserved);
        assertThatThrownBy(() -> new Message().to(1, 65_535)).hasMessage(reserved);
        assertThatThrownBy(() -> new Message().to(1L, 65_535)).hasMessage(reserved);
        assertThatThrownBy(() -> engines.context(0).sendImmediate(1, 0, bytes, 60, 8))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> new Message().to(1, -1)).hasMessageContaining("dispatchId=-1");
        assertThatThrownBy(() -> new Message().metadata(bytes, 0, 25)).hasMessageContaining("length=25");
        assertThatThrownBy(() -> new Message().payload(windows[0], WINDOW - 7, 8))
                .hasMessageContaining("payload range");
        assertThatThrownBy(() -> engines.context(0).send(new Message().to(1, 0)))
                .hasMessageContaining("no payload");
        assertThatThrownBy(() -> engines.context(0).send(new Message().to(2, 0).payload(windows[0], 0, 8)))
                .hasMessageContaining("rank=2");
        assertThatThrownBy(
                        () -> engines.context(0).send(new Message().to(1, 2, 0).payload(windows[0], 0, 8)))
                .hasMessageContaining("context=2");
        assertThat(engines.context(0).fifo().fill())
                .as("nothing of this was injected")
                .isZero();
    }
}
