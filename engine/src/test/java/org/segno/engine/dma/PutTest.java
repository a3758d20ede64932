package org.segno.engine.dma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Context;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.WatchedMemory;
import org.segno.engine.memory.WatchedMemory.Add;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Deadline;

/** Puts of rank 0 into the window of rank 1. */
class PutTest {
    private static final byte CANARY = 0x3C;
    private static final int QUANTUM = (int) FifoMetadata.DEFAULT_QUANTUM_BYTES;
    private static final int WINDOW = 3 * QUANTUM + 4096;

    /** The counter's range leaves canaries at both ends of its window. */
    private static final int EDGE = 512;

    @TempDir
    Path directory;

    private final List<WatchedMemory> watched = new ArrayList<>();
    private EngineFixture engines;
    private Context sender;
    private Window source;
    private Window target;
    private ReceptionCounter counter;
    private Target in;
    private byte[] expected;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory,
                NodeSize.small().fifoSlots(2048).windowBytes(4L * WINDOW).dimensions(),
                node -> {
                    final WatchedMemory arena = new WatchedMemory(node.arena());
                    watched.add(arena);
                    return new NodeMemory(node.rank(), node.layout(), node.owner(), node.peers(), arena);
                });
        sender = engines.context(0);
        source = engines.client(0).window(WINDOW);
        target = engines.client(1).window(WINDOW);
        counter = engines.client(1).receptionCounter(target, EDGE, WINDOW - 2 * EDGE);
        engines.client(1).publish("in", counter);
        in = attach("in");
        expected = new byte[WINDOW];
        new Random(1).nextBytes(expected);
        source.buffer().putBytes(0, expected);
        Arrays.fill(expected, CANARY);
        target.buffer().setMemory(0, WINDOW, CANARY);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldLandEveryShortLengthAndNothingBesideIt() {
        for (int length = 0; length <= 300; length++) {
            put(length % 17, length % 23, length);
            engines.settle();
            assertThat(landed()).as("length " + length).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void shouldLandLengthsUpToSeveralQuanta(long seed) {
        final Random chance = new Random(seed);
        for (int i = 0; i < 40; i++) {
            final int length = i % 4 == 0
                    ? QUANTUM * (1 + chance.nextInt(3)) + chance.nextInt(3) - 1
                    : chance.nextInt(WINDOW - 2 * EDGE + 1);
            put(chance.nextInt(WINDOW - length + 1), chance.nextInt(WINDOW - 2 * EDGE - length + 1), length);
            if (chance.nextBoolean()) {
                put(0, 0, chance.nextInt(100));
            }
            engines.settle();
            assertThat(landed()).as("put " + i + " of " + length).isTrue();
        }
    }

    @Test
    void shouldKeepOrderBehindAMessageOfManyQuanta() {
        final long length = WINDOW - 2 * EDGE;
        put(0, 0, (int) length);
        put(100, 0, 8);
        put(200, length - 8, 8);
        put(7, 1000, (int) length - 2000);
        put(300, QUANTUM, 64);
        engines.settle();
        assertThat(landed()).isTrue();
    }

    @Test
    void shouldKeepOrderAmongShortOnes() {
        final Random chance = new Random(2);
        for (int i = 0; i < 20_000; i++) {
            final int length = chance.nextInt(40);
            put(chance.nextInt(1000), chance.nextInt(64), length);
            if (chance.nextInt(500) == 0) {
                engines.pass(0);
            }
        }
        engines.settle();
        assertThat(landed()).isTrue();
    }

    /** The second of three messages has offsets at and beyond every limit, forged after the call's checks. */
    @ParameterizedTest
    @ValueSource(ints = {8, 64, 136, 1024})
    void shouldCheckBothOffsetsOfEachMessageOfARun(int length) {
        final long limit = WINDOW - 2L * EDGE;
        final long[] offsets = {
            0,
            8,
            limit - length,
            limit - length + 1,
            limit,
            WINDOW - length,
            WINDOW - length + 1,
            WINDOW,
            -1,
            -length,
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            Long.MAX_VALUE - length + 1,
            Long.MAX_VALUE - length,
            Integer.MAX_VALUE,
            1L << 32
        };
        final Memory slots = engines.memory(0).owner();
        long landed = 0;
        for (final long from : offsets) {
            for (final long to : offsets) {
                final long slot = putThree(length);
                slots.putLong(slot + Descriptor.SOURCE_OFFSET_OFFSET, from);
                slots.putLong(slot + Descriptor.TARGET_OFFSET_OFFSET, to);
                engines.pass(0);

                final boolean valid = from >= 0 && from <= WINDOW - length && to >= 0 && to <= limit - length;
                landed += (valid ? 3L : 2L) * length;
                if (valid) {
                    source.buffer().getBytes((int) from, expected, EDGE + (int) to, length);
                    source.buffer().getBytes(0, expected, EDGE, length);
                }
                assertThat(counter.valueAcquire())
                        .as("from " + from + " to " + to)
                        .isEqualTo(-landed);
                assertThat(landed()).as("from " + from + " to " + to).isTrue();
            }
        }
    }

    /** The second of three messages has a length that fits nowhere, forged after the call's checks. */
    @ParameterizedTest
    @ValueSource(longs = {-1, -136, WINDOW - 2L * EDGE - 15, WINDOW, 1L << 32, Long.MAX_VALUE - 16, Long.MIN_VALUE})
    void shouldRefuseALengthThatExceedsItsRange(long forged) {
        for (final int length : new int[] {8, 64, 136}) {
            final long before = counter.valueAcquire();
            engines.memory(0).owner().putLong(putThree(length) + Descriptor.LENGTH_OFFSET, forged);
            engines.settle();
            assertThat(before - counter.valueAcquire()).isEqualTo(2L * length);
            assertThat(landed()).isTrue();
        }
    }

    /** Injects three messages of the beginning of the window, and returns the slot of the second one, to be forged. */
    private long putThree(int length) {
        put(0, 0, length);
        final long position = sender.put(in, 16, source, 16, length);
        put(0, 0, length);
        return sender.fifo().start() + position % 2048 * Descriptor.LENGTH;
    }

    @Test
    void shouldCountALongMessageDownByTheQuantum() {
        final InjectionCounter injected = engines.client(0).injectionCounter();
        final long length = 2L * QUANTUM + 100;
        counter.expect(length);
        injected.expect(length);
        sender.put(in, 0, source, 0, length, injected);

        for (final long left : new long[] {QUANTUM + 100, 100, 0}) {
            assertThat(engines.pass(0)).isPositive();
            assertThat(counter.valueAcquire()).isEqualTo(left);
            assertThat(injected.valueAcquire()).isEqualTo(left);
        }
        assertThat(engines.pass(0)).isZero();
        assertThat(sender.fifo().descriptorsAcquire()).isEqualTo(1);
    }

    @Test
    void shouldEndTheQuantumWithinALongMessageOfARun() {
        final int length = QUANTUM / 2 + 100;
        put(0, 0, length);
        put(64, 128, length);
        put(1, 3, length);
        engines.pass(0);
        assertThat(counter.valueAcquire()).isEqualTo(-QUANTUM);
        engines.settle();
        assertThat(counter.valueAcquire()).isEqualTo(-3L * length);
        assertThat(landed()).isTrue();
    }

    @Test
    void shouldServeAtMostAQuantumOfDescriptorsInAPass() {
        final int many = FifoMetadata.DEFAULT_QUANTUM_DESCRIPTORS + 500;
        for (int i = 0; i < many; i++) {
            put(0, 0, 1);
        }
        assertThat(engines.pass(0)).isEqualTo(FifoMetadata.DEFAULT_QUANTUM_DESCRIPTORS);
        assertThat(counter.valueAcquire()).isEqualTo(-FifoMetadata.DEFAULT_QUANTUM_DESCRIPTORS);
        assertThat(engines.pass(0)).isEqualTo(500);
        assertThat(counter.valueAcquire()).isEqualTo(-many);
    }

    @Test
    void shouldCountARunDownByOneAddAfterItsPayload() {
        final AtomicBuffer seen = target.buffer();
        watched()
                .beforeAdd(() -> assertThat(seen.getByte(EDGE + 299))
                        .as("the last byte is there before the add")
                        .isEqualTo(source.buffer().getByte(299)));
        put(0, 0, 100);
        put(100, 100, 100);
        put(200, 200, 100);
        engines.pass(0);
        assertThat(watched().takeAdds()).containsExactly(add(counter, -300));
    }

    @Test
    void shouldEndARunBeforeAnotherKindAnotherCounterAndAnotherSource() {
        final ReceptionCounter other = engines.client(1).receptionCounter(target, EDGE, 100);
        engines.client(1).publish("other", other);
        final Target out = attach("other");
        final Window second = engines.client(0).window(100);
        watched().takeAdds();

        put(0, 0, 1);
        put(0, 0, 2);
        sender.put(out, 0, source, 0, 4);
        put(0, 0, 8);
        sender.count(in, -16);
        put(0, 0, 32);
        sender.copy(source, 0, second, 0, 50);
        put(0, 0, 64);
        sender.sendImmediate(1, 7, source.buffer(), 0, 8);
        put(0, 0, 128);
        sender.put(in, 0, second, 0, 1);
        engines.pass(0);

        assertThat(watched().takeAdds())
                .containsExactly(
                        add(counter, -3),
                        add(other, -4),
                        add(counter, -8),
                        add(counter, -16),
                        add(counter, -32),
                        add(counter, -64),
                        add(counter, -128),
                        add(counter, -1));
    }

    @Test
    void shouldEndARunForAnotherTarget() {
        final ReceptionCounter own =
                engines.client(0).receptionCounter(engines.client(0).window(64), 0, 64);
        final Target self = new Target(0, own.id(), own.incarnation(), 64, false);
        watched().takeAdds();
        put(0, 0, 8);
        sender.put(self, 0, source, 0, 8);
        put(0, 0, 16);
        engines.pass(0);

        assertThat(watched().takeAdds()).containsExactly(add(counter, -8), add(counter, -16));
        assertThat(own.valueAcquire()).isEqualTo(-8);
    }

    @Test
    void shouldCountDownPutsThatLandBeforeAndAfterARefusedDescriptor() {
        final InjectionCounter injected = engines.client(0).injectionCounter();
        injected.expect(24);
        final Target lying = new Target(1, in.counter(), in.incarnation(), Long.MAX_VALUE, false);
        watched().takeAdds();
        sender.put(in, 0, source, 0, 8, injected);
        sender.put(lying, WINDOW, source, 0, 8, injected);
        sender.put(in, 8, source, 8, 8, injected);
        engines.pass(0);

        assertThat(watched().takeAdds()).containsExactly(add(counter, -8), add(counter, -8));
        assertThat(injected.valueAcquire()).isEqualTo(8);
        assertThat(injected.errorAcquire()).isNotZero();
    }

    @Test
    void shouldPutToItself() {
        final Window own = engines.client(0).window(1024);
        final ReceptionCounter arrived = engines.client(0).receptionCounter(own, 0, 1024);
        engines.client(0).publish("self", arrived);
        final Target self = sender.attach(0, "self", Deadline.in(1, SECONDS));
        arrived.expect(1024);
        sender.put(self, 0, source, 5, 1024);
        sender.await(arrived, Deadline.in(10, SECONDS));

        for (int i = 0; i < 1024; i++) {
            assertThat(own.buffer().getByte(i)).isEqualTo(source.buffer().getByte(5 + i));
        }
    }

    private WatchedMemory watched() {
        return watched.get(0);
    }

    private Add add(ReceptionCounter to, long delta) {
        return new Add(engines.memory(1).receptionValueOffset(to.id()), delta);
    }

    private Target attach(String name) {
        return sender.attach(1, name, Deadline.in(10, SECONDS));
    }

    private void put(int sourceOffset, long targetOffset, int length) {
        while (sender.put(in, targetOffset, source, sourceOffset, length) < 0) {
            engines.pass(0);
        }
        source.buffer().getBytes(sourceOffset, expected, EDGE + (int) targetOffset, length);
    }

    /** Returns true if the target window holds the bytes of the PUT, and canaries everywhere else. */
    private boolean landed() {
        final byte[] found = new byte[WINDOW];
        target.buffer().getBytes(0, found);
        return Arrays.equals(found, expected);
    }
}
