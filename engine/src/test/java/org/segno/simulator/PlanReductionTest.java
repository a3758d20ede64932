package org.segno.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Reductions of plans whose failure is known. */
class PlanReductionTest {
    private static final int RUNS = 200;

    private static final SimulationPlan ALL =
            new SimulationPlan(7, 8, 2_000, Workload.MIXED, EnumSet.allOf(Fault.class));

    private final Set<SimulationPlan> seen = new HashSet<>();
    private int runs;

    private SimulationPlan reduce(int limit, Predicate<SimulationPlan> fails) {
        return PlanReduction.reduce(
                ALL,
                plan -> {
                    runs++;
                    seen.add(plan);
                    return fails.test(plan);
                },
                limit);
    }

    private static SimulationPlan plan(int nodes, int operations, Fault... faults) {
        return new SimulationPlan(ALL.seed(), nodes, operations, Workload.MIXED, Set.of(faults));
    }

    @Test
    void shouldFindTheSmallestPlanWhenEachLargerOneFails() {
        final SimulationPlan reduced = reduce(
                RUNS,
                plan -> plan.nodes() >= 3
                        && plan.operations() >= 137
                        && plan.faults().contains(Fault.STALL)
                        && plan.faults().contains(Fault.SMALL));

        assertThat(reduced).isEqualTo(plan(3, 137, Fault.STALL, Fault.SMALL));
        assertThat(runs).isLessThan(RUNS / 2);
    }

    @Test
    void shouldReduceToOneNodeWithoutOperationsWhenEverythingFails() {
        assertThat(reduce(RUNS, plan -> true)).isEqualTo(plan(1, 0));
    }

    @Test
    void shouldKeepThePlanWhenNoSmallerOneFails() {
        assertThat(reduce(RUNS, plan -> false)).isEqualTo(ALL);
    }

    @Test
    void shouldReduceAgainWhenFewerNodesPermitFewerOperations() {
        assertThat(reduce(RUNS, plan -> plan.operations() >= 10 * plan.nodes())).isEqualTo(plan(1, 10));
    }

    @Test
    void shouldReturnAPlanThatWasSeenToFailAfterTheLastPermittedRun() {
        for (int limit = 0; limit < 30; limit++) {
            seen.clear();
            runs = 0;

            final SimulationPlan reduced = reduce(limit, plan -> plan.nodes() % 2 == 0 || plan.operations() > 900);

            assertThat(runs).isLessThanOrEqualTo(limit);
            assertThat(reduced.equals(ALL) || seen.contains(reduced)).isTrue();
            assertThat(reduced.nodes() % 2 == 0 || reduced.operations() > 900).isTrue();
        }
    }
}
