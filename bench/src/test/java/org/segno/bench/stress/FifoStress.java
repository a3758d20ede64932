package org.segno.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.segno.engine.fifo.DueEvents;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.fifo.InjectionFifoProducer;
import org.segno.engine.memory.NodeMemory;

/** Injection FIFO of two slots: the application injects, the engine polls. */
public final class FifoStress {
    /** Offset of the last word of a slot. */
    private static final int LAST_OFFSET = 56;

    private FifoStress() {}

    static boolean inject(NodeMemory node, InjectionFifoProducer fifo, int first, int last) {
        final long slot = fifo.claim();
        if (slot < 0) {
            return false;
        }
        node.owner().putLong(slot, first);
        node.owner().putLong(slot + LAST_OFFSET, last);
        fifo.publish();
        return true;
    }

    /** Publication of a slot by the tail. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "The tail is not visible yet: the FIFO is empty.")
    @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "The tail was acquired after its release: the slot is whole.")
    @Outcome(expect = FORBIDDEN, desc = "The tail is visible before the slot that it publishes.")
    @State
    public static class Publication {
        private final NodeMemory node = StressNode.next();
        private final InjectionFifoProducer producer = InjectionFifoProducer.open(node, 0, 0);
        private final InjectionFifoConsumer consumer =
                InjectionFifoConsumer.activate(node, 0, producer.metadata(), new DueEvents());

        /** Injects one descriptor. */
        @Actor
        public void application() {
            inject(node, producer, 1, 2);
        }

        /** Polls and reads the slot. */
        @Actor
        public void engine(II_Result seen) {
            if (consumer.poll()) {
                final long slot = consumer.slot(consumer.head());
                seen.r1 = (int) node.owner().getLong(slot);
                seen.r2 = (int) node.owner().getLong(slot + LAST_OFFSET);
            }
        }
    }

    /** Full FIFO: a slot may be written again after the engine has moved the head past it, and not before. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "The head is not visible yet: the FIFO reports that it is full.")
    @Outcome(
            id = "1, 1",
            expect = ACCEPTABLE,
            desc = "The head was acquired after its release: the engine has read the slot.")
    @Outcome(expect = FORBIDDEN, desc = "A slot was overwritten before the engine had read it.")
    @State
    public static class Space {
        private final NodeMemory node = StressNode.next();
        private final InjectionFifoProducer producer = InjectionFifoProducer.open(node, 0, 0);
        private final InjectionFifoConsumer consumer =
                InjectionFifoConsumer.activate(node, 0, producer.metadata(), new DueEvents());

        public Space() {
            while (inject(node, producer, 1, 1)) {
                // Repeats until the FIFO is full.
            }
        }

        /** Carries out one descriptor. */
        @Actor
        public void engine(II_Result seen) {
            consumer.poll();
            seen.r1 = (int) node.owner().getLong(consumer.slot(consumer.head()));
            consumer.advance(consumer.head() + 1, 0);
            consumer.commit();
        }

        /** Injects another descriptor if there is room. */
        @Actor
        public void application(II_Result seen) {
            seen.r2 = inject(node, producer, 9, 9) ? 1 : 0;
        }
    }

    /**
     * Completion by sequence number: the effects of a descriptor are visible to every thread that reads it as counted.
     */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "The descriptor is not counted yet.")
    @Outcome(id = "1, 7", expect = ACCEPTABLE, desc = "It is counted, and the word that it stored is visible.")
    @Outcome(expect = FORBIDDEN, desc = "A descriptor is counted before its effects are visible.")
    @State
    public static class Completion {
        private final NodeMemory node = StressNode.next();
        private final InjectionFifoProducer producer = InjectionFifoProducer.open(node, 0, 0);
        private final InjectionFifoConsumer consumer =
                InjectionFifoConsumer.activate(node, 0, producer.metadata(), new DueEvents());

        public Completion() {
            inject(node, producer, 1, 1);
        }

        /** Carries out the descriptor: stores a word. */
        @Actor
        public void engine() {
            consumer.poll();
            node.arena().putLong(0, 7);
            consumer.advance(consumer.head() + 1, 0);
            consumer.commit();
        }

        /** Reads the word if the descriptor has been carried out. */
        @Actor
        public void application(II_Result seen) {
            seen.r1 = (int) producer.metadata().descriptorsAcquire();
            seen.r2 = seen.r1 == 0 ? 0 : (int) node.arena().getLong(0);
        }
    }
}
