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
 * Bytes that two engines land in one counter while its owner expects them. At or below zero they may be read, after a
 * load of the value and after an event alike.
 */
final class PutWorkload implements Workload {
    private static final int PUTS = 20;
    private static final int PART = 96;
    private static final int SOURCES = 2;
    private static final String NAME = "in";

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().fifoSlots(4).windowBytes(8192).dimensions();
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        final Window in = nodes.client(1).window(2L * PUTS * PART);
        final ReceptionCounter counter = nodes.client(1).receptionCounter(in, 0, 2L * PUTS * PART);
        final Owner owner = new Owner(nodes, in, counter, chance.split());
        final boolean events = chance.nextBoolean();
        if (events) {
            nodes.context(1).onHit(counter, hit -> owner.look(true));
        }
        nodes.client(1).publish(NAME, counter);
        final Putter[] putters = new Putter[2];
        for (int rank = 0; rank < 2; rank++) {
            putters[rank] = new Putter(nodes, rank);
        }
        return List.of(
                nodes.application(putters[0]::putAll),
                nodes.engine(0),
                nodes.application(() -> owner.run(putters[1], events)),
                nodes.engine(1));
    }

    private static long content(int rank, int number, int index) {
        return 1000L * number + 10L * index + rank + 1;
    }

    /** Sender that writes a rank's parts of the range, one after the other. */
    private static final class Putter {
        private final WeakNodes nodes;
        private final int rank;
        private final Window source;
        private final InjectionCounter[] read = new InjectionCounter[SOURCES];
        private final Target target;
        private int next;

        Putter(WeakNodes nodes, int rank) {
            this.nodes = nodes;
            this.rank = rank;
            this.source = nodes.client(rank).window(SOURCES * PART);
            for (int i = 0; i < SOURCES; i++) {
                read[i] = nodes.client(rank).injectionCounter();
            }
            this.target = nodes.context(rank).attach(1, NAME, Deadline.in(30, SECONDS));
        }

        void putAll() {
            while (next < PUTS) {
                if (!tryPut()) {
                    nodes.pause();
                }
            }
        }

        boolean tryPut() {
            final InjectionCounter counter = read[next % SOURCES];
            if (next == PUTS
                    || counter.valueAcquire() > 0
                    || !nodes.context(rank).fifo().hasRoom()) {
                return false;
            }
            final long from = (long) (next % SOURCES) * PART;
            for (int i = 0; i < PART; i += Long.BYTES) {
                nodes.node(rank).arena().putLong(source.base() + from + i, content(rank, next, i));
            }
            counter.expect(PART);
            final long to = (2L * next + rank) * PART;
            while (nodes.context(rank).put(target, to, source, from, PART, counter) < 0) {
                nodes.pause();
            }
            next++;
            return true;
        }
    }

    private static final class Owner {
        private final WeakNodes nodes;
        private final Window in;
        private final ReceptionCounter counter;
        private final SplittableRandom chance;
        private long expected;
        private boolean isAnnounced;

        Owner(WeakNodes nodes, Window in, ReceptionCounter counter, SplittableRandom chance) {
            this.nodes = nodes;
            this.in = in;
            this.counter = counter;
            this.chance = chance;
        }

        void run(Putter own, boolean events) {
            final Context context = nodes.context(1);
            final long all = 2L * PUTS * PART;
            boolean complete = false;
            while (!complete) {
                boolean worked = own.tryPut();
                if (expected < all && chance.nextInt(3) == 0) {
                    // The owner expects all bytes at once or in steps, before or after they arrive.
                    final long more = chance.nextBoolean() ? all - expected : PART;
                    expected += more;
                    counter.expect(more);
                    worked = true;
                }
                worked |= context.advance() != 0;
                complete = expected == all && (events ? isAnnounced : look(false));
                if (!worked) {
                    nodes.pause();
                }
            }
        }

        /** Returns true if all bytes have arrived; then they must be visible. */
        boolean look(boolean isHit) {
            final long all = 2L * PUTS * PART;
            if (expected != all || counter.valueAcquire() > 0) {
                return false;
            }
            final Memory arena = nodes.node(1).arena();
            for (int number = 0; number < PUTS; number++) {
                for (int rank = 0; rank < 2; rank++) {
                    for (int i = 0; i < PART; i += Long.BYTES) {
                        final long found = arena.getLong(in.base() + (2L * number + rank) * PART + i);
                        nodes.require(
                                found == content(rank, number, i),
                                "put # of rank # holds # at # although its counter is complete",
                                number,
                                rank,
                                found,
                                i);
                    }
                }
            }
            isAnnounced |= isHit;
            return true;
        }
    }
}
