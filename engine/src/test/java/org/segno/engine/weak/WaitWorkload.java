package org.segno.engine.weak;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.List;
import java.util.SplittableRandom;
import org.segno.context.Context;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/**
 * Puts of one node that the other's engine sends back without its application: a recorded round arms a counter, waits
 * for its bytes and forwards them. The returned bytes are those of the last put.
 */
final class WaitWorkload implements Workload {
    private static final int ROUNDS = 8;
    private static final int LENGTH = 40;
    private static final int ID = 4;
    private static final String NAME = "through";

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().fifoSlots(4).windowBytes(4096).dimensions();
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        final Window through = nodes.client(0).window(LENGTH);
        final ReceptionCounter counter = nodes.client(0).receptionCounter(through, 0, LENGTH);
        nodes.client(0).publish(NAME, counter);
        final Putter putter = new Putter(nodes);
        nodes.context(1)
                .handler(ID, (origin, buffer, m, ml, payload, pl) -> putter.onMessage(Endpoint.task(origin), payload));
        return List.of(
                nodes.application(() -> forward(nodes, through, counter)),
                nodes.engine(0),
                nodes.application(putter::run),
                nodes.engine(1));
    }

    private static void forward(WeakNodes nodes, Window through, ReceptionCounter counter) {
        final Context context = nodes.context(0);
        final Message message = new Message().to(1, ID).payload(through, 0, LENGTH);
        final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
            context.expect(counter, LENGTH);
            context.waitUntil(counter, 0);
            context.send(message);
        });
        for (int round = 1; round < ROUNDS; round++) {
            while (context.replay(pattern) < 0) {
                nodes.pause();
            }
        }
        while (!context.isDrained()) {
            nodes.pause();
        }
        nodes.require(pattern.executedAcquire() == ROUNDS, "drained after # rounds", pattern.executedAcquire());
    }

    private static long content(int round, int index) {
        return 100L * round + index + 1;
    }

    private static final class Putter {
        private final WeakNodes nodes;
        private final Window source;
        private final InjectionCounter read;
        private final Target through;
        private int received;

        Putter(WeakNodes nodes) {
            this.nodes = nodes;
            this.source = nodes.client(1).window(LENGTH);
            this.read = nodes.client(1).injectionCounter();
            this.through = nodes.context(1).attach(0, NAME, Deadline.in(30, SECONDS));
        }

        void run() {
            for (int round = 0; round < ROUNDS; round++) {
                while (read.valueAcquire() > 0) {
                    nodes.pause();
                }
                for (int i = 0; i < LENGTH; i += Long.BYTES) {
                    nodes.node(1).arena().putLong(source.base() + i, content(round, i));
                }
                read.expect(LENGTH);
                nodes.context(1).put(through, 0, source, 0, LENGTH, read);
                while (received == round) {
                    if (nodes.context(1).advance() == 0) {
                        nodes.pause();
                    }
                }
            }
        }

        void onMessage(int origin, int payload) {
            final NodeMemory node = nodes.node(1);
            final Memory lanes = node.peers();
            for (int i = 0; i < LENGTH; i += Long.BYTES) {
                final long found = lanes.getLong(node.laneOffset(0, origin) + payload + i);
                nodes.require(found == content(received, i), "round # brought # at #", received, found, i);
            }
            received++;
        }
    }
}
