package org.segno.engine.weak;

import static java.util.concurrent.TimeUnit.MINUTES;

import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Context;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Deadline;

/**
 * Two applications that wait for each other's message or count in turn, and park in each wait. Then one of them waits
 * for changes that a third thread makes: of its peers' states, as the membership thread changes them, and of a word, as
 * any thread that posts work does. No wait has a limit, so that a missing ring ends in a run without progress.
 */
final class DoorbellWorkload implements Workload {
    private static final int ROUNDS = 4;
    private static final int RANKS = 5;
    private static final int ID = 3;
    private static final int LENGTH = 8;
    private static final String NAME = "in";

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().ranks(RANKS).fifoSlots(4).windowBytes(4096).dimensions();
    }

    @Override
    public boolean keepsFences() {
        return true;
    }

    @Override
    public boolean parks() {
        return true;
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        final Player[] players = {new Player(nodes, 0, chance.split()), new Player(nodes, 1, chance.split())};
        for (final Player player : players) {
            player.attach();
        }
        final Leavers leavers = new Leavers(nodes);
        return List.of(
                nodes.application(() -> players[0].run(true)),
                nodes.application(() -> {
                    players[1].run(false);
                    leavers.await();
                }),
                nodes.application(leavers::leave),
                nodes.engine(0),
                nodes.engine(1));
    }

    /** Ranks that leave one after the other, each when rank 1 begins to wait for that, and words in place of some. */
    private static final class Leavers {
        private final WeakNodes nodes;
        private final PeerStates states;
        /**
         * Rank that was posted last. It changes by a store alone, and a state by an atomic operation, which orders
         * more.
         */
        private final Memory posted;

        private int awaited;

        Leavers(WeakNodes nodes) {
            this.nodes = nodes;
            this.states = new PeerStates(nodes.node(1));
            this.posted = nodes.memory(Long.BYTES);
        }

        void await() {
            for (int rank = 2; rank < RANKS; rank++) {
                final int next = rank;
                awaited = rank;
                nodes.context(1).await(() -> isGone(next), Deadline.in(5, MINUTES));
            }
        }

        private static boolean isPosted(int rank) {
            return rank % 2 == 1;
        }

        private boolean isGone(int rank) {
            return isPosted(rank) ? posted.getLongAcquire(0) >= rank : states.hasLeft(rank);
        }

        void leave() {
            for (int rank = 2; rank < RANKS; rank++) {
                // An access in each turn, so that the loop ends with the run.
                while (awaited < rank && !isGone(rank)) {
                    nodes.pause();
                }
                if (isPosted(rank)) {
                    posted.putLongRelease(0, rank);
                } else {
                    states.change(rank, PeerStates.LEFT);
                }
                nodes.doorbell(1).ring();
            }
        }
    }

    /** One of the two applications. */
    private static final class Player {
        private final WeakNodes nodes;
        private final int rank;
        private final SplittableRandom chance;
        private final Context context;
        private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[LENGTH]);
        private final Window window;
        private final ReceptionCounter counter;
        private Target target = Target.nowhere();
        private int received;

        Player(WeakNodes nodes, int rank, SplittableRandom chance) {
            this.nodes = nodes;
            this.rank = rank;
            this.chance = chance;
            this.context = nodes.context(rank);
            this.window = nodes.client(rank).window(LENGTH);
            this.counter = nodes.client(rank).receptionCounter(window, 0, LENGTH);
            nodes.client(rank).publish(NAME, counter);
            context.handler(ID, (origin, buffer, m, ml, payload, pl) -> received++);
        }

        void attach() {
            target = context.attach(1 - rank, NAME, Deadline.in(5, MINUTES));
        }

        void run(boolean begins) {
            for (int round = 1; round <= ROUNDS; round++) {
                if (begins) {
                    send();
                }
                final long counted = counter.valueAcquire();
                final int messages = received;
                // Nothing else arrives: the other one waits for this one's next message, unless it began.
                awaitOne(round);
                nodes.require(
                        counter.valueAcquire() <= counted && received >= messages, "round # went backwards", round);
                if (!begins) {
                    send();
                }
            }
        }

        private void awaitOne(int round) {
            context.await(() -> received - counter.valueAcquire() >= round, Deadline.in(5, MINUTES));
        }

        /** Sends a message, or counts by one. */
        private void send() {
            if (chance.nextBoolean()) {
                while (context.sendImmediate(1 - rank, ID, bytes, 0, LENGTH) < 0) {
                    nodes.pause();
                }
            } else {
                while (context.count(target, -1) < 0) {
                    nodes.pause();
                }
            }
        }
    }
}
