package org.segno.context;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.segno.counter.ReceptionCounter;
import org.segno.geometry.Endpoint;
import org.segno.memory.NameDirectory;
import org.segno.memory.NodeMemory;
import org.segno.operation.Target;
import org.segno.status.Status;

/** How a context finds its peers' counters and waits for all of them. One thread. */
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
     * The counter barrier: N - 1 is added to the own counter first, then every other rank's is counted down by one. A rank that
     * comes early makes counters negative. One counter is enough for any number of rounds: nobody leaves round k before all
     * N(N - 1) counts of rounds up to k have been sent, so a count of round k + 1 stands for one of round k at most where the
     * rank that it stands for has entered round k too.
     *
     * <p>A barrier that ended by its deadline has been entered: the next call goes on with it.
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

    /** The same context of the same client at every rank: at each its barrier counter has the number of the context. */
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
                        + " there, so that the node's own client cannot meet it: ask for the same contexts at all ranks"
                        + " before others are opened");
            }
            barriers[rank] = new Target(rank, context.homes.first(rank) + offset, barrier.incarnation(), 0, false);
        }
    }

    /** Where a rank has fewer contexts, the counter of this number is one that its application was given. */
    private IllegalStateException unequal(int offset, int absentee) {
        final Homes homes = context.homes;
        return new IllegalStateException("context " + offset + " of rank " + self + " has nobody to meet at rank "
                + absentee + ": a barrier is among the contexts of one number, and rank " + absentee + " has "
                + homes.count(absentee) + " of them, rank " + self + " " + homes.count(self)
                + "; give all ranks the same withContexts, or keep the barrier to contexts that all have");
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
                    ? "a barrier, which misses " + missing + " of " + others + " other ranks; it waits for "
                            + counter.admitted()
                    : "a barrier, which the others do not all know of yet";
        }
    }

    /**
     * A rank has published something.
     *
     * @param rank whose directory is looked at
     * @param what it shall do, in words
     * @param isThere looks
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

    /** Waits until {@code rank} has published a counter, or a pair of them, under what stands as {@code published} in its directory. */
    NameDirectory.Entry find(int rank, String published, long deadlineNs) {
        context.requireRank(rank);
        context.requireOpen();
        context.requireNotRecording("attach");
        final NameDirectory names = new NameDirectory(peers[rank]);
        final Published there =
                new Published(rank, "publish \"" + published + "\"", () -> names.find(published) != null);
        NameDirectory.@Nullable Entry entry = null;
        // What is withdrawn between the two looks may be published again.
        while (entry == null) {
            context.await(there, deadlineNs);
            entry = names.find(published);
        }
        if (entry.kind() == NameDirectory.CLIENT) {
            throw new IllegalStateException(
                    "rank " + rank + " has a client, and no counter, that is \"" + published + "\"");
        }
        context.patterns.foundNames().add(rank, published, entry);
        return entry;
    }
}
