package org.segno.bench.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.segno.bench.experiment.Clock;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.harness.Distance;
import org.segno.bench.harness.WorkerCores;
import org.segno.bench.harness.WorkerPlace;
import org.segno.tools.output.Quantity;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;

/** Report of a run of experiments: one row for each metric of each experiment, and the state of the machine. */
public final class BenchReport {
    private static final String SCHEMA = "segno-bench-1";

    private BenchReport() {}

    /**
     * Creates the report.
     *
     * @param place cores and network of the workers
     * @param slicing description of the slices
     * @param mpi description of the MPI that is measured, or the reason for measuring none
     * @param jvmOptions options of the workers
     */
    public static Report of(Result result, WorkerPlace place, String slicing, String mpi, List<String> jvmOptions) {
        final Report report = Environment.report(
                        SCHEMA, "segno bench", jvmOptions, conditions(place, slicing, mpi, states(result)))
                .put("workerCores", place.cores().applications())
                .put("engineCores", place.cores().engines())
                .put("network", place.network().description())
                .put("slicing", slicing)
                .put("mpi", mpi)
                .put("probeNs", result.probeNs())
                .put("clockNs", Clock.costNs())
                .put("waited", result.waited());
        result.slices().forEach((distance, count) -> report.put(distance.label() + "Slices", count));
        return report.add(rows(result));
    }

    private static List<String> conditions(WorkerPlace place, String slicing, String mpi, String states) {
        return List.of(
                "2 processes, each pinned to its core " + place.cores().applications() + ", closed loop · " + slicing
                        + "; Aeron UDP, links without engines: in processes of their own, in turn with the others",
                engines(place.cores()) + "; " + place.network().description(),
                "one way = round trip / 2; p50 of groups of 8 round trips, p99 of single round trips (grain 5 ns);"
                        + " receivers of messages read one word of every line",
                "best of all slices; median and worst of the slices in the state named; x probe = time / cache-line"
                        + " ping-pong around it, median over near and far slices",
                "several senders (am_senders): threads that share the origin's core and yield, as does the receiver · MPI: "
                        + mpi,
                states);
    }

    private static String engines(WorkerCores cores) {
        return "Segno INVOKER: the application runs the engine; "
                + (cores.areFree()
                        ? "DEDICATED and SHARED: engine threads on cores of their own, " + cores.engines()
                        : "DEDICATED, limit: bare hand-over: a thread on the other core, whose process sleeps; SHARED:"
                                + " so too, both ranks in one process; one core: engine and application yield to each"
                                + " other");
    }

    private static Table rows(Result result) {
        final Table table = Table.of(
                        "rows", "test", "size", "peer", "metric", "best", "median", "worst", "unit", "xProbe", "state",
                        "slices")
                .numbers(Quantity::ofFigure);
        Experiment last = null;
        for (final Row row : result.rows()) {
            final Experiment experiment = row.experiment();
            if (last != null && !(last.test().equals(experiment.test()) && last.size() == experiment.size())) {
                table.startGroup();
            }
            last = experiment;
            table.row(
                    experiment.test(),
                    experiment.size(),
                    experiment.peer(),
                    row.metric().label(),
                    row.best(),
                    row.median(),
                    row.worst(),
                    row.metric().unit(),
                    row.xProbe(),
                    row.distance().label(),
                    row.sliceCount());
        }
        return table;
    }

    private static String states(Result result) {
        final Map<Distance, Integer> slices = result.slices();
        final int all = slices.values().stream().mapToInt(Integer::intValue).sum();
        final StringBuilder text = new StringBuilder("slices: " + all);
        for (final Distance distance : Distance.values()) {
            final int share = Math.round(100f * slices.getOrDefault(distance, 0) / Math.max(1, all));
            text.append(String.format(Locale.ROOT, ", %s %d %%", distance.label(), share));
        }
        return text.append(String.format(
                        Locale.ROOT,
                        "; best probe %.1f ns; nanoTime costs %.1f ns, taken out of latencies; without a core %.1f %%"
                                + " of the time",
                        result.probeNs(),
                        Clock.costNs(),
                        100 * result.waited()))
                .toString();
    }
}
