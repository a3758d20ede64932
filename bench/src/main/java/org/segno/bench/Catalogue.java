package org.segno.bench;

import java.util.ArrayList;
import java.util.List;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.limit.LimitExperiments;
import org.segno.bench.mpi.MpiExperiments;
import org.segno.bench.peer.Peers;
import org.segno.bench.segno.SegnoExperiments;

/** All experiments. Parent and workers build the same list in the same order. */
final class Catalogue {
    private Catalogue() {}

    /**
     * Returns the experiments.
     *
     * @param freeCores true if each engine with a thread of its own has a core of its own
     */
    static List<Experiment> experiments(boolean freeCores) {
        final List<Experiment> experiments = new ArrayList<>(LimitExperiments.experiments());
        experiments.addAll(Peers.experiments());
        experiments.addAll(SegnoExperiments.experiments(freeCores));
        experiments.addAll(MpiExperiments.experiments());
        return List.copyOf(experiments);
    }
}
