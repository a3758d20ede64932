package org.segno.bench.mpi;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import org.segno.bench.demos.DemoExchange;
import org.segno.bench.demos.DemoSpikes;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.FigureKind;
import org.segno.bench.experiment.LinkNetwork;

/** Experiments of this package. */
public final class MpiExperiments {
    private static final boolean[] PACKED = {false, true};
    private static final int SHORT_MESSAGE = 64;
    private static final int RANGE = 1 << 20;

    private final List<Experiment> experiments = new ArrayList<>();

    private MpiExperiments() {}

    /** Returns the demos' exchanges by MPI, or nothing if no MPI is found on the path of this process. */
    public static List<Experiment> experiments() {
        final MpiExperiments rows = new MpiExperiments();
        usable().ifPresent(tools -> {
            for (final boolean packed : PACKED) {
                rows.addDemos(tools, MpiVariant.preferred(packed));
            }
        });
        return rows.experiments;
    }

    /**
     * Returns short messages, ranges and the demos' exchanges by MPI over TCP, beside which links are measured, or
     * nothing if no MPI is found. Between namespaces it is Open MPI: only its launcher is known to start there.
     */
    public static List<Experiment> linked(LinkNetwork network) {
        final MpiExperiments rows = new MpiExperiments();
        usable().filter(tools -> !network.isBetweenNamespaces() || tools.isOpenMpi())
                .ifPresent(tools -> {
                    final MpiVariant single = new MpiVariant(false, network);
                    rows.add(
                            tools,
                            single,
                            "am_lat",
                            SHORT_MESSAGE,
                            FigureKind.P50,
                            rank -> MpiPlan.ofTwoWays(rank, SHORT_MESSAGE, SHORT_MESSAGE));
                    rows.add(
                            tools,
                            single,
                            "put_bw",
                            RANGE,
                            FigureKind.BANDWIDTH,
                            rank -> MpiPlan.ofTwoWays(rank, RANGE, Long.BYTES));
                    for (final boolean packed : PACKED) {
                        rows.addDemos(tools, new MpiVariant(packed, network));
                    }
                });
        return rows.experiments;
    }

    /** Returns a description of the MPI that is measured, or the reason for measuring none. */
    public static String description() {
        return find().map(
                        tools -> defect().map(why -> "not usable (" + why + ")").orElseGet(tools::version))
                .orElseGet(() -> "not found (no " + MpiTools.missing(path()) + " on the PATH)");
    }

    /** Returns the tools of the MPI that is measured, or nothing if none is found or its compiler builds nothing. */
    static Optional<MpiTools> usable() {
        return find().filter(tools -> defect().isEmpty());
    }

    /** Returns the tools of all MPIs with a compiler that works, the preferred one first. */
    static List<MpiTools> allUsable() {
        return MpiTools.all(path()).stream()
                .filter(tools -> tools.defect().isEmpty())
                .toList();
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

    private void addDemos(MpiTools tools, MpiVariant variant) {
        for (final DemoExchange exchange : DemoExchange.values()) {
            add(
                    tools,
                    variant,
                    exchange.test(),
                    exchange.pieceBytes(),
                    FigureKind.DONE,
                    rank -> MpiPlan.of(exchange, rank));
        }
        add(tools, variant, DemoSpikes.TEST, DemoSpikes.SPIKE_BYTES, FigureKind.DONE, MpiPlan::ofSpikes);
    }

    private void add(
            MpiTools tools, MpiVariant variant, String test, int size, FigureKind metric, IntFunction<String> plan) {
        final double share = metric == FigureKind.P50 ? 0.5 : 1;
        experiments.add(new Experiment(
                variant.peer(),
                test,
                size,
                List.of(metric),
                (role, directory) -> MpiSide.open(role, directory, tools, plan.apply(role.rank()), variant, share)));
    }
}
