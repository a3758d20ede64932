package org.segno.tools.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.segno.simulator.Defect;
import org.segno.simulator.Guarantee;
import org.segno.simulator.SimulationPlan;
import org.segno.simulator.SimulationPlan.Bounds;
import org.segno.simulator.SimulationResult;
import org.segno.simulator.Workload;

final class SeedSweepTest {
    private static final CheckChoice ALL = new CheckChoice(EnumSet.allOf(Guarantee.class));

    private static PlanChoice plans() {
        return new PlanChoice(
                2, 30, Workload.MIXED, new FaultChoice.Converter().convert("stall,pause"), Bounds.USUAL, ALL);
    }

    private static List<SimulationResult> results(int threads, SeedRange seeds) {
        final List<SimulationResult> results = new ArrayList<>();
        new SeedSweep(plans(), threads).run(seeds, results::add);
        return results;
    }

    private static SweepSummary summary(List<SimulationResult> results) {
        final SweepSummary summary = new SweepSummary(ALL);
        results.forEach(summary);
        return summary;
    }

    @Test
    @Tag("long")
    void shouldGiveTheSameResultsInTheOrderOfSeedsWithAnyNumberOfThreads() {
        final SeedRange seeds = new SeedRange(-20, 180);
        final List<SimulationResult> one = results(1, seeds);

        assertThat(one).hasSize(201);
        for (int i = 0; i < one.size(); i++) {
            assertThat(one.get(i).plan().seed()).isEqualTo(seeds.first() + i);
        }
        assertThat(results(3, seeds)).isEqualTo(one);
        assertThat(summary(one).eventHash())
                .isNotEqualTo(summary(one.subList(0, 200)).eventHash());
    }

    @Test
    void shouldKeepTheEventHashOfASingleSeed() {
        final List<SimulationResult> one = results(1, SeedRange.of(5));

        assertThat(summary(one).eventHash()).isEqualTo(one.get(0).eventHash());
    }

    @Test
    void shouldSumUpAndKeepTheFirstFailures() {
        final SweepSummary summary = new SweepSummary(new CheckChoice(EnumSet.of(Guarantee.ORDER)));
        for (int seed = 0; seed < 100; seed++) {
            final Guarantee check = seed % 2 == 0 ? Guarantee.ORDER : Guarantee.DELIVERY;
            summary.accept(
                    new SimulationResult(plans().plan(seed), 3, 7, seed, 5, List.of(new Defect(check, "wrong"))));
        }

        assertThat(summary.seeds()).isEqualTo(100);
        assertThat(summary.failed()).isEqualTo(50);
        assertThat(summary.failures()).hasSizeBetween(1, 50);
        assertThat(summary.failures().get(1).plan().seed()).isEqualTo(2);
        assertThat(List.of(summary.messages(), summary.virtualNs(), summary.checks()))
                .containsExactly(300L, 700L, 500L);
    }

    @Test
    void shouldReportAnExceptionOfASimulation() {
        final PlanChoice wrong =
                new PlanChoice(SimulationPlan.MAX_NODES + 1, 1, Workload.MIXED, plans().faults(), Bounds.USUAL, ALL);

        assertThatThrownBy(() -> new SeedSweep(wrong, 2).run(new SeedRange(1, 9), result -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("nodes=257");
    }
}
