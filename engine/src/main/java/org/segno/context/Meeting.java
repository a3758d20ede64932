package org.segno.context;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.segno.counter.ReceptionCounter;
import org.segno.geometry.Endpoint;
import org.segno.memory.NameDirectory;
import org.segno.memory.NodeMemory;
import org.segno.operation.Target;
import org.segno.status.Status;

/** Discovery of peers' counters, and the barrier with the same context of all peers. Used by one thread. */
final class Meeting {
    private final Context context;
    private final NodeMemory[] peers;
    private final int self;

    private final ReceptionCounter barrier;
    private final Target[] barriers;
    private final Condition barrierMet;
    private boolean found;
    private int counted;

    Meeting(Context context, NodeShare share, ReceptionCounter barrier) {
        this.context = context;
        this.peers = share.peers().toArray(new NodeMemory[0]);
        this.self = share.node().rank();
        this.barrier = barrier;
        this.barrierMet = new BarrierMet(barrier, peers.length - 1, context);
        this.barriers = new Target[peers.length];
    }

    /**
     * Enters the counter barrier and waits until all ranks have entered it. First N - 1 is added to this rank's
     * counter, then the counter of every other rank is counted down by one. A counter becomes negative if another rank
     * enters early.
     *
     * <p>One counter is enough for any number of rounds. No rank leaves round k before all N(N - 1) counts of rounds up
     * to k have been sent. A count of round k + 1 therefore takes the place of a missing count of round k only if that
     * count's rank has entered round k, too.
     *
     * <p>A barrier that ended at its deadline has been entered: the next call continues it.
     */
    void barrier(long deadlineNs) {
        context.requireOpen();
        context.requireNotRecording("a barrier");
        if (!found) {
            find(deadlineNs);
            found = true;
        }
        if (counted == 0) {
            barrier.expect(peers.length - 1L);
            counted = 1;
        }
        while (counted < peers.length) {
            // Each rank starts with its right neighbour, so that the ranks do not all count at the same rank at once.
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
     * Resolves the barrier counters of the same context of the same client at every rank. The id of a barrier counter
     * equals the number of its context.
     */
    private void find(long deadlineNs) {
        final int offset = Endpoint.offset(context.endpoint());
        awaitClient(self, deadlineNs);
        for (int rank = 0; rank < peers.length; rank++) {
            awaitClient(rank, deadlineNs);
            if (offset >= context.homes.count(rank)) {
                throw unequal(offset, rank);
            }
            if (context.homes.isOwn() && new NameDirectory(peers[rank]).isGiven(offset)) {
                throw new IllegalStateException("context " + offset + " of rank " + rank + " belongs to another client"
                        + " there, so the node's own client cannot enter a barrier with it: call Client.context for the"
                        + " same contexts at all ranks before opening other clients");
            }
            barriers[rank] = new Target(rank, context.homes.first(rank) + offset, barrier.incarnation(), 0, false);
        }
    }

    /**
     * Returns the exception for a rank with fewer contexts. The counter with this number there would be one that its
     * application uses.
     */
    private IllegalStateException unequal(int offset, int absentee) {
        final Homes homes = context.homes;
        return new IllegalStateException("context " + offset + " of rank " + self + " has no counterpart at rank "
                + absentee + ": a barrier joins the contexts of one number, but rank " + absentee + " has "
                + homes.count(absentee) + " contexts and rank " + self + " has " + homes.count(self)
                + "; use the same withContexts at all ranks, or enter barriers only with contexts of every rank");
    }

    /** Waits until {@code rank} has opened the client. */
    void awaitClient(int rank, long deadlineNs) {
        context.requireRank(rank);
        context.requireOpen();
        final Homes homes = context.homes;
        if (!homes.isKnown(rank)) {
            context.await(new Published(rank, "open " + homes.client(), () -> homes.isKnown(rank)), deadlineNs);
        }
    }

    /**
     * Condition that the counter of this rank is complete and the counts of this rank have been sent. Without the
     * latter, the other ranks might wait until this rank advances again, because its advance may run its engine.
     *
     * @param counter complete when all have entered
     * @param others number of other ranks
     * @param context sender of the counts
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
                    ? "a barrier, which misses " + missing + " of " + others + " other ranks; it waits for "
                            + counter.admitted()
                    : "a barrier, whose counts have not reached all other ranks";
        }
    }

    /**
     * Condition that a rank has published a name.
     *
     * @param rank owner of the directory
     * @param what the expected action, for messages
     * @param isThere searches the directory
     */
    private record Published(int rank, String what, BooleanSupplier isThere) implements Condition {
        @Override
        public boolean isMet() {
            return isThere.getAsBoolean();
        }

        @Override
        public int sources() {
            return rank;
        }

        @Override
        public String describe() {
            return "rank " + rank + " to " + what;
        }
    }

    Target attach(int rank, String name, long deadlineNs) {
        final NameDirectory.Entry entry = find(rank, context.homes.published(name), deadlineNs);
        return new Target(rank, entry.id(), entry.incarnation(), entry.length(), entry.kind() == NameDirectory.PAIR);
    }

    /**
     * Waits until {@code rank} has published a counter or a pair under {@code published}, a name in the form that
     * directories store.
     */
    NameDirectory.Entry find(int rank, String published, long deadlineNs) {
        context.requireRank(rank);
        context.requireOpen();
        context.requireNotRecording("attach");
        final NameDirectory names = new NameDirectory(peers[rank]);
        final Published there =
                new Published(rank, "publish \"" + published + "\"", () -> names.find(published) != null);
        NameDirectory.@Nullable Entry entry = null;
        // The name may be withdrawn between the two searches, and published again later.
        while (entry == null) {
            context.await(there, deadlineNs);
            entry = names.find(published);
        }
        if (entry.kind() == NameDirectory.CLIENT) {
            throw new IllegalStateException("rank " + rank + " has published \"" + published
                    + "\" as a client, not as a counter: attach to the name of a counter");
        }
        context.patterns.foundNames().add(rank, published, entry);
        return entry;
    }
}
