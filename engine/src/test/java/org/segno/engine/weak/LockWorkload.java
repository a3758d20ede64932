package org.segno.engine.weak;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.List;
import java.util.SplittableRandom;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Rmw;
import org.segno.status.Deadline;

/**
 * Lock of two nodes, taken and released by remote atomics. It protects words that are read by a remote get and written
 * by a put: each node sees the last update of the other.
 */
final class LockWorkload implements Workload {
    private static final int TURNS = 4;
    private static final int WORDS = 4;
    private static final int BYTES = WORDS * Long.BYTES;
    private static final String LOCK = "lock";
    private static final String WORK = "words";

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().fifoSlots(4).windowBytes(4096).dimensions();
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        final Window shared = nodes.client(1).window(Long.BYTES + BYTES);
        nodes.client(1)
                .publish(
                        LOCK,
                        nodes.client(1)
                                .receptionCounter(shared, 0, Long.BYTES, ReceptionCounter.ANYBODY, Right.ATOMIC));
        nodes.client(1)
                .publish(
                        WORK,
                        nodes.client(1)
                                .receptionCounter(
                                        shared, Long.BYTES, BYTES, ReceptionCounter.ANYBODY, Right.PUT, Right.GET));
        final int function = chance.nextInt(3);
        final int[] turns = new int[1];
        final Worker left = new Worker(nodes, 0, function, turns);
        final Worker right = new Worker(nodes, 1, function, turns);
        return List.of(nodes.application(left::run), nodes.engine(0), nodes.application(right::run), nodes.engine(1));
    }

    private static final class Worker {
        private final WeakNodes nodes;
        private final int rank;
        private final int function;
        /** Number of times that either node took the lock. */
        private final int[] turns;

        private final Window own;
        private final InjectionCounter done;
        private final Target lock;
        private final Target work;
        private final Rmw rmw = new Rmw();

        Worker(WeakNodes nodes, int rank, int function, int[] turns) {
            this.nodes = nodes;
            this.rank = rank;
            this.function = function;
            this.turns = turns;
            this.own = nodes.client(rank).window(Long.BYTES + BYTES);
            this.done = nodes.client(rank).injectionCounter();
            this.lock = nodes.context(rank).attach(1, LOCK, Deadline.in(30, SECONDS));
            this.work = nodes.context(rank).attach(1, WORK, Deadline.in(30, SECONDS));
            rmw.result(own, 0).completes(done);
        }

        void run() {
            for (int turn = 0; turn < TURNS; turn++) {
                while (!tryLock()) {
                    nodes.pause();
                }
                update();
                unlock();
            }
        }

        private boolean tryLock() {
            done.expect(Rmw.LENGTH);
            nodes.context(rank).rmw(lock, 0, function == 0 ? rmw.swap(1) : rmw.compareAndSet(0, 1));
            awaitDone();
            return nodes.node(rank).arena().getLong(own.base()) == 0;
        }

        /** Reads the last update and writes the next. */
        private void update() {
            done.expect(BYTES);
            nodes.context(rank).get(work, 0, own, Long.BYTES, BYTES, done);
            awaitDone();
            final Memory arena = nodes.node(rank).arena();
            final long first = arena.getLong(own.base() + Long.BYTES);
            nodes.require(first == turns[0], "# after # turns", first, turns[0]);
            turns[0]++;
            for (int i = 0; i < WORDS; i++) {
                final long at = own.base() + Long.BYTES + (long) i * Long.BYTES;
                nodes.require(arena.getLong(at) == first, "word # is # and not #", i, arena.getLong(at), first);
                arena.putLong(at, first + 1);
            }
            done.expect(BYTES);
            nodes.context(rank).put(work, 0, own, Long.BYTES, BYTES, done);
        }

        /** Releases the lock. The put lands before: it is in the same FIFO, and the lock is on the same rank. */
        private void unlock() {
            done.expect(Rmw.LENGTH);
            nodes.context(rank)
                    .rmw(
                            lock,
                            0,
                            switch (function) {
                                case 0 -> rmw.swap(0);
                                case 1 -> rmw.and(0);
                                default -> rmw.fetchAdd(-1);
                            });
            awaitDone();
            nodes.require(nodes.node(rank).arena().getLong(own.base()) == 1, "the lock was not taken");
        }

        private void awaitDone() {
            while (done.valueAcquire() > 0) {
                nodes.require(done.errorAcquire() == 0, "refused: #", done.errorAcquire());
                nodes.pause();
            }
        }
    }
}
