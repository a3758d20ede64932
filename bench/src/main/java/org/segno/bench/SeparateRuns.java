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
import org.segno.bench.limit.LimitExperiments;
import org.segno.bench.peer.Peers;

/**
 * Measures bare Aeron over UDP, and links without engines, in workers of their own: one half before everything else and
 * one half after it. Links with engines run the same methods in another way. The JIT compiles those of one process for
 * both, so that each takes up to a quarter more time beside the other; no application has both.
 */
final class SeparateRuns {
    /** Minimum number of repetitions that are divided. */
    private static final int DIVIDED = 4;

    private final WorkerPlace place;
    private final RunPlan plan;
    private final List<Experiment> experiments;
    private final Run.Progress progress;
    private final List<Slice> slices = new ArrayList<>();
    private double waited;

    private SeparateRuns(WorkerPlace place, RunPlan plan, List<Experiment> experiments, Run.Progress progress) {
        this.place = place;
        this.plan = plan;
        this.experiments = experiments;
        this.progress = progress;
    }

    /** Runs a plan, as {@link Run#run} does. */
    static Measured run(WorkerPlace place, RunPlan plan, List<Experiment> experiments, Run.Progress progress)
            throws IOException, InterruptedException {
        final List<Experiment> bare =
                experiments.stream().filter(Peers::isBareLink).toList();
        final List<Experiment> links =
                experiments.stream().filter(LimitExperiments::isLink).toList();
        final List<Experiment> others = experiments.stream()
                .filter(experiment -> !bare.contains(experiment) && !links.contains(experiment))
                .toList();
        final SeparateRuns runs = new SeparateRuns(place, plan, experiments, progress);
        final int all = plan.repetitions();
        final int before = all < DIVIDED || others.isEmpty() ? all : all / 2;
        runs.add(bare, before);
        runs.add(links, before);
        runs.add(others, all);
        runs.add(links, all - before);
        runs.add(bare, all - before);
        return new Measured(runs.slices, runs.waited);
    }

    private void add(List<Experiment> part, int repetitions) throws IOException, InterruptedException {
        if (part.isEmpty() || repetitions == 0) {
            return;
        }
        final Measured measured = Run.run(BenchWorker.class, place, plan.of(part, repetitions), part, progress);
        for (final Slice slice : measured.slices()) {
            slices.add(slice.of(experiments.indexOf(part.get(slice.experiment()))));
        }
        waited = Math.max(waited, measured.waited());
    }
}
