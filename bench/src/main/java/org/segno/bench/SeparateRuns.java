package org.segno.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.harness.Measured;
import org.segno.bench.harness.Run;
import org.segno.bench.harness.RunPlan;
import org.segno.bench.harness.Slice;
import org.segno.bench.harness.WorkerPlace;
import org.segno.bench.limit.LimitExperiments;
import org.segno.bench.peer.Peers;

/**
 * Measures bare Aeron over UDP, and links without engines, in workers of their own, in turn with everything else. Links
 * with engines run the same methods in another way. The JIT compiles those of one process for both, so that each takes
 * up to a quarter more time beside the other; no application has both.
 */
final class SeparateRuns {
    private SeparateRuns() {}

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
        final List<List<Experiment>> parts =
                Stream.of(bare, links, others).filter(part -> !part.isEmpty()).toList();
        final List<Measured> measured = Run.run(BenchWorker.class, place, plan, parts, progress);
        final List<Slice> slices = new ArrayList<>();
        double waited = 0;
        for (int i = 0; i < parts.size(); i++) {
            final List<Experiment> part = parts.get(i);
            for (final Slice slice : measured.get(i).slices()) {
                slices.add(slice.of(experiments.indexOf(part.get(slice.experiment()))));
            }
            waited = Math.max(waited, measured.get(i).waited());
        }
        return new Measured(slices, waited);
    }
}
