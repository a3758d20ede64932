package org.segno.bench.mpi;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.segno.bench.demos.DemoExchange;
import org.segno.bench.demos.DemoSpikes;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.FigureKind;

/** Experiments of this package. */
public final class MpiExperiments {
    private static final List<FigureKind> DONE = List.of(FigureKind.DONE);

    private MpiExperiments() {}

    /** Returns the demos' exchanges by MPI, or nothing if no MPI is found on the path of this process. */
    public static List<Experiment> experiments() {
        return usable().map(MpiExperiments::experiments).orElse(List.of());
    }

    /** Returns a description of the MPI that is measured, or the reason for measuring none. */
    public static String description() {
        return find().map(
                        tools -> defect().map(why -> "not usable (" + why + ")").orElseGet(tools::version))
                .orElseGet(() -> "not found (no " + MpiTools.missing(path()) + " on the PATH)");
    }

    private static Optional<MpiTools> usable() {
        return find().filter(tools -> defect().isEmpty());
    }

    /** Returns the reason for which the compiler that was found builds nothing. It is called once. */
    private static Optional<String> defect() {
        return Defect.FOUND;
    }

    /** Holder of the result of a call of the compiler. */
    private static final class Defect {
        static final Optional<String> FOUND = find().flatMap(MpiTools::defect);
    }

    private static Optional<MpiTools> find() {
        return MpiTools.find(path());
    }

    private static String path() {
        return System.getenv().getOrDefault("PATH", "");
    }

    private static List<Experiment> experiments(MpiTools tools) {
        final List<Experiment> experiments = new ArrayList<>();
        for (final boolean packed : new boolean[] {false, true}) {
            final String peer = packed ? "MPI packed" : "MPI message for message";
            for (final DemoExchange exchange : DemoExchange.values()) {
                experiments.add(new Experiment(
                        peer,
                        exchange.test(),
                        exchange.pieceBytes(),
                        DONE,
                        (role, directory) ->
                                MpiSide.open(role, directory, tools, MpiPlan.of(exchange, role.rank()), packed)));
            }
            experiments.add(new Experiment(
                    peer,
                    DemoSpikes.TEST,
                    DemoSpikes.SPIKE_BYTES,
                    DONE,
                    (role, directory) -> MpiSide.open(role, directory, tools, MpiPlan.ofSpikes(role.rank()), packed)));
        }
        return experiments;
    }
}
