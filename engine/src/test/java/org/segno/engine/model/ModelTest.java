package org.segno.engine.model;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.agrona.DirectBuffer;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.segno.engine.fifo.DueEvents;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.fifo.InjectionFifoProducer;
import org.segno.engine.fifo.ReceptionFifoConsumer;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.fifo.RecordHandler;
import org.segno.engine.fifo.RunRing;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Half;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.reuse.CounterGroup;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;

/**
 * Linearizability of rings and counters: two threads' concurrent operations have the effect of some sequence of them.
 */
@Tag("proof")
@Timeout(1200)
class ModelTest {
    private static final long NOTHING = -1;

    @Test
    void shouldKeepALaneLinearizable() {
        check(Lane.class);
    }

    @Test
    void shouldKeepAnInjectionFifoLinearizable() {
        check(Fifo.class);
    }

    @Test
    void shouldKeepARunRingLinearizable() {
        check(Runs.class);
    }

    @Test
    void shouldKeepACounterLinearizable() {
        check(Counter.class);
    }

    @Test
    void shouldFindAFifoThatPublishesTooEarly() {
        assertThatThrownBy(() -> check(UncheckedPosition.class)).isInstanceOf(LincheckAssertionError.class);
    }

    private static void check(Class<?> operations) {
        new ModelCheckingOptions()
                .iterations(20)
                .invocationsPerIteration(500)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(2)
                .actorsAfter(2)
                .check(operations);
    }

    private static NodeMemory node() {
        final NodeLayout layout =
                NodeLayout.of(NodeSize.small().fifoSlots(2).runSlots(16).dimensions());
        return new NodeMemory(
                0,
                layout,
                new HeapMemory(layout.length(Half.OWNER)),
                new HeapMemory(layout.length(Half.PEERS)),
                new HeapMemory(layout.length(Half.ARENA)));
    }

    /** Reception lane with one sender and one receiver. */
    public static final class Lane implements RecordHandler {
        private final NodeMemory node = node();
        private final ReceptionFifoProducer producer = ReceptionFifoProducer.of(node, 0, 1);
        private final ReceptionFifoConsumer consumer = ReceptionFifoConsumer.of(node, 0, 1);
        private long sent;
        private long taken;

        @Operation(nonParallelGroup = "producer")
        public boolean send() {
            final long body = producer.claim(Long.BYTES);
            if (body < 0) {
                return false;
            }
            producer.memory().putLong(body, ++sent);
            producer.publish(1, 0);
            producer.flush();
            return true;
        }

        @Operation(nonParallelGroup = "consumer")
        public long receive() {
            taken = NOTHING;
            consumer.poll(this, 1);
            return taken;
        }

        @Override
        public boolean onMessage(long origin, int id, DirectBuffer buffer, int offset, int metadataLength, int length) {
            taken = node.peers().getLong(node.laneOffset(0, 1) + offset);
            return true;
        }

        @Override
        public void onEvent(int counter) {
            throw new IllegalStateException("an event of counter " + counter);
        }

        @Override
        public void onFifoEvent(int number) {
            throw new IllegalStateException("an event of FIFO " + number);
        }

        @Override
        public void onQuarantine(int origin) {
            throw new IllegalStateException("the lane of " + origin + " is bad");
        }
    }

    /** Injection FIFO of two slots: the application injects, the engine takes. */
    public static final class Fifo {
        private final NodeMemory node = node();
        private final InjectionFifoProducer producer = InjectionFifoProducer.open(node, 0, 0);
        private final InjectionFifoConsumer consumer =
                InjectionFifoConsumer.activate(node, 0, producer.metadata(), new DueEvents());

        private long injected;

        @Operation(nonParallelGroup = "producer")
        public boolean inject() {
            final long slot = producer.claim();
            if (slot < 0) {
                return false;
            }
            node.owner().putLong(slot, ++injected);
            producer.publish();
            return true;
        }

        @Operation(nonParallelGroup = "consumer")
        public long take() {
            return take(node, consumer);
        }

        static long take(NodeMemory node, InjectionFifoConsumer consumer) {
            if (!consumer.poll()) {
                return NOTHING;
            }
            final long value = node.owner().getLong(consumer.slot(consumer.head()));
            consumer.advance(consumer.head() + 1, 0);
            consumer.commit();
            return value;
        }
    }

    /** FIFO as above, but it publishes a slot before it writes it. */
    public static final class UncheckedPosition {
        private final NodeMemory node = node();
        private final InjectionFifoProducer producer = InjectionFifoProducer.open(node, 0, 0);
        private final InjectionFifoConsumer consumer =
                InjectionFifoConsumer.activate(node, 0, producer.metadata(), new DueEvents());
        private long injected;

        @Operation(nonParallelGroup = "producer")
        public boolean inject() {
            final long slot = producer.claim();
            if (slot < 0) {
                return false;
            }
            producer.publish();
            node.owner().putLong(slot, ++injected);
            return true;
        }

        @Operation(nonParallelGroup = "consumer")
        public long take() {
            return Fifo.take(node, consumer);
        }
    }

    /**
     * Ring of runs of different lengths. It has more slots than are queued here, because a run ends when the next is
     * polled.
     */
    public static final class Runs {
        private final NodeMemory node = node();
        private final RunRing ring = RunRing.open(node, 0, FifoMetadata.PERSISTENT);
        private final InjectionFifoConsumer consumer =
                InjectionFifoConsumer.activate(node, 0, ring.metadata(), new DueEvents());
        private long generation;

        @Operation(nonParallelGroup = "producer")
        public boolean replay() {
            if (ring.offer(0, (int) (generation % 7) + 1, 0, 0, generation + 1) < 0) {
                return false;
            }
            generation++;
            return true;
        }

        /** Finishes the last run, and takes the next. */
        @Operation(nonParallelGroup = "consumer")
        public long execute() {
            if (!consumer.poll()) {
                return NOTHING;
            }
            final long slots = consumer.tail() - consumer.head();
            final long round = consumer.generation();
            consumer.advance(consumer.tail(), 0);
            consumer.commit();
            return 100 * round + slots;
        }
    }

    /** Counter that both threads change and read. */
    public static final class Counter {
        private final NodeMemory node = node();
        private final InjectionCounter counter = new CounterGroup(node).injection();

        @Operation
        public void expect() {
            counter.expect(3);
        }

        @Operation
        public void injected() {
            MemoryAccess.injected(node.values(), node.injectionValueOffset(0), 2);
        }

        @Operation
        public long value() {
            return counter.valueAcquire();
        }
    }
}
