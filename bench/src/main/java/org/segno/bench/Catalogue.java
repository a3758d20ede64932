package org.segno.bench;

import java.util.ArrayList;
import java.util.List;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.LinkNetwork;
import org.segno.bench.limit.LimitExperiments;
import org.segno.bench.mpi.MpiExperiments;
import org.segno.bench.peer.Peers;
import org.segno.bench.segno.SegnoExperiments;

/** All experiments. Parent and workers build the same list in the same order. */
final class Catalogue {
    private Catalogue() {}

    /**
     * Returns the experiments. Between namespaces these are those of links and of what they are compared with.
     *
     * @param freeCores true if each engine with a thread of its own has a core of its own
     * @param network network of the links
     */
    static List<Experiment> experiments(boolean freeCores, LinkNetwork network) {
        final List<Experiment> experiments = new ArrayList<>();
        if (!network.isBetweenNamespaces()) {
            experiments.addAll(LimitExperiments.experiments());
            experiments.addAll(Peers.experiments());
            experiments.addAll(SegnoExperiments.experiments(freeCores));
            experiments.addAll(MpiExperiments.experiments());
        }
        experiments.addAll(Peers.linked(network));
        experiments.addAll(LimitExperiments.linked(network));
        experiments.addAll(SegnoExperiments.linked(network));
        experiments.addAll(MpiExperiments.linked(network));
        return List.copyOf(experiments);
    }
}
