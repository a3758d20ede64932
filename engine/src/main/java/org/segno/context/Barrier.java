package org.segno.context;

import java.util.function.BooleanSupplier;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.memory.ContextStates;
import org.segno.engine.memory.Peer;
import org.segno.geometry.Endpoint;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.status.ClosedException;
import org.segno.status.Status;

/** Counter barrier of a context with the contexts of the same number at all tasks of its client. Used by one thread. */
final class Barrier {
    /** Number of checks of a wait between two checks of the clients at the other ranks; a power of two. */
    private static final int CLOSED_CHECKS = 64;

    private final Injector injector;
    private final ContextDirectory contexts;
    private final Directory directory;
    private final Waiter waiter;
    private final int self;
    private final FifoMetadata fifo;
    private final ReceptionCounter counter;
    private final Complete complete;

    /** Returns true when everything sent before has landed. */
    private final BooleanSupplier landed;

    /** True if links reach some of the tasks. */
    private boolean isLinked;

    /** Counters of the tasks, in their order; empty until they are found. */
    private Target[] targets = {};

    /** Ids of the contexts that take part, in the order of the tasks. */
    private int[] ids = {};

    /** True once no id has the unknown use. */
    private boolean areKnown;

    /** By task, true if the count of the present round was refused, because another client had the context there. */
    private boolean[] refused = {};

    /** True if one of the tasks has refused its count. */
    private boolean isRefused;

    /** Number of ranks, this one included, for which the count of the present round was injected. */
    private int counted;

    /** True once the counts of the present round were injected. */
    private boolean announced;

    /**
     * Number of rounds in which this rank has injected its counts for all others. Other threads read it when the client
     * is closed.
     */
    private volatile int entered;

    /**
     * Creates the barrier of a context.
     *
     * @param fifo through which {@code injector} sends
     * @param counter at which the other ranks count
     */
    Barrier(
            NodeShare share,
            Injector injector,
            FifoMetadata fifo,
            Directory directory,
            Waiter waiter,
            ReceptionCounter counter) {
        this.injector = injector;
        this.contexts = injector.contexts();
        this.directory = directory;
        this.waiter = waiter;
        this.self = share.node().rank();
        this.fifo = fifo;
        this.counter = counter;
        this.complete = new Complete(this);
        this.landed = () -> fifo.fill() == 0;
    }

    /** Returns the number of rounds in which this rank has injected its counts for all others. Any thread. */
    int entered() {
        return entered;
    }

    /**
     * Enters the counter barrier and waits until all ranks have entered it. First N - 1 is added to this rank's
     * counter, then the counter of every other rank is counted down by one. A counter becomes negative if another rank
     * enters early.
     *
     * <p>One counter is enough for any number of rounds. No rank leaves round k before all N(N - 1) counts of rounds up
     * to k have been sent. A count of round k + 1 therefore takes the place of a missing count of round k only if that
     * count's rank has entered round k, too. Links have no order with each other, so a rank counts over them only when
     * everything that it sent before has landed: then this holds for its messages, too.
     *
     * <p>A barrier that ended at its deadline has been entered: the next call continues it. A barrier with a rank that
     * has closed the client ends with an exception, and so do all later ones: the counts of a client that the rank
     * opens again belong to other barriers.
     */
    void await(long deadlineNs) {
        injector.sinks().requireOpen();
        injector.sinks().requireMayWait("a barrier");
        // Before anything is expected or counted.
        injector.sinks().requireOutsidePass();
        if (targets.length == 0) {
            targets = find(deadlineNs);
        }
        if (counted == 0) {
            if (isLinked) {
                waiter.await(landed, deadlineNs);
            }
            renew(deadlineNs);
            requireOpen();
            counter.expect(targets.length - 1L);
            counted = 1;
        }
        while (counted < targets.length) {
            // Each rank starts with its right neighbour, so that the ranks do not all count at the same rank at once.
            count(targets[(contexts.tasks().indexOf(self) + counted) % targets.length], deadlineNs);
            counted++;
        }
        if (!announced) {
            announced = true;
            final int before = entered;
            entered = before + 1;
        }
        do {
            countAgain(deadlineNs);
            waiter.await(complete, deadlineNs);
            learn();
        } while (isRefused);
        counted = 0;
        announced = false;
    }

