package org.segno.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.harness.Measured;
import org.segno.bench.harness.Run;
import org.segno.bench.harness.RunPlan;
import org.segno.bench.harness.Slice;
import org.segno.bench.harness.WorkerPlace;
import org.segno.bench.peer.Peers;

/**
 * Measures bare Aeron over UDP in workers of its own, in turn with everything else. Links run the same methods of Aeron
 * in another way. The JIT compiles those of one process for both, so that each takes up to a quarter more time beside
 * the other; no application has both.
 */
final class SeparateRuns {
    private static final int TURNS = 2;

    private SeparateRuns() {}

    /** Runs a plan, as {@link Run#run} does. */
    static Measured run(WorkerPlace place, RunPlan plan, List<Experiment> experiments, Run.Progress progress)
            throws IOException, InterruptedException {
        final List<List<Experiment>> parts = parts(experiments);
        if (parts.size() == 1) {
            return Run.run(BenchWorker.class, place, plan, experiments, progress);
        }
        final List<Slice> slices = new ArrayList<>();
        double waited = 0;
        final int turns = plan.repetitions() < 2 * TURNS ? 1 : TURNS;
        for (int turn = 0; turn < turns; turn++) {
            final int repetitions = (plan.repetitions() + turn) / turns;
            for (final List<Experiment> part : parts) {
                final Measured measured = Run.run(BenchWorker.class, place, plan.of(part, repetitions), part, progress);
                measured.slices()
                        .forEach(slice -> slices.add(slice.of(experiments.indexOf(part.get(slice.experiment())))));
                waited = Math.max(waited, measured.waited());
            }
        }
        return new Measured(slices, waited);
    }

    /** Returns the experiments of each pair of workers. */
    private static List<List<Experiment>> parts(List<Experiment> experiments) {
        final List<Experiment> bare =
                experiments.stream().filter(Peers::isBareLink).toList();
        final List<Experiment> others = experiments.stream()
                .filter(experiment -> !Peers.isBareLink(experiment))
                .toList();
        return bare.isEmpty() || others.isEmpty() ? List.of(experiments) : List.of(bare, others);
    }
}
