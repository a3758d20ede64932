package org.segno.engine.dma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Context;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.metrics.Metric;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Combine;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.status.Deadline;

/**
 * Passes of an engine over slots that a fuzzer has filled: each is carried out or refused, and nothing else is written.
 */
@Tag("fuzz")
class DescriptorFuzzTest {
    private static final byte CANARY = 0x6B;
    private static final long CANARIES = 0x6B6B_6B6B_6B6B_6B6BL;
    private static final int SLOTS = 16;
    private static final int ARENA = 1 << 12;
    private static final int WINDOW = 1024;
    private static final int RANGE_AT = 256;
    private static final int RANGE = 512;
    private static final int OPERATIONS = 10;

    @TempDir
    Path directory;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
    private final Message message = new Message();
    private EngineFixture engines;
    private Context sender;
    private Window source;
    private Window second;
    private Window target;
    private InjectionCounter injected;
    private ReceptionCounter inbox;
    private Target in;
    private OwnerHalfSnapshot own;
    private OwnerHalfSnapshot peer;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().fifoSlots(SLOTS).windowBytes(ARENA).dimensions());
        sender = engines.context(0);
        source = engines.client(0).window(WINDOW);
        second = engines.client(0).window(WINDOW);
        engines.client(1).window(128);
        target = engines.client(1).window(WINDOW);
        final ReceptionCounter counter = engines.client(1)
                .receptionCounter(
                        target, RANGE_AT, RANGE, ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
        engines.client(1).publish("in", counter);
        injected = engines.client(0).injectionCounter();
        inbox = engines.client(0).receptionCounter(second, 128, RANGE, 1);
        engines.memory(1).arena().buffer(0, ARENA).setMemory(0, ARENA, CANARY);
        engines.memory(0).arena().buffer(0, ARENA).setMemory(0, ARENA, CANARY);
        in = sender.attach(1, "in", Deadline.in(10, SECONDS));
        own = new OwnerHalfSnapshot(engines.memory(0));
        peer = new OwnerHalfSnapshot(engines.memory(1));
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @FuzzTest(maxDuration = "1m")
    void shouldSurviveAnyDescriptor(FuzzedDataProvider data) {
        final Memory slots = engines.memory(0).owner();
        final long before = sender.fifo().descriptorsAcquire();
        int count = 0;
        while (count < SLOTS && (count == 0 || data.remainingBytes() != 0)) {
            final long slot = slotAt(before + count);
            inject(data.consumeByte());
            count++;
            if (data.consumeBoolean()) {
                // All remaining bytes, in their order.
                final byte[] all = data.consumeBytes(Descriptor.LENGTH);
                for (int i = 0; i < all.length; i++) {
                    slots.putByte(slot + i, all[i]);
                }
            } else {
                slots.putLong(slot + Long.BYTES * data.consumeLong(0, 7), data.consumeLong());
                slots.putInt(slot + Integer.BYTES * data.consumeLong(0, 15), data.consumeInt());
            }
        }
        drain();
        engines.requireNothingThrown();
        assertThat(sender.fifo().descriptorsAcquire()).isEqualTo(before + count);
        assertThat(engines.metrics(1).get(Metric.QUARANTINED_LANES)).isZero();
        requireNothingElseWritten();
    }

    private void inject(int operation) {
        final long result = switch ((operation & 0xFF) % OPERATIONS) {
            case 0 -> sender.put(in, 8, source, 16, 64, injected);
            case 1 -> sender.send(message.to(1, 5).metadata(bytes, 0, 16).payload(source, 24, 100));
            case 2 -> sender.sendImmediate(1, 5, bytes, 0, 32);
            case 3 -> sender.count(in, 3);
            case 4 -> sender.get(in, 8, second, 16, 64, injected);
            case 5 -> sender.get(in, 8, inbox, 16, 64, injected);
            case 6 ->
                sender.rmw(
                        in, 8, new Rmw().result(second, 8).completes(injected).fetchAdd(1));
            case 7 ->
                sender.multicast(
                        message.to(1, 5).metadata(source, 0, 16).payload(source, 24, 100),
                        new long[] {Endpoint.of(1, 0, 0, 0)},
                        0,
                        1);
            case 8 ->
                sender.combine(
                        source,
                        8,
                        second,
                        16,
                        64,
                        Combine.of(ElementType.INT, Operator.SUM).with(inbox, 128));
            default -> sender.copy(source, 8, second, 16, 64);
        };
        assertThat(result).isNotNegative();
    }

    /** Replaces descriptors that the fuzzer turned into WAIT, because they may hold the FIFO. */
    private void drain() {
        engines.settle();
        for (int held = 0; held < SLOTS && sender.fifo().fill() != 0; held++) {
            final long slot = slotAt(sender.fifo().headAcquire());
            assertThat(engines.memory(0).owner().getByte(slot)).isEqualTo((byte) Operation.WAIT);
            engines.memory(0).owner().putByte(slot, (byte) 0);
            engines.settle();
        }
    }

    private long slotAt(long position) {
        return engines.memory(0).layout().offset(Part.FIFO_SLOTS) + (position & (SLOTS - 1)) * Descriptor.LENGTH;
    }

    private void requireNothingElseWritten() {
        final long range = target.base() + RANGE_AT;
        requireCanaries(1, 0, range);
        requireCanaries(1, range + RANGE, ARENA);
        requireCanaries(0, source.base() + WINDOW, second.base());
        requireCanaries(0, second.base() + WINDOW, ARENA);
        for (int at = 0; at < engines.memory(1).layout().dimensions().laneBytes(); at += Long.BYTES) {
            assertThat(engines.memory(1).peers().getLong(engines.memory(1).laneOffset(0, 1) + at))
                    .as("word at %d of rank 1's own lane", at)
                    .isZero();
        }
        own.require("own half");
        peer.require("peer's half");
    }

    private void requireCanaries(int rank, long from, long to) {
        for (long at = from; at < to; at += Long.BYTES) {
            if (engines.memory(rank).arena().getLong(at) != CANARIES) {
                throw new AssertionError("word at " + at + " of rank " + rank + "'s arena");
            }
        }
    }
}