    private void count(Target next, long deadlineNs) {
        while (injector.count(next, -1) == Status.BACK_PRESSURED) {
            waiter.await(fifo::hasRoom, deadlineNs);
        }
    }

    /** Counts again at the ranks where the count was refused, once they have the context back. */
    private void countAgain(long deadlineNs) {
        for (int task = 0; isRefused && task < refused.length; task++) {
            if (refused[task]) {
                use(task, locate(targets[task].rank(), deadlineNs));
                count(targets[task], deadlineNs);
                refused[task] = false;
            }
        }
        isRefused = false;
    }

    /** Replaces the ids that were made before their ranks introduced themselves. Nothing was counted with them. */
    private void renew(long deadlineNs) {
        for (int task = 0; !areKnown && task < ids.length; task++) {
            if (ContextStates.isUnknown(ids[task]) && contexts.hasIntroduced(targets[task].rank())) {
                use(task, locate(targets[task].rank(), deadlineNs));
            }
        }
    }

    /**
     * Finds out what became of the counts for ids that were made before their ranks introduced themselves. The engine
     * has replaced such an id when it carried the count out.
     */
    private void learn() {
        boolean areAllKnown = true;
        for (int task = 0; !areKnown && task < ids.length; task++) {
            if (ContextStates.isUnknown(ids[task])) {
                final int context = Endpoint.contextOf(ids[task]);
                final int result = isCounted(task) ? contexts.earlyCount(targets[task].rank(), context) : Peer.WAITING;
                if (result >= 0) {
                    use(task, Endpoint.idOf(context, result));
                } else {
                    areAllKnown = false;
                    refused[task] |= result == Peer.REFUSED;
                    isRefused |= refused[task];
                }
            }
        }
        areKnown = areAllKnown;
    }

    /** Returns true if the count of the present round for a task was injected. */
    private boolean isCounted(int task) {
        return Math.floorMod(task - contexts.tasks().indexOf(self), targets.length) < counted;
    }

    private void use(int task, int contextId) {
        final int rank = targets[task].rank();
        ids[task] = contextId;
        targets[task] = target(rank, contextId);
    }

    /** Checks that no task has closed the client, as far as that would keep this barrier from its end. */
    private void requireOpen() {
        learn();
        for (int i = 0; i < targets.length; i++) {
            final int rank = targets[i].rank();
            if (rank != self && isMissed(rank, ids[i]) && !isComplete()) {
                throw new ClosedException("rank " + rank + " has closed " + contexts.client()
                        + ", so its barriers cannot end; close the client here too, and open it again at all ranks");
            }
        }
    }

    /**
     * Returns true if the client was closed at {@code rank} before the rank notified this one of the present round.
     *
     * @param contextId id of the context that takes part there
     */
    private boolean isMissed(int rank, int contextId) {
        final long state = contexts.stateOf(rank, contextId);
        if (ContextDirectory.isUnknown(state, contextId) || ContextStates.admits(state, contextId)) {
            return false;
        }
        final int uses = ContextStates.use(state) - Endpoint.useOf(contextId);
        // The node's own client ends with the node. A context that is in another use was lent since.
        final boolean isLast = contexts.isOwn()
                ? uses == 0 && ContextStates.client(state) == 0
                : uses == (ContextStates.isClosing(state) ? 0 : 1);
        return !isLast || ContextStates.isBehind(state, entered + (announced ? 0 : 1));
    }

    private boolean isComplete() {
        return counted != 0 && !isRefused && complete.isMet();
    }

    /**
     * Resolves the barrier counters of the same context of the same client at every task. The id of a barrier counter
     * equals the number of its context.
     */
    private Target[] find(long deadlineNs) {
        final TaskList tasks = contexts.tasks();
        final Target[] all = new Target[tasks.size()];
        final int[] found = new int[tasks.size()];
        for (int task = 0; task < all.length; task++) {
            final int rank = tasks.rank(task);
            found[task] = locate(rank, deadlineNs);
            isLinked |= !injector.peer(rank).isMapped();
            all[task] = target(rank, found[task]);
        }
        ids = found;
        refused = new boolean[all.length];
        return all;
    }

