package org.segno.simulator;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.segno.collective.CollectiveKind;
import org.segno.context.Context;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;

/** State that the members of a simulation of collectives share, and the checks that concern several of them. */
final class CollectiveRun {
    /** Kinds of events from it on are collectives. */
    private static final int FIRST_EVENT = 100;

    private final Ledger ledger;
    private final EventHash events;
    private final Scheduler scheduler;
    private final int nodes;
    private final Runnable faults;
    private final int faultStep;
    private final Map<Integer, long[]> entered = new HashMap<>();
    private final Map<Integer, String> outcomes = new HashMap<>();
    private boolean areFaultsBegun;
    private boolean isTorn;
    private int begun;
    private int limit;

    /**
     * Creates the state.
     *
     * @param steps number of steps of each member
     * @param faults begins the faults; called before the geometry of all ranks is created, or in some later step
     */
    CollectiveRun(SimulationPlan plan, int steps, SimulatedJob job, Runnable faults) {
        this.ledger = job.ledger();
        this.events = job.events();
        this.scheduler = job.scheduler();
        this.nodes = plan.nodes();
        this.faults = faults;
        this.limit = steps;
        this.faultStep = new SplittableRandom(~plan.seed()).nextInt(1 + steps / 2);
    }

    /** Begins a step, from 1; 0 is the creation of the geometry of all ranks. Returns false if there is none. */
    boolean begin(int step) {
        if (step > limit) {
            return false;
        }
        begun = Math.max(begun, step);
        if (!areFaultsBegun && step >= faultStep) {
            areFaultsBegun = true;
            faults.run();
        }
        return true;
    }

    /** Ends the beginning of steps, but for those that some member has begun. */
    void stop() {
        limit = Math.min(limit, begun);
    }

    /** Records that a member enters a round of a barrier. */
    void enter(DrawnCall barrier, int member, long round) {
        entered.computeIfAbsent(barrier.number(), number -> new long[barrier.members()])[member] = round;
    }

    /** Checks that all members have entered a round of a barrier that is complete at one of them. */
    void checkEntered(DrawnCall barrier, int member, long round) {
        ledger.checked();
        final long[] rounds = entered.getOrDefault(barrier.number(), new long[barrier.members()]);
        for (int other = 0; other < rounds.length; other++) {
            if (rounds[other] < round) {
                ledger.defect("member " + member + " has left round " + round + " of " + barrier + ", which member "
                        + other + " has not entered");
            }
        }
    }

    /** Counts a round that is complete at a rank. */
    void complete(DrawnCall call, int rank, long round) {
        ledger.completed();
        events.add(event(call.kind()), rank, (long) call.number() << Integer.SIZE | round);
        events.trace(rank, call.kind().toString(), () -> "round " + round + " of " + call);
    }

    /** Returns the number of the events of a kind, the same on every JDK. */
    private static int event(CollectiveKind kind) {
        return FIRST_EVENT + (kind.toString().hashCode() & 0xFFFF);
    }

    void trace(int rank, String kind, String text) {
        events.trace(rank, kind, () -> text);
    }

    void defect(String text) {
        ledger.defect(text);
    }

    void checked() {
        ledger.checked();
    }

    /**
     * Checks that an agreement has the same outcome at all its members.
     *
     * @param number of what they agree on
     */
    void agreed(int number, int rank, String outcome) {
        ledger.checked();
        final String first = outcomes.putIfAbsent(number, outcome);
        if (first != null && !first.equals(outcome) && !ledger.hasLoss()) {
            ledger.defect("agreement " + number + " is " + outcome + " at rank " + rank + ", but " + first
                    + " at another one");
        }
    }

    /**
     * Checks an exception of a rank's collective. Only the loss of a member is a reason, which the exception names.
     * Members that have lost nobody are refused what others have closed, and may wait until their deadline if
     * {@link #isTorn}.
     */
    void failed(DrawnGeometry geometry, int rank, String what, SegnoException failure) {
        ledger.checked();
        final boolean isExplained;
        if (failure instanceof PeerFailedException lost) {
            isExplained = ledger.isLost(rank, lost.rank()) && geometry.member(lost.rank()) >= 0;
        } else if (failure instanceof DeadlineException) {
            isExplained = isTorn();
        } else {
            isExplained = ledger.hasLoss();
        }
        events.trace(rank, "failed", () -> what + ": " + failure);
        if (!isExplained) {
            ledger.defect(
                    "rank " + rank + " failed with " + what + " among ranks " + geometry.ranks() + ": " + failure);
        }
    }

    /** Records that a rank is not in a geometry that others may have created. */
    void tear() {
        isTorn = true;
    }

    /**
     * Returns true if members may wait for others that have given up, without having lost anybody themselves: the ends
     * of a failed link, or a rank that has noticed a death while it created a geometry.
     */
    boolean isTorn() {
        return isTorn || ledger.hasCut();
    }

    /** Returns true if a rank has crashed. */
    boolean hasCrash() {
        return living().size() < nodes;
    }

    /** Returns true once no further fault begins. */
    boolean areFaultsOver() {
        return areFaultsBegun && scheduler.areFaultsOver();
    }

    /** Returns true once a rank has been notified of all deaths. */
    boolean knowsDeaths(Context context) {
        return IntStream.range(0, nodes).noneMatch(rank -> ledger.isCrashed(rank) && context.failure(rank) == null);
    }

    /** Returns the geometry of the ranks that live. */
    DrawnGeometry living() {
        return new DrawnGeometry(
                -1,
                IntStream.range(0, nodes)
                        .filter(rank -> !ledger.isCrashed(rank))
                        .boxed()
                        .toList());
    }
}
