package org.segno.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.segno.engine.fifo.ReceptionFifoConsumer;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.reuse.CounterGroup;
import org.segno.engine.reuse.WindowArena;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Window;

/** Reception counter: engines land data and count down, the owner expects and reads. */
public final class CounterStress {
    private static final int WORDS = 2;
    private static final int LENGTH = WORDS * Long.BYTES;

    /** Offset of the source of landed data, behind the window in the same arena. */
    private static final long SOURCE = 256;

    /** Metrics of the node of each origin, as in a job, because metrics have one writer. */
    private static final NodeMetrics[] METRICS = {new NodeMetrics(StressNode.next()), new NodeMetrics(StressNode.next())
    };

    private CounterStress() {}

    /** Counter over two words that every rank may put to. */
    private static final class Counted {
        final NodeMemory node = StressNode.next();
        final Window window = new WindowArena(node).open(LENGTH);
        final ReceptionCounter counter =
                new CounterGroup(node).reception(window, 0, LENGTH, ReceptionCounter.ANYBODY, Right.PUT);

        Counted() {
            node.arena().putLong(SOURCE, 1);
            node.arena().putLong(SOURCE + Long.BYTES, 2);
        }

        Landing landing(int origin) {
            return new Landing(node, origin, new PeerStates(node), METRICS[origin]);
        }

        /** Lands some of the words and counts them down, as one run. */
        void land(Landing landing, int first, int words) {
            landing.open(counter.id(), counter.incarnation());
            landing.land(
                    node.arena(),
                    SOURCE + (long) first * Long.BYTES,
                    (long) first * Long.BYTES,
                    (long) words * Long.BYTES);
            landing.close((long) words * Long.BYTES);
        }

        int word(int index) {
            return (int) node.arena().getLong(window.base() + (long) index * Long.BYTES);
        }
    }

    /** Run: plain stores of its bytes, then one atomic add. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "The counter is above zero: nothing may be read yet.")
    @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "The counter is at zero: all bytes of the run are visible.")
    @Outcome(expect = FORBIDDEN, desc = "The counter is complete before its bytes are visible.")
    @State
    public static class Run {
        private final Counted counted = new Counted();
        private final Landing landing = counted.landing(1);

        public Run() {
            counted.counter.expect(LENGTH);
        }

        /** Lands both words. */
        @Actor
        public void engine() {
            counted.land(landing, 0, WORDS);
        }

        /** Reads both words if the counter is complete. */
        @Actor
        public void application(II_Result seen) {
            if (counted.counter.valueAcquire() <= 0) {
                seen.r1 = counted.word(0);
                seen.r2 = counted.word(1);
            }
        }
    }

    /** Two engines that land concurrently, each of which reads afterwards. */
    @JCStressTest
    @Outcome(id = "3, 0", expect = ACCEPTABLE, desc = "The first engine was last: it sees the words of both.")
    @Outcome(id = "0, 3", expect = ACCEPTABLE, desc = "The second engine was last: it sees the words of both.")
    @Outcome(id = "3, 3", expect = ACCEPTABLE, desc = "Both read after both had counted.")
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "An add was lost, or the last engine does not see the zero.")
    @Outcome(expect = FORBIDDEN, desc = "The counter is complete before the words of both are visible.")
    @State
    public static class TwoEngines {
        private final Counted counted = new Counted();
        private final Landing firstLanding = counted.landing(0);
        private final Landing secondLanding = counted.landing(1);

        public TwoEngines() {
            counted.counter.expect(LENGTH);
        }

        /** Lands the first word. */
        @Actor
        public void first(II_Result seen) {
            counted.land(firstLanding, 0, 1);
            seen.r1 = sum();
        }

        /** Lands the second word. */
        @Actor
        public void second(II_Result seen) {
            counted.land(secondLanding, 1, 1);
            seen.r2 = sum();
        }

        private int sum() {
            return counted.counter.valueAcquire() <= 0 ? counted.word(0) + counted.word(1) : 0;
        }
    }

    /** Expectation of the owner while an engine lands: one of them takes the counter to zero and reports the hit. */
    @JCStressTest
    @Outcome(
            id = "1, 0",
            expect = ACCEPTABLE,
            desc = "The bytes came first, and the expectation found them: the owner's hit.")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "The expectation came first: the landing engine's hit.")
    @Outcome(expect = FORBIDDEN, desc = "A hit was lost or came twice.")
    @State
    public static class Hit {
        private final Counted counted = new Counted();
        private final Landing landing = counted.landing(1);
        private final ReceptionFifoConsumer lane = ReceptionFifoConsumer.of(counted.node, 0, 1);
        private final int[] ownHits;

        public Hit() {
            final int[] hits = new int[1];
            MemoryAccess.events(counted.counter, 0, counter -> hits[0]++);
            ownHits = hits;
        }

        /** Expects both words. */
        @Actor
        public void application() {
            counted.counter.expect(LENGTH);
        }

        /** Lands both words. */
        @Actor
        public void engine() {
            counted.land(landing, 0, WORDS);
        }

        /** Counts the hits that both have reported. */
        @Arbiter
        public void count(II_Result seen) {
            final Taken taken = new Taken();
            lane.poll(taken, 4);
            seen.r1 = ownHits[0];
            seen.r2 = taken.events;
        }
    }
}
