package org.segno.context;

import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.engine.counter.Senders;
import org.segno.engine.doorbell.Doorbell;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.PeerStates;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.pattern.Pattern;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;

/**
 * Waits of a progress. Each one advances, has a deadline, and ends with an exception if the source of its condition has
 * failed. Used by one thread.
 *
 * <p>A condition that memory can still satisfy is satisfied. A failure is thrown only after the lanes have been read to
 * their end and the condition has been checked once more.
 */
final class Waiter {
    /** Checks between two readings of the clock, which costs as much as several checks. */
    private static final int CHECKS_PER_CLOCK = 64;

    /** Checks after which the clock is read at every check, because a wait this long may park between two of them. */
    private static final int PATIENT_CHECKS = 2048;

    /**
     * Limit of passes that read the lanes to their end before a failure is thrown; the number of lanes is added to it.
     */
    private static final int DRAIN_LIMIT = 1000;

    private final Condition.Received received = new Condition.Received();
    private final Condition.Injected injected = new Condition.Injected();
    private final Condition.Round round = new Condition.Round();
    private final Condition.Supplied supplied = new Condition.Supplied();
    private final Condition.Fenced fenced;
    private final FifoSet fifos;
    private final Progress progress;
    private final PeerStates states;
    private final Senders senders;

    /** Accepts the sources of a counter that can receive nothing more. */
    private final IntPredicate lost;

    private final Pauses pauses;
    private final int self;
    private final IntSupplier lanes;
    private final @Nullable Doorbell doorbell;
    private final NodeDimensions dimensions;

    /** True within a wait. */
    private boolean isWaiting;

    Waiter(Progress progress, FifoSet fifos, NodeShare share, @Nullable Doorbell doorbell, IntSupplier lanes) {
        this.progress = progress;
        this.fifos = fifos;
        this.fenced = new Condition.Fenced(fifos);
        this.states = share.states();
        this.senders = new Senders(share.node());
        this.lost = sources -> senders.haveLeft(sources, Senders.ALL) && !mayOwnRankSend(sources, Senders.ALL);
        this.self = share.node().rank();
        this.lanes = lanes;
        this.doorbell = doorbell;
        this.dimensions = share.node().layout().dimensions();
        this.pauses = pauses(share.idle().get(), progress::isBlocked);
    }

    /** Returns the pauses of a loop of this context with a strategy; {@code blocked} is that of its passes. */
    final Pauses pauses(IdleStrategy idle, BooleanSupplier blocked) {
        return new Pauses(idle, doorbell, blocked, lanes, dimensions);
    }

    /** Returns true if the thread is to share its core with others: its waits yield, and may park it. */
    boolean sharesCore() {
        return pauses.mayPark();
    }

    /** Waits until everything expected at the counter has arrived. */
    void await(ReceptionCounter counter, long deadlineNs) {
        await((isNested() ? new Condition.Received() : received).of(counter), deadlineNs);
    }

    /** Waits until everything expected at the counter has been read. */
    void await(InjectionCounter counter, long deadlineNs) {
        await((isNested() ? new Condition.Injected() : injected).of(counter), deadlineNs);
    }

    /** Waits until a round of a pattern is complete. */
    void await(Pattern pattern, long generation, long deadlineNs) {
        await((isNested() ? new Condition.Round() : round).of(pattern, generation), deadlineNs);
    }

    /** Waits for a condition of the application. */
    void await(BooleanSupplier condition, long deadlineNs) {
        await((isNested() ? new Condition.Supplied() : supplied).of(condition), deadlineNs);
    }

    /**
     * Waits until everything injected before is carried out or refused. The death of a rank in {@code sources} ends the
     * wait.
     */
    void fence(int sources, long deadlineNs) {
        await((isNested() ? new Condition.Fenced(fifos) : fenced).of(sources), deadlineNs);
    }

    void await(Condition condition, long deadlineNs) {
        final boolean isNested = isNested();
        isWaiting = true;
        pauses.begin();
        try {
            awaitMet(condition, deadlineNs);
        } finally {
            pauses.leave();
            isWaiting = isNested;
        }
    }

    /**
     * Returns true if another wait of this context has called the present one, by a condition of the application. The
     * condition of that wait must not be used for this one.
     *
     * @throws IllegalStateException if a handler or posted work has called the present one
     */
    private boolean isNested() {
        progress.requireOutsidePass();
        return isWaiting;
    }

