package org.segno.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.segno.engine.fifo.DueEvents;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.fifo.RunRing;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;

/** Ring of two runs: the application offers rounds of patterns, the engine takes and executes them. */
public final class RunStress {
    private static final int PATTERN = 0;

    private RunStress() {}

    /** Offers a round of a section that begins at slot {@code first}; returns false if the ring is full. */
    private static boolean offer(RunRing ring, int first, int slots, long generation) {
        return ring.offer(first, slots, 0, PATTERN, generation) >= 0;
    }

    private static void execute(InjectionFifoConsumer consumer) {
        consumer.advance(consumer.tail(), 0);
        consumer.commit();
    }

    /** Publication of an entry by the tail. */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "The tail is not visible yet: there is no run.")
    @Outcome(id = "2, 5, 7", expect = ACCEPTABLE, desc = "The tail was acquired after its release: the entry is whole.")
    @Outcome(expect = FORBIDDEN, desc = "The tail is visible before the entry that it publishes.")
    @State
    public static class Publication {
        private final NodeMemory node = StressNode.next();
        private final RunRing ring = RunRing.open(node, 0, FifoMetadata.PERSISTENT);
        private final InjectionFifoConsumer consumer =
                InjectionFifoConsumer.activate(node, 0, ring.metadata(), new DueEvents());
        private final long sections = node.layout().offset(Part.PATTERN_BUFFER);

        /** Offers a run. */
        @Actor
        public void application() {
            offer(ring, 2, 5, 7);
        }

        /** Takes the run. */
        @Actor
        public void engine(III_Result seen) {
            if (consumer.poll()) {
                seen.r1 = (int) (consumer.slot(consumer.head()) - sections) / NodeLayout.DESCRIPTOR_LENGTH;
                seen.r2 = (int) (consumer.tail() - consumer.head());
                seen.r3 = (int) consumer.generation();
            }
        }
    }

    /** Full ring: an entry may be written again after the engine has moved the head past it. */
    @JCStressTest
    @Outcome(
            id = "1, 1, 0",
            expect = ACCEPTABLE,
            desc = "The head is not visible yet: the ring reports that it is full.")
    @Outcome(
            id = "1, 1, 1",
            expect = ACCEPTABLE,
            desc = "The head was acquired after its release: the engine is done with the entry.")
    @Outcome(expect = FORBIDDEN, desc = "An entry was overwritten before the engine had read it.")
    @State
    public static class Space {
        private final NodeMemory node = StressNode.next();
        private final RunRing ring = RunRing.open(node, 0, FifoMetadata.PERSISTENT);
        private final InjectionFifoConsumer consumer =
                InjectionFifoConsumer.activate(node, 0, ring.metadata(), new DueEvents());

        public Space() {
            while (offer(ring, 0, 1, 1)) {
                // Repeats until the ring is full.
            }
        }

        /** Executes one run. */
        @Actor
        public void engine(III_Result seen) {
            consumer.poll();
            seen.r1 = (int) (consumer.tail() - consumer.head());
            seen.r2 = (int) consumer.generation();
            execute(consumer);
            consumer.poll();
        }

        /** Offers another run if there is room. */
        @Actor
        public void application(III_Result seen) {
            seen.r3 = offer(ring, 3, 5, 9) ? 1 : 0;
        }
    }

    /** Executed word: the effects of a round are visible to every thread that reads it as executed. */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "The round is not executed yet.")
    @Outcome(
            id = "7, 3, 0",
            expect = ACCEPTABLE,
            desc = "It is executed, and its word is visible; the ring does not report it yet.")
    @Outcome(
            id = "7, 3, 3",
            expect = ACCEPTABLE,
            desc = "It is executed, its word is visible, and the ring is drained.")
    @Outcome(
            id = "0, 0, 3",
            expect = ACCEPTABLE,
            desc = "The round ended between the read of its word and that of the ring.")
    @Outcome(expect = FORBIDDEN, desc = "A round is executed, or its ring drained, before its effects are visible.")
    @State
    public static class Executed {
        private final NodeMemory node = StressNode.next();
        private final RunRing ring = RunRing.open(node, 0, FifoMetadata.PERSISTENT);
        private final InjectionFifoConsumer consumer =
                InjectionFifoConsumer.activate(node, 0, ring.metadata(), new DueEvents());
        private final long executed = node.layout().offset(Part.PATTERN_STATES);

        public Executed() {
            offer(ring, 0, 1, 7);
        }

        /** Executes the run: stores a word. */
        @Actor
        public void engine() {
            consumer.poll();
            node.arena().putLong(0, 3);
            execute(consumer);
            consumer.poll();
        }

        /** Reads the word if the round is executed, and again if the ring is drained. */
        @Actor
        public void application(III_Result seen) {
            // This is how a pattern's state is read.
            seen.r1 = (int) node.owner().getLongAcquire(executed);
            seen.r2 = seen.r1 == 0 ? 0 : (int) node.arena().getLong(0);
            seen.r3 = ring.isDrained() ? (int) node.arena().getLong(0) : 0;
        }
    }

    /** Recording that the engine follows while it is written. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Nothing of it is published yet.")
    @Outcome(id = "1, 3", expect = ACCEPTABLE, desc = "Its first slot is published.")
    @Outcome(id = "2, 7", expect = ACCEPTABLE, desc = "It is closed, with both slots.")
    @Outcome(expect = FORBIDDEN, desc = "A slot of a recording is published before it is visible.")
    @State
    public static class Recording {
        private final NodeMemory node = StressNode.next();
        private final RunRing ring = RunRing.open(node, 0, FifoMetadata.RECORDING);
        private final InjectionFifoConsumer consumer =
                InjectionFifoConsumer.activate(node, 0, ring.metadata(), new DueEvents());
        private final long sections = node.layout().offset(Part.PATTERN_BUFFER);

        public Recording() {
            offer(ring, 0, RunRing.OPEN, 1);
        }

        /** Writes and publishes one slot, then another with which it closes the recording. */
        @Actor
        public void application() {
            node.owner().putLong(sections, 3);
            ring.extendRelease(1);
            node.owner().putLong(sections + NodeLayout.DESCRIPTOR_LENGTH, 4);
            ring.closeRelease(2);
        }

        /** Reads the published slots. */
        @Actor
        public void engine(II_Result seen) {
            if (consumer.poll()) {
                for (long at = consumer.head(); at < consumer.tail(); at++) {
                    seen.r1++;
                    seen.r2 += (int) node.owner().getLong(consumer.slot(at));
                }
            }
        }
    }
}
