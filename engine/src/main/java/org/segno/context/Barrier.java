package org.segno.context;

import java.util.function.BooleanSupplier;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.memory.ContextStates;
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

    /** True once no id contains the unknown use. */
    private boolean areKnown;

    /** By task, true if the count of the present round was refused, because another client had the context there. */
    private boolean[] refused = {};

    /** True if the count of a task was refused and has not been repeated. */
    private boolean isRefused;

    /** Number of ranks, this one included, that have been notified of the present round. */
    private int counted;

    /** True once all ranks have been notified of the present round. */
    private boolean announced;

    /**
     * Number of rounds of which all other ranks have been notified. Other threads read it when the client is closed.
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

    /** Returns the number of barriers of which all other ranks have been, or are being, notified. Any thread. */
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
        injector.sinks().requireNotRecording("a barrier");
        if (targets.length == 0) {
            targets = find(deadlineNs);
        }
        if (counted == 0) {
            if (isLinked) {
                waiter.await(landed, deadlineNs);
            }
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
            resolve();
        } while (isRefused);
        counted = 0;
        announced = false;
    }

    private void count(Target next, long deadlineNs) {
        while (injector.count(next, -1) == Status.BACK_PRESSURED) {
            waiter.await(fifo::hasRoom, deadlineNs);
        }
    }

    /** Counts again at the ranks where the count was refused, because another client had the context. */
    private void countAgain(long deadlineNs) {
        for (int i = 0; i < refused.length; i++) {
            if (refused[i]) {
                count(targets[i], deadlineNs);
                refused[i] = false;
            }
        }
        isRefused = false;
    }

    /** Checks that no task has closed the client, as far as that would keep this barrier from its end. */
    private void requireOpen() {
        resolve();
        for (int i = 0; i < targets.length; i++) {
            final int rank = targets[i].rank();
            if (rank != self && isMissed(rank, ids[i]) && !isComplete()) {
                throw new ClosedException("rank " + rank + " has closed " + contexts.client()
                        + ", so its barriers cannot end; close the client here too, and open it again at all ranks");
            }
        }
    }

    /** Replaces the ids of contexts that were made before their ranks introduced themselves, once these have. */
    private void resolve() {
        boolean isResolved = true;
        for (int task = 0; !areKnown && task < ids.length; task++) {
            if (ContextStates.isUnknown(ids[task])) {
                if (contexts.hasIntroduced(targets[task].rank())) {
                    resolve(task);
                } else {
                    isResolved = false;
                }
            }
        }
        areKnown = isResolved;
    }

    /**
     * A count for the old id was carried out in the use of the introduction, or refused if another client had the
     * context then. It is repeated once the context has returned.
     */
    private void resolve(int task) {
        final int rank = targets[task].rank();
        final int context = Endpoint.contextOf(ids[task]);
        if (contexts.wasLent(rank, context)) {
            requireReturned(rank);
            refused[task] = isCounted(task);
            isRefused |= refused[task];
            ids[task] = contexts.present(rank, context);
        } else {
            ids[task] = contexts.introduced(rank, context);
        }
        targets[task] = target(rank, ids[task]);
    }

    /** Returns true if the rank of a task has been notified of the present round. */
    private boolean isCounted(int task) {
        return Math.floorMod(task - contexts.tasks().indexOf(self), targets.length) < counted;
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
        final boolean isLast = uses == (ContextStates.isClosing(state) ? 0 : 1);
        return !isLast || ContextStates.barriers(state) - entered - (announced ? 0 : 1) < 0;
    }

    private boolean isComplete() {
        return counted != 0 && !isRefused && complete.isMet();
    }

    /**
     * Resolves the barrier counters of the same context of the same client at every task. The id of a barrier counter
     * equals the number of its context.
     */
    private Target[] find(long deadlineNs) {
        final int offset = Endpoint.offset(contexts.endpoint());
        final TaskList tasks = contexts.tasks();
        final Target[] all = new Target[tasks.size()];
        final int[] found = new int[tasks.size()];
        for (int task = 0; task < all.length; task++) {
            final int rank = tasks.rank(task);
            if (contexts.findsOwn(rank)) {
                directory.askOwn(rank, deadlineNs);
            } else {
                directory.awaitClient(rank, deadlineNs);
            }
            if (offset >= contexts.count(rank)) {
                throw unequal(offset, rank);
            }
            requireReturned(rank);
            final int contextId = contexts.context(rank, offset);
            found[task] = contextId;
            isLinked |= !injector.peer(rank).isMapped();
            all[task] = target(rank, contextId);
        }
        ids = found;
        refused = new boolean[all.length];
        return all;
    }

    /** Checks that no other client has the context of this number of {@code rank}, if this is the node's own client. */
    private void requireReturned(int rank) {
        final int offset = Endpoint.offset(contexts.endpoint());
        if (contexts.isLent(rank, offset)) {
            throw new IllegalStateException("context " + offset + " of rank " + rank + " belongs to another client"
                    + " there, so the node's own client cannot enter a barrier with it: call Client.context for the"
                    + " same contexts at all ranks before opening other clients");
        }
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
     * Condition that the counter of this rank is complete and the counts of this rank have been sent. Without the
     * latter, the other ranks might wait until this rank advances again, because its advance may run its engine.
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
            return (counter.valueAcquire() <= 0 && fifo.fill() == 0) || barrier.isRefused;
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
