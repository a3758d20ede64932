package org.segno.engine.fifo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.status.Refusal;
import org.segno.status.Status;

class InjectionFifoTest {
    private static final long SECONDS = 60;

    /** Last word of a slot, written like the first before the publication. */
    private static final int LAST_WORD = NodeLayout.DESCRIPTOR_LENGTH - Long.BYTES;

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway.Init") // make is the first that every test calls
    private MappedNodes nodes;

    @SuppressWarnings("NullAway.Init") // likewise
    private NodeMemory node;

    @AfterEach
    void close() {
        nodes.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 16, 1024})
    void shouldBeFullAtItsCapacityAndNotOnceServed(int slots) {
        make(slots);
        final InjectionFifoProducer producer = InjectionFifoProducer.open(node, 0, 0);
        final InjectionFifoConsumer consumer = consumer(0);

        for (int i = 0; i < slots; i++) {
            assertThat(offer(producer, i)).isEqualTo(i);
        }
        assertThat(producer.claim()).isEqualTo(Status.BACK_PRESSURED);
        assertThat(producer.metadata().fill()).isEqualTo(slots);

        assertThat(consumer.poll()).isTrue();
        consumer.advance(consumer.head() + 1, 0);
        assertThat(producer.claim()).as("not before the visit ends").isEqualTo(Status.BACK_PRESSURED);
        consumer.commit();
        assertThat(offer(producer, slots)).isEqualTo(slots);
        assertThat(producer.claim()).isEqualTo(Status.BACK_PRESSURED);
        assertThat(producer.metadata().descriptorsAcquire()).isEqualTo(1);
    }

    @Test
    void shouldShowNothingBeforeItIsPublished() {
        make(4);
        final InjectionFifoProducer producer = InjectionFifoProducer.open(node, 0, 0);
        final InjectionFifoConsumer consumer = consumer(0);
        node.owner().putLong(producer.claim(), 1);

        assertThat(consumer.poll()).isFalse();
        assertThat(producer.metadata().fill()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "2, 2", "4, 3", "16, 4", "64, 5"})
    void shouldKeepOrderOverManyWrapsForAnyNumberServedAtOnce(int slots, long seed) {
        make(slots);
        final InjectionFifoProducer producer = InjectionFifoProducer.open(node, 0, 0);
        final InjectionFifoConsumer consumer = consumer(0);
        final Random chance = new Random(seed);
        long offered = 0;
        long served = 0;
        while (served < 1000L * slots) {
            for (int i = chance.nextInt(slots + 1); i > 0; i--) {
                final boolean full = offered - served == slots;
                final long result = offer(producer, offered);
                assertThat(result).isEqualTo(full ? Status.BACK_PRESSURED : offered);
                offered += full ? 0 : 1;
            }
            assertThat(consumer.poll()).isEqualTo(offered != served);
            long position = consumer.head();
            for (int i = chance.nextInt(slots + 1); i > 0 && position < consumer.tail(); i--) {
                assertThat(read(consumer, position++)).isEqualTo(served++);
            }
            consumer.advance(position, 0);
            consumer.commit();
        }
        assertThat(producer.metadata().descriptorsAcquire()).isEqualTo(served);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 2, 4 + 16 + 1, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE})
    void shouldBeServedNoMoreAfterAnImpossibleTailAndHarmNoOther(long impossible) {
        make(16);
        final InjectionFifoProducer bad = InjectionFifoProducer.open(node, 0, 0);
        final InjectionFifoProducer good = InjectionFifoProducer.open(node, 0, 1);
        final InjectionFifoConsumer badConsumer = consumer(0);
        final InjectionFifoConsumer goodConsumer = consumer(1);
        for (int i = 0; i < 4; i++) {
            offer(bad, i);
        }
        assertThat(badConsumer.poll()).isTrue();
        badConsumer.advance(4, 0);
        badConsumer.commit();
        // Head is at four: a tail below it, or more than the capacity above it, is impossible.
        node.owner().putLong(node.layout().offset(Part.TAILS), impossible);

        assertThat(badConsumer.poll()).isFalse();
        assertThat(bad.metadata().quarantineAcquire()).isEqualTo(Refusal.BAD_FIFO.code());

        node.owner().putLong(node.layout().offset(Part.TAILS), 5);
        assertThat(badConsumer.poll())
                .as("also when the tail is possible again")
                .isFalse();
        assertThat(badConsumer.head()).isEqualTo(badConsumer.tail());

        offer(good, 7);
        assertThat(goodConsumer.poll()).isTrue();
        assertThat(read(goodConsumer, 0)).isEqualTo(7);
        assertThat(good.metadata().quarantineAcquire()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "first slot below the buffer,      -1, 1, 0, 0",
        "slots below zero,                  0, -5, 0, 0",
        "an open run where none can be,     0, -1, 0, 0",
        "a section that ends behind it,    60, 5, 0, 0",
        "a section that overflows, 2147483647, 2147483647, 0, 0",
        "more arms than slots,              0, 2, 3, 0",
        "arms below zero,                   0, 2, -1, 0",
        "a pattern below the states,        0, 2, 0, -1",
        "a pattern behind the states,       0, 2, 0, 16",
    })
    void shouldBeServedNoMoreAfterAnImpossibleRun(String what, int first, int slots, int arms, int pattern) {
        make(16);
        final RunRing ring = RunRing.open(node, 0, FifoMetadata.PERSISTENT);
        final InjectionFifoConsumer consumer = consumer(4);
        assertThat(ring.offer(0, 64, 64, 15, 1)).isNotNegative();
        assertThat(consumer.poll()).as("the largest run there is").isTrue();
        consumer.advance(consumer.tail(), 0);
        assertThat(consumer.poll()).isFalse();

        ring.offer(first, slots, arms, pattern, 1);

        assertThat(consumer.poll()).as(what).isFalse();
        assertThat(ring.metadata().quarantineAcquire()).isEqualTo(Refusal.BAD_FIFO.code());
        assertThat(consumer.poll()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 5, 1L << 40, Long.MIN_VALUE})
    void shouldBeServedNoMoreAfterAnImpossibleTailOfItsRunRing(long impossible) {
        make(16);
        final RunRing ring = RunRing.open(node, 0, FifoMetadata.PERSISTENT);
        final InjectionFifoConsumer consumer = consumer(4);
        node.owner().putLongRelease(ring.metadata().tailOffset(), impossible);

        assertThat(consumer.poll()).isFalse();
        assertThat((ring.metadata().quarantineAcquire() != 0)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {65, Integer.MAX_VALUE, 1L << 31, -1})
    void shouldBeServedNoMoreWhenARecordingEndsWhereItCannot(long end) {
        make(16);
        final RunRing ring = RunRing.open(node, 0, FifoMetadata.RECORDING);
        final InjectionFifoConsumer consumer = consumer(3);
        ring.offer(0, RunRing.OPEN, 0, 0, 1);
        ring.extendRelease(2);
        assertThat(consumer.poll()).isTrue();
        consumer.advance(2, 0);

        ring.metadata().sectionTailRelease((int) end & 0xFFFF_FFFFL);

        assertThat(consumer.poll()).isFalse();
        assertThat((ring.metadata().quarantineAcquire() != 0)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 100000000, 'fifo must be between 0 and 1: fifo=100000000; raise NodeConfig.withFifos for more'",
        "0, -1, 'fifo must be between 0 and 1: fifo=-1; raise NodeConfig.withFifos for more'",
        "0, 2, 'fifo must be between 0 and 1: fifo=2; raise NodeConfig.withFifos for more'",
        "0, 3, 'fifo must be between 0 and 1: fifo=3; raise NodeConfig.withFifos for more'",
        "1, 0, 'context must be between 0 and 0: context=1; raise NodeConfig.withContexts for more'",
        "1000000, 0, 'context must be between 0 and 0: context=1000000; raise NodeConfig.withContexts for more'",
        "-1, 0, 'context must be between 0 and 0: context=-1; raise NodeConfig.withContexts for more'",
    })
    void shouldRefuseToOpenAFifoThatDoesNotExistOrIsReserved(int context, int fifo, String message) {
        make(16);

        assertThatThrownBy(() -> InjectionFifoProducer.open(node, context, fifo))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void shouldRefuseToOpenAFifoTwice() {
        make(16);
        InjectionFifoProducer.open(node, 0, 0);

        assertThatThrownBy(() -> InjectionFifoProducer.open(node, 0, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("FIFO 0 of context 0 is open already: open another number, and raise NodeConfig.withFifos"
                        + " if there is none; the context opens them from 0 upwards");
    }

    @ParameterizedTest
    @CsvSource({
        "-100000000, 4, 'the slots must lie in 0 to 47: firstSlot=-100000000, slots=4'",
        "45, 4, 'the slots must lie in 0 to 47: firstSlot=45, slots=4'",
        "2147483647, 4, 'the slots must lie in 0 to 47: firstSlot=2147483647, slots=4'",
        "0, 64, 'the slots must lie in 0 to 47: firstSlot=0, slots=64'",
        "0, 3, 'slots must be a power of two: slots=3'",
        "0, 0, 'slots must be a power of two: slots=0'",
        "0, -2147483648, 'slots must be a power of two: slots=-2147483648'",
    })
    void shouldRefuseToMoveToSlotsThatTheContextDoesNotHave(int first, int slots, String message) {
        make(16);
        final InjectionFifoProducer producer = inactive();

        assertThatThrownBy(() -> producer.place(first, slots))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);

        producer.place(44, 4);
        assertThat(producer.firstSlot()).isEqualTo(44);
    }

    @Test
    void shouldRefuseToMoveWhileActiveOrNotEmpty() {
        make(16);
        final InjectionFifoProducer active = InjectionFifoProducer.open(node, 0, 1);
        final InjectionFifoProducer filled = inactive();
        offer(filled, 1);

        assertThatThrownBy(() -> active.place(0, 4))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("FIFO 1 of context 0 must be inactive and empty to be moved: fill=0;"
                        + " deactivate it, and advance until it is not active");
        assertThatThrownBy(() -> filled.place(0, 4))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("fill=1");
    }

    @Test
    void shouldDetectAPublicationWithoutAClaim() {
        make(2);
        final InjectionFifoProducer producer = InjectionFifoProducer.open(node, 0, 0);
        final InjectionFifoProducer.Batch batch = producer.batch();
        batch.begin(0);

        assertThatThrownBy(batch::publish)
                .isInstanceOf(AssertionError.class)
                .hasMessage("publish without a claim: tail=0");
        producer.publish();
        producer.publish();
        assertThatThrownBy(producer::publish)
                .isInstanceOf(AssertionError.class)
                .hasMessage("publish without a claim: tail=2, head=0");
    }

    private InjectionFifoProducer inactive() {
        final InjectionFifoProducer producer = InjectionFifoProducer.open(node, 0, 0);
        consumer(0);
        producer.metadata().deactivate();
        producer.metadata().confirmInactive();
        return producer;
    }

    /** Uses the threads of a real engine and a real application: every descriptor arrives whole, once and in order. */
    @ParameterizedTest
    @CsvSource({"2, 20000", "8, 100000", "1024, 1000000"})
    @SuppressWarnings("ThreadPriorityCheck") // Yields, because the other threads need the core.
    void shouldPassEveryDescriptorBetweenTwoThreads(int slots, int count) throws Exception {
        make(slots);
        final InjectionFifoProducer producer = InjectionFifoProducer.open(node, 0, 0);
        final InjectionFifoConsumer consumer = consumer(0);
        final ExecutorService engine = Executors.newSingleThreadExecutor();
        try {
            final Future<?> served = engine.submit(() -> serve(consumer, count));
            for (long i = 0; i < count; i++) {
                while (offer(producer, i) == Status.BACK_PRESSURED) {
                    if (served.isDone()) {
                        served.get();
                    }
                    Thread.yield();
                }
            }
            served.get(SECONDS, TimeUnit.SECONDS);
            assertThat(producer.metadata().descriptorsAcquire()).isEqualTo(count);
            assertThat(producer.metadata().fill()).isZero();
        } finally {
            engine.shutdownNow();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // Yields, because the other threads need the core.
    private void serve(InjectionFifoConsumer consumer, int count) {
        long expected = 0;
        while (expected < count && !Thread.currentThread().isInterrupted()) {
            if (!consumer.poll()) {
                Thread.yield();
                continue;
            }
            long position = consumer.head();
            while (position < consumer.tail()) {
                final long value = read(consumer, position++);
                if (value != expected) {
                    throw new AssertionError("expected " + expected + ", got " + value);
                }
                expected++;
            }
            consumer.advance(position, 0);
            consumer.commit();
        }
    }

    private void make(int slots) {
        nodes = MappedNodes.create(
                directory, NodeSize.small().fifos(3).fifoSlots(slots).dimensions());
        node = nodes.own(0);
    }

    private InjectionFifoConsumer consumer(int fifo) {
        return InjectionFifoConsumer.activate(node, 0, new FifoMetadata(node, 0, fifo), new DueEvents());
    }

    private long offer(InjectionFifoProducer producer, long value) {
        final long slot = producer.claim();
        if (slot < 0) {
            return slot;
        }
        node.owner().putLong(slot, value);
        node.owner().putLong(slot + LAST_WORD, value);
        return producer.publish();
    }

    /** Returns the value of a slot, or {@link Long#MIN_VALUE} if its first and last words differ. */
    private long read(InjectionFifoConsumer consumer, long position) {
        final long slot = consumer.slot(position);
        final long first = node.owner().getLong(slot);
        final long last = node.owner().getLong(slot + LAST_WORD);
        return first == last ? first : Long.MIN_VALUE;
    }
}