    private void awaitMet(Condition condition, long deadlineNs) {
        if (progress.isPauseDue()) {
            pauses.leave();
            pauses.pause(0);
        }
        int checks = 0;
        long checkedChanges = 0;
        int checkedSources = ReceptionCounter.NOBODY;
        while (true) {
            throwIfEnded(condition);
            // A pass is made even if the condition is met already: descriptors that the caller has injected must not be
            // delayed until its next wait.
            final int work = progress.pass();
            if (condition.isMet()) {
                return;
            }
            condition.check();
            final long changes = states.changesAcquire();
            throwIfClosed(condition);
            // The first counter that a pattern is missing may differ from check to check.
            if (changes != 0 && (changes != checkedChanges || condition.sources() != checkedSources)) {
                // While this rank itself is still at work, it may yet satisfy the condition: check again then.
                checkedChanges = progress.isDrained() && !isLeftToOwnRank(condition) ? changes : 0;
                checkedSources = condition.sources();
                if (failed(condition)) {
                    return;
                }
            }
            if (pauses.isRestDue(work)) {
                progress.rest();
            }
            pauses.pause(work);
            if (++checks > PATIENT_CHECKS || checks % CHECKS_PER_CLOCK == 0) {
                requireServed(condition);
                if (Deadline.reached(deadlineNs)) {
                    throw new DeadlineException(
                            "the deadline passed while waiting for " + condition.describe() + progress.pending());
                }
            }
        }
    }

    /**
     * Throws an exception if the engine no longer serves a FIFO of the context, because its descriptors are never
     * carried out.
     */
    private void requireServed(Condition condition) {
        final String fifo = progress.quarantined();
        if (fifo != null) {
            throw new RefusedException(
                    self,
                    fifo + " of " + progress + " is no longer served: " + Refusal.BAD_FIFO.reason()
                            + "; this program or another process of this user must have written to the node's file;"
                            + " waiting for "
                            + condition.describe());
        }
    }

    /**
     * Checks the peers. Throws an exception if a peer that the condition depends on has failed; returns true if the
     * condition was met after all.
     */
    private boolean failed(Condition condition) {
        if (!isHopeless(condition)) {
            return false;
        }
        // A pass polls only some of the lanes that have been silent for long. As many passes as there are lanes poll
        // all of them.
        final int laneCount = lanes.getAsInt();
        int idlePasses = 0;
        for (int pass = 0; pass < DRAIN_LIMIT + laneCount && idlePasses <= laneCount; pass++) {
            idlePasses = progress.pass() == 0 ? idlePasses + 1 : 0;
            if (condition.isMet()) {
                return true;
            }
        }
        condition.check();
        throwIfClosed(condition);
        throwIfHopeless(condition);
        return false;
    }

    /** Once its client is closed, a context makes no more passes, which would be needed for the rest of the wait. */
    private void throwIfEnded(Condition condition) {
        final String ended = progress.endedReason();
        if (ended != null) {
            throw new ClosedException(ended + " while waiting for " + condition.describe());
        }
    }

    /** The reason for this rank's own end precedes what it causes, the end of the job for instance. */
    private void throwIfClosed(Condition condition) {
        final String closed = progress.closedReason();
        if (closed != null) {
            throw new ClosedException(closed + " while waiting for " + condition.describe());
        }
    }

    private boolean isHopeless(Condition condition) {
        return senders.dead(condition.sources(), condition) >= 0 || isLeft(condition) || states.isHubLost();
    }

    private void throwIfHopeless(Condition condition) {
        final int dead = senders.dead(condition.sources(), condition);
        if (dead >= 0) {
            throw new PeerFailedException(dead, states.loss(dead) + "; waiting for " + condition.describe());
        }
        // What another context has carried out before it had nothing left may have met the condition since.
        if (isLeft(condition) && isExhausted() && !condition.isMet()) {
            throw new ClosedException("every possible sender has left the job; waiting for " + condition.describe());
        }
        if (states.isHubLost()) {
            throw new ClosedException("the job has ended: its hub (the launcher, or rank 0) is lost; waiting for "
                    + condition.describe());
        }
    }

    /** Returns true if nothing is left except what is held at WAITs for ranks that have left. */
    private boolean isExhausted() {
        return progress.isHeldBy(lost);
    }

    /** Returns true if the other ranks have left, and this one may still satisfy the condition. */
    private boolean isLeftToOwnRank(Condition condition) {
        final int sources = condition.sources();
        return senders.haveLeft(sources, condition) && mayOwnRankSend(sources, condition);
    }

    /**
     * Returns true if this rank may send to itself by another of its contexts. A counter that names this rank among
     * others waits for it, as for any rank that has not left. One that admits anybody does not name it: only what is in
     * progress already counts, or a wait would last until its deadline in every program with several contexts.
     */
    private boolean mayOwnRankSend(int sources, IntPredicate among) {
        if (!senders.admitSelf(sources) || !among.test(self)) {
            return false;
        }
        return sources == ReceptionCounter.ANYBODY ? progress.areOthersAtWork() : progress.hasOthers();
    }

    void requireAlive(int rank) {
        if (states.isDead(rank)) {
            throw new PeerFailedException(
                    rank, states.loss(rank) + "; descriptors injected for it before a fence may be incomplete");
        }
    }

    /** Returns true if all ranks that a condition depends on have left, itself or by the rounds in progress. */
    private boolean isLeft(Condition condition) {
        return (senders.haveLeft(condition.sources(), condition) && !mayOwnRankSend(condition.sources(), condition))
                || (condition.needsEngine() && !progress.isDrained() && isExhausted());
    }
}