    /**
     * Returns the id of the context that takes part at a rank; with the unknown use if the rank has not introduced
     * itself at the deadline.
     */
    private int locate(int rank, long deadlineNs) {
        final int offset = Endpoint.offset(contexts.endpoint());
        final boolean isOwn = contexts.findsOwn(rank);
        if (isOwn) {
            directory.askOwn(rank, deadlineNs);
        } else {
            directory.awaitClient(rank, deadlineNs);
        }
        if (offset >= contexts.count(rank)) {
            throw unequal(offset, rank);
        }
        return isOwn ? own(rank, offset) : contexts.context(rank, offset);
    }

    /** Returns the present id of a context of the node's own client, after the check that no other client has it. */
    private int own(int rank, int context) {
        final long state = contexts.stateOf(rank, context);
        if (ContextStates.client(state) != 0 && !directory.hasEnded(rank)) {
            throw new IllegalStateException("context " + context + " of rank " + rank + " belongs to another client"
                    + " there, so the node's own client cannot enter a barrier with it: call Client.context for the"
                    + " same contexts at all ranks before opening other clients");
        }
        return Endpoint.idOf(context, ContextStates.use(state));
    }

    private static Target target(int rank, int contextId) {
        return new Target(rank, Endpoint.contextOf(contextId), incarnation(Endpoint.useOf(contextId)), 0, false);
    }

    /** Returns the incarnation of the barrier counter of a context in a use. */
    static int incarnation(int use) {
        return ContextStates.barrierIncarnation(use);
    }

    /**
     * Returns the exception for a rank with fewer contexts. The counter with this number there would be one that its
     * application uses.
     */
    private IllegalStateException unequal(int offset, int absentee) {
        return new IllegalStateException("context " + offset + " of rank " + self + " has no counterpart at rank "
                + absentee + ": a barrier joins the contexts of one number, but rank " + absentee + " has "
                + contexts.count(absentee) + " contexts and rank " + self + " has " + contexts.count(self)
                + "; use the same withContexts at all ranks, or enter barriers only with contexts of every rank");
    }

    /**
     * Condition that the counter of this rank is complete and the counts of this rank have been sent, or that one of
     * them was refused. Without counts, the other ranks might wait until this rank advances again, because its advance
     * may run its engine.
     */
    private static final class Complete implements Condition {
        private final Barrier barrier;
        private final ReceptionCounter counter;
        private final FifoMetadata fifo;
        private final ContextDirectory contexts;
        private int checks;

        Complete(Barrier barrier) {
            this.barrier = barrier;
            this.counter = barrier.counter;
            this.fifo = barrier.fifo;
            this.contexts = barrier.contexts;
        }

        @Override
        public boolean isMet() {
            return barrier.isRefused || (counter.valueAcquire() <= 0 && fifo.fill() == 0);
        }

        @Override
        public void check() {
            // The states of the ranks are words of their memory, which this rank reads rarely.
            if ((++checks & (CLOSED_CHECKS - 1)) == 0) {
                barrier.requireOpen();
            }
        }

        @Override
        public int sources() {
            return MemoryAccess.sources(counter);
        }

        @Override
        public boolean test(int rank) {
            // Nobody else counts for this rank, and it counts only here.
            return rank != barrier.self && contexts.tasks().contains(rank);
        }

        @Override
        public String describe() {
            final long missing = counter.valueAcquire();
            return missing > 0
                    ? "a barrier, which misses " + missing + " of "
                            + (contexts.tasks().size() - 1)
                            + " other ranks; it waits for "
                            + (contexts.tasks().hash() == 0
                                    ? MemoryAccess.admitted(counter)
                                    : "the tasks " + contexts.tasks() + " of " + contexts.client())
                    : "a barrier, whose counts have not reached all other ranks";
        }
    }
}
