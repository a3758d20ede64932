package org.segno.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.segno.bench.experiment.Experiment;

class RunPlanTest {
    private static final Experiment FIRST = experiment("one (a, b)", 8);
    private static final Experiment LONGER = experiment("one (a, b)", 80);
    private static final Experiment OTHER = experiment("other.*", 8);

    @Test
    void shouldSelectExactlyAPartOfItsExperiments() {
        final RunPlan plan = new RunPlan("one|other", 8, 4, 5, 1_000);

        final RunPlan part = plan.of(List.of(FIRST, OTHER));

        assertThat(part.select(List.of(FIRST, LONGER, OTHER))).containsExactly(FIRST, OTHER);
        assertThat(RunPlan.fromArguments(part.toArguments())).isEqualTo(part);
        assertThat(part.repetitions()).isEqualTo(8);
        assertThat(part.slices()).isEqualTo(4);
    }

    private static Experiment experiment(String peer, int size) {
        return new Experiment(peer, "am_lat", size, Experiment.LATENCY, (role, directory) -> {
            throw new AssertionError("not opened: " + role);
        });
    }
}
