package org.segno.engine.weak;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.segno.context.Context;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.status.Deadline;

/**
 * Puts of two ranks to counters of a third one, whose lanes are full, so that every event is owed. The owner waits only
 * for events. None is lost, and the handler finds the counter at zero and the bytes in place.
 */
final class OwedEventWorkload implements Workload {
    private static final int OWNER = 1;
    private static final int[] ORIGINS = {0, 2};
    private static final int PUTS = 8;
    private static final int LENGTH = 24;
    private static final int ID = 3;

    /** Payloads of the messages that fill a lane of 4096 bytes, but for the header behind the last. */
    private static final int[] FILL = {1016, 1016, 1016, 1000};

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().ranks(3).fifos(2).fifoSlots(4).windowBytes(4096).dimensions();
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        // No message is accepted: the lanes stay full.
        nodes.context(OWNER).replyingHandler(ID, (origin, buffer, m, ml, p, pl) -> -1);
        final List<Flow> flows = new ArrayList<>();
        final List<Runnable> threads = new ArrayList<>();
        for (final int rank : ORIGINS) {
            final Flow flow = new Flow(nodes, rank);
            flows.add(flow);
            threads.add(nodes.application(flow::putAll));
            threads.add(nodes.engine(rank));
        }
        threads.add(nodes.application(() -> receive(nodes, flows)));
        return threads;
    }

    private static void receive(WeakNodes nodes, List<Flow> flows) {
        final Context context = nodes.context(OWNER);
        boolean complete = false;
        while (!complete) {
            complete = true;
            for (final Flow flow : flows) {
                complete &= !flow.expectNext();
            }
            if (context.advance() == 0) {
                nodes.pause();
            }
        }
    }

    /** Puts of one rank to a counter of its own. */
    private static final class Flow {
        private final WeakNodes nodes;
        private final int rank;
        private final Window in;
        private final Window source;
        private final InjectionCounter read;
        private final ReceptionCounter counter;
        private final Target target;
        private int expected;
        private int hit;

        Flow(WeakNodes nodes, int rank) {
            this.nodes = nodes;
            this.rank = rank;
            this.in = nodes.client(OWNER).window(LENGTH);
            this.source = nodes.client(rank).window(FILL[0]);
            this.read = nodes.client(rank).injectionCounter();
            this.counter = nodes.client(OWNER).receptionCounter(in, 0, LENGTH);
            nodes.context(OWNER).onHit(counter, id -> onHit());
            nodes.client(OWNER).publish("from " + rank, counter);
            this.target = nodes.context(rank).attach(OWNER, "from " + rank, Deadline.in(30, SECONDS));
            for (final int length : FILL) {
                nodes.context(rank).send(new Message().to(OWNER, ID).payload(source, 0, length));
                nodes.dmaEngine(rank).doWork();
            }
        }

        /** Expects the next put once the last one is complete. Returns false after the last one. */
        boolean expectNext() {
            if (hit == expected && expected < PUTS) {
                counter.expect(LENGTH);
                expected++;
            }
            return hit < PUTS;
        }

        void putAll() {
            final Memory arena = nodes.node(rank).arena();
            for (int put = 1; put <= PUTS; put++) {
                while (expected < put || read.valueAcquire() > 0) {
                    nodes.pause();
                }
                for (int i = 0; i < LENGTH; i += Long.BYTES) {
                    arena.putLong(source.base() + i, content(put, i));
                }
                read.expect(LENGTH);
                while (nodes.context(rank).put(target, 0, source, 0, LENGTH, read) < 0) {
                    nodes.pause();
                }
            }
        }

        private void onHit() {
            final long left = counter.valueAcquire();
            nodes.require(left == 0, "# bytes of rank # are left in the handler of put #", left, rank, expected);
            final Memory arena = nodes.node(OWNER).arena();
            for (int i = 0; i < LENGTH; i += Long.BYTES) {
                final long found = arena.getLong(in.base() + i);
                nodes.require(
                        found == content(expected, i), "put # of rank # brought # at #", expected, rank, found, i);
            }
            hit = expected;
        }

        private static long content(int number, int index) {
            return 100L * number + index + 1;
        }
    }
}
