package org.segno.context;

import org.agrona.concurrent.IdleStrategy;
import org.segno.counter.CounterSettings;
import org.segno.memory.PeerStates;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;
import org.segno.work.RestRule;

/**
 * Waits of a context: every one advances, takes a deadline, and ends when what it waits for has failed. One thread.
 *
 * <p>What memory can still satisfy is satisfied: a failure is thrown only after the lanes have been read to their end and the
 * condition has been looked at once more.
 */
final class Waiting {
    /** Looks between two readings of the clock, which costs as much as several looks. */
    private static final int LOOKS_PER_CLOCK = 64;

    /** Looks after which the clock is read at each: a wait that is so long may park between two of them. */
    private static final int PATIENT_LOOKS = 2048;

    /** Passes that read the lanes to their end before a failure is thrown; as many more as there are lanes. */
    private static final int DRAIN_LIMIT = 1000;

    final Condition.Received received = new Condition.Received();
    final Condition.Injected injected = new Condition.Injected();
    final Condition.Round round = new Condition.Round();
    final Condition.Told told = new Condition.Told();
    final Condition.Fenced fenced;

    private final Context context;
    private final PeerStates states;
    private final IdleStrategy idle;
    private final RestRule rests;
    private final int self;

    Waiting(Context context, PeerStates states, IdleStrategy idle, int self) {
        this.context = context;
        this.fenced = new Condition.Fenced(context);
        this.states = states;
        this.idle = idle;
        this.rests = new RestRule(idle);
        this.self = self;
    }

    void await(Condition condition, long deadlineNs) {
        int looks = 0;
        long checkedChanges = 0;
        int checkedSources = CounterSettings.NOBODY;
        idle.reset();
        while (true) {
            // Also when the condition is met already: what the caller has injected must not wait for its next wait.
            final int work = context.pass();
            if (condition.isMet()) {
                return;
            }
            condition.check();
            final long changes = states.changesAcquire();
            // What a pattern misses first may be something else at every look.
            if (changes != 0 && (changes != checkedChanges || condition.sources() != checkedSources)) {
                // While this rank's own engine is still at work, what is waited for may come of it: look again then.
                checkedChanges = context.isDrained() ? changes : 0;
                checkedSources = condition.sources();
                if (failed(condition)) {
                    return;
                }
            }
            final String closed = context.closedReason();
            if (closed != null) {
                throw new ClosedException(closed + " while waiting for " + condition.describe());
            }
            if (rests.isRestDue(work)) {
                context.rest();
            }
            idle.idle(work);
            if (++looks > PATIENT_LOOKS || looks % LOOKS_PER_CLOCK == 0) {
                requireServed(condition);
                if (Deadline.reached(deadlineNs)) {
                    throw new DeadlineException(
                            "the deadline passed while waiting for " + condition.describe() + context.fifos.standing());
                }
            }
        }
    }

    /** Throws if the engine does not serve a FIFO of the context any more: what was injected there is never carried out. */
    private void requireServed(Condition condition) {
        final String fifo = context.fifos.quarantined();
        if (fifo != null) {
            throw new RefusedException(
                    self,
                    fifo + " of " + context + " is not served any more: " + Refusal.BAD_FIFO.reason()
                            + "; another process of this user must have written to the node's file; waiting for "
                            + condition.describe());
        }
    }

    /** Looks at the peers: throws if one that concerns the condition failed; true if the condition was met after all. */
    private boolean failed(Condition condition) {
        if (!isHopeless(condition.sources())) {
            return false;
        }
        // A pass looks at some of the lanes that have been silent for long: at all of them in as many as there are.
        final int lanes = context.node().layout().dimensions().lanes();
        int idlePasses = 0;
        for (int pass = 0; pass < DRAIN_LIMIT + lanes && idlePasses <= lanes; pass++) {
            idlePasses = context.pass() == 0 ? idlePasses + 1 : 0;
            if (condition.isMet()) {
                return true;
            }
        }
        condition.check();
        throwIfHopeless(condition);
        return false;
    }

    private boolean isHopeless(int sources) {
        return concerning(sources, PeerStates.DEAD) >= 0 || allLeft(sources) || states.isHubLost();
    }

    private void throwIfHopeless(Condition condition) {
        final int sources = condition.sources();
        final int dead = concerning(sources, PeerStates.DEAD);
        if (dead >= 0) {
            throw new PeerFailedException(dead, "rank " + dead + " has died; waiting for " + condition.describe());
        }
        if (allLeft(sources) && context.isDrained()) {
            throw new ClosedException(
                    "every rank that it could come from has left the job; waiting for " + condition.describe());
        }
        if (states.isHubLost()) {
            throw new ClosedException("the job has ended: its hub (the launcher, or rank 0) is lost; waiting for "
                    + condition.describe());
        }
    }

    void requireAlive(int rank) {
        if (states.stateAcquire(rank) == PeerStates.DEAD) {
            throw new PeerFailedException(
                    rank, "rank " + rank + " has died; what was injected for it before a fence may not be complete");
        }
    }

    private int concerning(int sources, int state) {
        if (sources >= 0) {
            return states.stateAcquire(sources) == state ? sources : -1;
        }
        if (sources == CounterSettings.NOBODY) {
            return -1;
        }
        for (int rank = 0; rank < states.size(); rank++) {
            if (rank != self && states.stateAcquire(rank) == state) {
                return rank;
            }
        }
        return -1;
    }

    private boolean allLeft(int sources) {
        if (sources >= 0) {
            return sources != self && states.stateAcquire(sources) == PeerStates.LEFT;
        }
        if (sources == CounterSettings.NOBODY || states.size() == 1) {
            return false;
        }
        for (int rank = 0; rank < states.size(); rank++) {
            if (rank != self && states.stateAcquire(rank) != PeerStates.LEFT) {
                return false;
            }
        }
        return true;
    }
}
