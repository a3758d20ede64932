package org.segno.context;

import static java.util.Objects.requireNonNull;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.memory.NameLookups;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.memory.PeerTable;
import org.segno.geometry.Endpoint;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.pattern.AttachedNames;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/** Waits for the names that other ranks publish: their clients, counters and pairs. Used by one thread. */
final class Directory {
    private final PeerTable peers;
    private final Injector injector;
    private final ContextDirectory contexts;
    private final SinkSelector sinks;
    private final Waiter waiter;
    private final AttachedNames foundNames;
    private final NameLookups linkedNames;
    private final PeerStates states;

    /** Creates the directory of a context. It adds the counters that it finds to {@code foundNames}. */
    Directory(NodeShare share, Injector injector, Waiter waiter, AttachedNames foundNames) {
        this.peers = share.peers();
        this.linkedNames = share.names();
        this.states = share.states();
        this.injector = injector;
        this.contexts = injector.contexts();
        this.sinks = injector.sinks();
        this.waiter = waiter;
        this.foundNames = foundNames;
    }

    /** Waits until {@code rank} has opened the client, again if it has closed it since. */
    void awaitClient(int rank, long deadlineNs) {
        injector.ranges().requireRank(rank);
        contexts.requireTask(rank);
        sinks.requireOpen();
        if (mustAsk(rank)) {
            awaitAnswer(rank, deadlineNs);
        } else if (!contexts.isCurrent(rank)) {
            sinks.requireMayWait("a wait");
            waiter.await(opened(rank, () -> contexts.isCurrent(rank)), deadlineNs);
        }
    }

    /**
     * Updates the uses of the contexts of the rank's own client, if it is linked: waits for the answer to a lookup. At
     * the deadline it returns without an answer. The death of any rank ends the wait, because a barrier needs all of
     * them.
     */
    void askOwn(int rank, long deadlineNs) {
        if (mustAsk(rank) && !Deadline.reached(deadlineNs)) {
            final BooleanSupplier isAnswered = contexts.confirmed(rank);
            final BooleanSupplier isOver = () -> isAnswered.getAsBoolean() || states.hasLeft(rank);
            try {
                waiter.await(
                        new Published(rank, ReceptionCounter.ANYBODY, "answer with the uses of its contexts", isOver),
                        deadlineNs);
            } catch (final DeadlineException e) {
                // What the rank told last applies. If it has not introduced itself, the counts wait until it does.
            }
            contexts.isCurrent(rank);
        }
    }

    /** Waits for the answer to a lookup. At the deadline the client that was found last is used, if it is open. */
    private void awaitAnswer(int rank, long deadlineNs) {
        try {
            waiter.await(opened(rank, contexts.confirmed(rank)), deadlineNs);
        } catch (final DeadlineException e) {
            if (!contexts.isCurrent(rank)) {
                throw e;
            }
        }
    }

    private Published opened(int rank, BooleanSupplier isOpen) {
        return new Published(rank, rank, "open " + contexts.client(), isOpen);
    }

    /**
     * Returns true if a lookup must find out the present uses of the rank's contexts: it is linked, can answer, and the
     * caller may make passes.
     */
    private boolean mustAsk(int rank) {
        final boolean mayPass = !sinks.isRecording() && !sinks.isInHandler() && !sinks.isInWork();
        return mayPass && !contexts.isMapped(rank) && !hasEnded(rank);
    }

    /** Returns true if a rank has died or left. */
    boolean hasEnded(int rank) {
        return states.isDead(rank) || states.hasLeft(rank);
    }

    /** Waits until {@code rank} has published a counter or a pair of this client, and returns it. */
    Target attach(int rank, String name, long deadlineNs) {
        injector.ranges().requireRank(rank);
        contexts.requireTask(rank);
        findClient(rank, deadlineNs);
        final NameDirectory.Entry entry = find(rank, contexts.published(name), deadlineNs);
        // A linked rank has sent the changed states of its contexts before this answer.
        findClient(rank, deadlineNs);
        return new Target(rank, entry.id(), entry.incarnation(), entry.length(), entry.kind() == NameDirectory.PAIR);
    }

    /** Messages to a client that was opened by name are possible once a wait has found it. */
    private void findClient(int rank, long deadlineNs) {
        if (!contexts.isOwn() && !contexts.isCurrent(rank)) {
            awaitClient(rank, deadlineNs);
        }
    }

    /**
     * Waits until {@code rank} has published a counter or a pair under {@code published}, a name in the form that
     * directories store.
     */
    NameDirectory.Entry find(int rank, String published, long deadlineNs) {
        injector.ranges().requireRank(rank);
        sinks.requireOpen();
        sinks.requireMayWait("attach");
        final int context = Endpoint.context(contexts.endpoint());
        final NodeMemory memory = peers.get(rank).memory();
        final Found found = new Found();
        final BooleanSupplier isThere;
        if (memory == null) {
            // A call that ended at its deadline may have sent it. The answer can be older than the present call.
            final NameLookups.Question earlier = linkedNames.question(context);
            if (earlier == null || !earlier.isFor(rank, published)) {
                linkedNames.begin(context, rank, published);
            }
            isThere = () -> {
                final NameLookups.Question asked = linkedNames.question(context);
                return found.is(ask(context, rank, published)) && asked != earlier;
            };
        } else {
            final NameDirectory mapped = new NameDirectory(memory);
            isThere = () -> found.is(mapped.find(published));
        }
        awaitName(rank, published, found, isThere, deadlineNs);
        final NameDirectory.Entry entry = requireNonNull(found.entry);
        peers.get(rank).learn(published, entry);
        if (entry.kind() == NameDirectory.CLIENT) {
            throw new IllegalStateException("rank " + rank + " has published \"" + published
                    + "\" as a client, not as a counter: attach to the name of a counter");
        }
        foundNames.add(rank, published, entry);
        return entry;
    }

    /** Waits for a name. At the deadline the entry that was found last is used, if there is one. */
    private void awaitName(int rank, String published, Found found, BooleanSupplier isThere, long deadlineNs) {
        try {
            waiter.await(new Published(rank, rank, "publish \"" + published + "\"", isThere), deadlineNs);
        } catch (final DeadlineException e) {
            if (found.entry == null) {
                throw e;
            }
        }
    }

    /** Asks a linked rank for a name, and returns its entry once it is there. */
    private NameDirectory.@Nullable Entry ask(int context, int rank, String published) {
        final NameLookups.Found found = linkedNames.find(context, rank, published);
        return found == null ? null : found.entry();
    }

    /** Entry that a wait has found. */
    private static final class Found {
        private NameDirectory.@Nullable Entry entry;

        boolean is(NameDirectory.@Nullable Entry now) {
            entry = now == null ? entry : now;
            return now != null;
        }
    }

    /**
     * Condition that a rank has published a name.
     *
     * @param rank owner of the directory
     * @param sources ranks whose loss ends the wait
     * @param what the expected action, for messages
     * @param isThere searches the directory
     */
    private record Published(int rank, int sources, String what, BooleanSupplier isThere) implements Condition {
        @Override
        public boolean isMet() {
            return isThere.getAsBoolean();
        }

        @Override
        public String describe() {
            return "rank " + rank + " to " + what;
        }
    }
}
