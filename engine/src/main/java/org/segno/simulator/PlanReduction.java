package org.segno.simulator;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * PlanReduction of a failing plan: fewer kinds of faults, operations and nodes, with the same seed, as long as the plan
 * still fails.
 *
 * <p>Kinds of faults are omitted in halves, quarters and so on, operations and nodes are bisected, until nothing
 * changes any more. A smaller plan has other events, so the result is small, but not always the smallest.
 */
public final class PlanReduction {
    private final Predicate<SimulationPlan> fails;
    private final int runLimit;
    private SimulationPlan plan;
    private int runs;

    private PlanReduction(SimulationPlan failing, Predicate<SimulationPlan> fails, int runLimit) {
        this.plan = failing;
        this.fails = fails;
        this.runLimit = runLimit;
    }

    /**
     * Reduces a plan that is known to fail.
     *
     * @param failing the plan
     * @param fails runs a plan and returns true if it still fails
     * @param runLimit limit of the number of runs
     * @return the smallest failing plan that was found, {@code failing} itself if there is none
     */
    public static SimulationPlan reduce(SimulationPlan failing, Predicate<SimulationPlan> fails, int runLimit) {
        final PlanReduction reduction = new PlanReduction(failing, fails, runLimit);
        reduction.reduce();
        return reduction.plan;
    }

    private void reduce() {
        SimulationPlan before;
        do {
            before = plan;
            omitFaults();
            // Operations first: few of them make a short trace, and may leave few nodes something to do.
            bisect(0, plan.operations(), operations -> plan.withOperations(operations));
            bisect(1, plan.nodes(), nodes -> plan.withNodes(nodes));
        } while (!plan.equals(before) && runs < runLimit);
    }

    private void omitFaults() {
        for (int length = plan.faults().size(); length > 0; length /= 2) {
            final List<Fault> faults = List.copyOf(plan.faults());
            for (int start = 0; start < faults.size(); start += length) {
                final Set<Fault> fewer = EnumSet.noneOf(Fault.class);
                fewer.addAll(plan.faults());
                fewer.removeAll(faults.subList(start, Math.min(start + length, faults.size())));
                attempt(plan.withFaults(fewer));
            }
        }
    }

    /** Finds a failing number below {@code high}, which fails. */
    private void bisect(int low, int high, IntFunction<SimulationPlan> with) {
        int passing = low;
        int failing = high;
        while (passing < failing) {
            final int middle = (passing + failing) >>> 1;
            if (attempt(with.apply(middle))) {
                failing = middle;
            } else {
                passing = middle + 1;
            }
        }
    }

    /** Takes a smaller plan if it fails. */
    private boolean attempt(SimulationPlan smaller) {
        if (runs == runLimit) {
            return false;
        }
        runs++;
        if (!fails.test(smaller)) {
            return false;
        }
        plan = smaller;
        return true;
    }
}
