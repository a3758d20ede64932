package org.segno.context;

import org.jspecify.annotations.Nullable;
import org.segno.counter.ReceptionCounter;
import org.segno.memory.NameDirectory;
import org.segno.memory.NodeMemory;
import org.segno.operation.Target;
import org.segno.status.Status;

/** How a context finds its peers' counters and waits for all of them. One thread. */
final class Meeting {
    private final Context context;
    private final NodeMemory[] peers;
    private final int self;
    private final int index;

    /** The first rank that has no context of this one's number, or -1. */
    private final int absentee;

    private final ReceptionCounter barrier;
    private final Target[] barriers;
    private final Condition barrierMet;
    private int counted;

    Meeting(Context context, NodeShare share, ReceptionCounter barrier, int index) {
        this.context = context;
        this.peers = share.peers().toArray(new NodeMemory[0]);
        this.self = share.node().rank();
        this.index = index;
        this.absentee = absentee(peers, index);
        this.barrier = barrier;
        this.barrierMet = new BarrierMet(barrier, peers.length - 1, context);
        this.barriers = new Target[peers.length];
        for (int rank = 0; rank < barriers.length; rank++) {
            barriers[rank] = new Target(rank, barrier.id(), barrier.incarnation(), 0, false);
        }
    }

    private static int absentee(NodeMemory[] peers, int index) {
        for (int rank = 0; rank < peers.length; rank++) {
            if (contexts(peers[rank]) <= index) {
                return rank;
            }
        }
        return -1;
    }

    private static int contexts(NodeMemory node) {
        return node.layout().dimensions().contexts();
    }

    /**
     * The counter barrier: N - 1 is added to the own counter first, then every other rank's is counted down by one. A rank that
     * comes early makes counters negative. One counter is enough for any number of rounds: nobody leaves round k before all
     * N(N - 1) counts of rounds up to k have been sent, so a count of round k + 1 stands for one of round k at most where the
     * rank that it stands for has entered round k too.
     *
     * <p>A barrier that ended by its deadline has been entered: the next call goes on with it.
     */
    void barrier(long deadlineNs) {
        if (absentee >= 0) {
            throw unequal();
        }
        if (counted == 0) {
            barrier.expect(peers.length - 1L);
            counted = 1;
        }
        while (counted < peers.length) {
            // Each rank begins with its right neighbour, so that not all of them count at one rank at a time.
            final Target next = barriers[(self + counted) % peers.length];
            if (context.count(next, -1) == Status.BACK_PRESSURED) {
                context.await(() -> context.fifo().hasRoom(), deadlineNs);
            } else {
                counted++;
            }
        }
        context.await(barrierMet, deadlineNs);
        counted = 0;
    }

    /** Where a rank has fewer contexts, the counter of this number is one that its application was given. */
    private IllegalStateException unequal() {
        return new IllegalStateException("context " + index + " of rank " + self + " has nobody to meet at rank "
                + absentee + ": a barrier is among the contexts of one number, and rank " + absentee + " has "
                + contexts(peers[absentee]) + " of them, rank " + self + " " + contexts(peers[self])
                + "; give all ranks the same withContexts, or keep the barrier to contexts that all have");
    }

    /**
     * The counter of this rank is complete, and its counts have gone to the others: they must not wait until this rank, whose
     * engine runs when it advances, happens to advance again.
     *
     * @param counter complete when all have entered
     * @param others ranks beside this one
     * @param context whose counts have to go
     */
    private record BarrierMet(ReceptionCounter counter, int others, Context context) implements Condition {
        @Override
        public boolean isMet() {
            return counter.valueAcquire() <= 0 && context.fifo().fill() == 0;
        }

        @Override
        public int sources() {
            return counter.sources();
        }

        @Override
        public String describe() {
            final long missing = counter.valueAcquire();
            return missing > 0
                    ? "a barrier, which misses " + missing + " of " + others + " other ranks"
                    : "a barrier, which the others do not all know of yet";
        }
    }

    Target attach(int rank, String name, long deadlineNs) {
        final NameDirectory names = new NameDirectory(peers[rank]);
        final Condition published = new Condition() {
            @Override
            public boolean isMet() {
                return names.find(name) != null;
            }

            @Override
            public int sources() {
                return rank;
            }

            @Override
            public String describe() {
                return "rank " + rank + " to publish \"" + name + "\"";
            }
        };
        context.await(published, deadlineNs);
        final NameDirectory.@Nullable Entry entry = names.find(name);
        if (entry == null) {
            throw new IllegalStateException("rank " + rank + " has withdrawn \"" + name + "\"");
        }
        return new Target(rank, entry.id(), entry.incarnation(), entry.length(), entry.kind() == NameDirectory.PAIR);
    }
}
