package org.segno.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.segno.engine.fifo.ReceptionFifoConsumer;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.memory.NodeMemory;

/** Reception lane: an engine lands records, the application receives them. */
public final class LaneStress {
    /** Body length of a record of 1,024 bytes, a quarter of a lane of the least length. */
    private static final int LONG_BODY = 1016;

    private LaneStress() {}

    private static boolean append(ReceptionFifoProducer lane, int bodyLength, int first, int second) {
        final long body = lane.claim(bodyLength);
        if (body < 0) {
            return false;
        }
        lane.memory().putLong(body, first);
        lane.memory().putLong(body + Long.BYTES, second);
        lane.publish(1, 0);
        return true;
    }

    /** Publication of one record by its own header word. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "The header is not visible yet: there is no record.")
    @Outcome(
            id = "1, 2",
            expect = ACCEPTABLE,
            desc = "The header was acquired after its release: all of the body is visible.")
    @Outcome(expect = FORBIDDEN, desc = "A header is visible before the body that it publishes.")
    @State
    public static class Publication {
        private final NodeMemory node = StressNode.next();
        private final ReceptionFifoProducer producer = ReceptionFifoProducer.of(node, 0, 1);
        private final ReceptionFifoConsumer consumer = ReceptionFifoConsumer.of(node, 0, 1);
        private final Taken taken = new Taken();

        /** Lands one record. */
        @Actor
        public void engine() {
            append(producer, 2 * Long.BYTES, 1, 2);
            producer.flush();
        }

        /** Receives the record. */
        @Actor
        public void application(II_Result seen) {
            consumer.poll(taken, 1);
            seen.r1 = taken.first;
            seen.r2 = taken.second;
        }
    }

    /** Batch: the headers of all records but the first are stored plainly, before the release of the first. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "The first header is not visible yet: there is no record.")
    @Outcome(id = "3, 6", expect = ACCEPTABLE, desc = "The first header publishes the whole batch.")
    @Outcome(expect = FORBIDDEN, desc = "A batch is visible in part, or a header before its body.")
    @State
    public static class Batch {
        private final NodeMemory node = StressNode.next();
        private final ReceptionFifoProducer producer = ReceptionFifoProducer.of(node, 0, 1);
        private final ReceptionFifoConsumer consumer = ReceptionFifoConsumer.of(node, 0, 1);
        private final Taken taken = new Taken();

        /** Lands three records. */
        @Actor
        public void engine() {
            append(producer, 2 * Long.BYTES, 1, 1);
            append(producer, 2 * Long.BYTES, 2, 2);
            append(producer, 2 * Long.BYTES, 3, 3);
            producer.flush();
        }

        /** Receives all records. */
        @Actor
        public void application(II_Result seen) {
            consumer.poll(taken, 4);
            seen.r1 = taken.messages;
            seen.r2 = taken.sum;
        }
    }

    /**
     * Full lane: the space of a record that a handler has read in place may be written again after the head was
     * returned, and not before.
     */
    @JCStressTest
    @Outcome(id = "1, 2, 0", expect = ACCEPTABLE, desc = "No space was returned yet: the lane reports that it is full.")
    @Outcome(id = "1, 2, 1", expect = ACCEPTABLE, desc = "One record was returned, and its space used.")
    @Outcome(
            id = "1, 2, 2",
            expect = ACCEPTABLE,
            desc = "Both records were returned, and the space of the one that was read is used.")
    @Outcome(expect = FORBIDDEN, desc = "A record was overwritten while its handler read it.")
    @State
    public static class Space {
        private final NodeMemory node = StressNode.next();
        private final ReceptionFifoProducer producer = ReceptionFifoProducer.of(node, 0, 1);
        private final ReceptionFifoConsumer consumer = ReceptionFifoConsumer.of(node, 0, 1);
        private final Taken taken = new Taken();

        public Space() {
            while (append(producer, LONG_BODY, 1, 2)) {
                // Repeats until the lane is full.
            }
            producer.flush();
        }

        /** Reads the first two records, and returns their space. */
        @Actor
        public void application(III_Result seen) {
            consumer.poll(taken, 2);
            seen.r1 = taken.first;
            seen.r2 = taken.second;
        }

        /** Lands two more records if it can: the second lies in the space of the first record. */
        @Actor
        public void engine(III_Result seen) {
            for (int i = 0; i < 2 && append(producer, LONG_BODY, 9, 9); i++) {
                producer.flush();
                seen.r3++;
            }
        }
    }

    /** Two threads that send to each other and poll at once. */
    @JCStressTest
    @Outcome(
            id = "0, 0",
            expect = ACCEPTABLE_INTERESTING,
            desc = "Both polled before they could see the other's record: no fence separates a publication from the"
                    + " next poll, so a waiter has to poll again, and no thread may sleep after one empty poll.")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "One polled too early.")
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "The other polled too early.")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Both saw the other's record.")
    @Outcome(expect = FORBIDDEN, desc = "A record came twice.")
    @State
    public static class Crossing {
        private final NodeMemory node = StressNode.next();
        private final ReceptionFifoProducer toLeft = ReceptionFifoProducer.of(node, 0, 0);
        private final ReceptionFifoProducer toRight = ReceptionFifoProducer.of(node, 0, 1);
        private final ReceptionFifoConsumer left = ReceptionFifoConsumer.of(node, 0, 0);
        private final ReceptionFifoConsumer right = ReceptionFifoConsumer.of(node, 0, 1);

        /** Sends to the right and polls for a record from there. */
        @Actor
        public void left(II_Result seen) {
            append(toRight, 2 * Long.BYTES, 1, 2);
            toRight.flush();
            seen.r1 = left.poll(new Taken(), 2);
        }

        /** Sends to the left and polls for a record from there. */
        @Actor
        public void right(II_Result seen) {
            append(toLeft, 2 * Long.BYTES, 1, 2);
            toLeft.flush();
            seen.r2 = right.poll(new Taken(), 2);
        }
    }
}
