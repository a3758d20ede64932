package org.segno.context;

import org.jspecify.annotations.Nullable;
import org.segno.counter.ReceptionCounter;
import org.segno.memory.NameDirectory;
import org.segno.memory.NodeMemory;
import org.segno.status.Status;

/** How a context finds its peers' counters and waits for all of them. One thread. */
final class Meeting {
    private final Context context;
    private final NodeMemory[] peers;
    private final int self;
    private final ReceptionCounter barrier;
    private final Target[] barriers;
    private final Condition barrierMet;
    private int counted;

    Meeting(Context context, NodeShare share, ReceptionCounter barrier) {
        this.context = context;
        this.peers = share.peers().toArray(new NodeMemory[0]);
        this.self = share.node().rank();
        this.barrier = barrier;
        this.barrierMet = new BarrierMet(new Condition.Received().of(barrier), context);
        this.barriers = new Target[peers.length];
        for (int rank = 0; rank < barriers.length; rank++) {
            barriers[rank] = new Target(rank, barrier.id(), barrier.incarnation(), 0, false);
        }
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

    /**
     * The counter of this rank is complete, and its counts have gone to the others: they must not wait until this rank, whose
     * engine runs when it advances, happens to advance again.
     */
    private record BarrierMet(Condition complete, Context context) implements Condition {
        @Override
        public boolean isMet() {
            return complete.isMet() && context.fifo().fill() == 0;
        }

        @Override
        public int sources() {
            return complete.sources();
        }

        @Override
        public String describe() {
            return "a barrier: " + complete.describe();
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
