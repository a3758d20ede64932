package org.segno.engine.weak;

import static java.util.concurrent.TimeUnit.SECONDS;

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
import org.segno.status.Deadline;

/**
 * Puts whose sender waits only for the events of its injection counter. None is lost, and the handler finds the counter
 * at zero and the bytes in place.
 */
final class InjectionEventWorkload implements Workload {
    private static final int PUTS = 20;
    private static final int LENGTH = 24;
    private static final String NAME = "in";

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().fifoSlots(4).windowBytes(4096).dimensions();
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        final Window in = nodes.client(0).window(LENGTH);
        final ReceptionCounter counter = nodes.client(0).receptionCounter(in, 0, LENGTH);
        nodes.client(0).publish(NAME, counter);
        final Putter putter = new Putter(nodes, in);
        return List.of(nodes.application(putter::run), nodes.engine(0));
    }

    private static final class Putter {
        private final WeakNodes nodes;
        private final Window in;
        private final Window source;
        private final InjectionCounter read;
        private final Target target;
        private int put;
        private int hit;

        Putter(WeakNodes nodes, Window in) {
            this.nodes = nodes;
            this.in = in;
            this.source = nodes.client(0).window(LENGTH);
            this.read = nodes.client(0).injectionCounter();
            this.target = nodes.context(0).attach(0, NAME, Deadline.in(30, SECONDS));
            nodes.context(0).onHit(read, counter -> onHit());
        }

        void run() {
            final Context context = nodes.context(0);
            final Memory arena = nodes.node(0).arena();
            while (put < PUTS) {
                for (int i = 0; i < LENGTH; i += Long.BYTES) {
                    arena.putLong(source.base() + i, content(put, i));
                }
                read.expect(LENGTH);
                while (context.put(target, 0, source, 0, LENGTH, read) < 0) {
                    nodes.pause();
                }
                put++;
                while (hit < put) {
                    if (context.advance() == 0) {
                        nodes.pause();
                    }
                }
            }
        }

        private void onHit() {
            final long left = read.valueAcquire();
            nodes.require(left <= 0, "# bytes are left in the handler of put #", left, put);
            final Memory arena = nodes.node(0).arena();
            for (int i = 0; i < LENGTH; i += Long.BYTES) {
                final long found = arena.getLong(in.base() + i);
                nodes.require(found == content(put - 1, i), "put # brought # at #", put, found, i);
            }
            hit = put;
        }

        private static long content(int number, int index) {
            return 100L * number + index + 1;
        }
    }
}
