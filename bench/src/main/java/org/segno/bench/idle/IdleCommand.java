package org.segno.bench.idle;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.segno.bench.experiment.Cores;
import org.segno.bench.report.Environment;
import org.segno.node.JobConfig;
import org.segno.tools.output.Format;
import org.segno.tools.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code bench idle} command. It measures the processor time of a job in which all ranks wait. */
@Command(
        name = "idle",
        mixinStandardHelpOptions = true,
        description = {
            "Starts a job on two cores with ranks that wait with a node's defaults, and measures the processor"
                    + " time that each process uses, in percent of one core."
        })
public final class IdleCommand implements Callable<Integer> {
    private static final String SCHEMA = "segno-bench-idle-1";
    private static final int LIMIT_EXCEEDED = 1;
    private static final int UNFIT = 3;
    private static final int CORES = 2;
    /** Time until the waits and the compiler have become idle. */
    private static final long SETTLING_S = 3;

    private static final double PERCENT = 100;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--ranks", paramLabel = "N", description = "Number of waiting processes. Default: 4.")
    private int ranks = 4;

    @Option(names = "--seconds", paramLabel = "S", description = "Length of the measurement. Default: 5.")
    private long seconds = 5;

    @Option(
            names = "--limit",
            paramLabel = "PERCENT",
            description = "Exit code 1 if the median rank uses more of one core than this. Default: 1.")
    private double limit = 1;

    @Option(names = "--format", paramLabel = "F", description = "table, csv, json or ndjson. Default: table.")
    private Format format = Format.TABLE;

    @Override
    public Integer call() throws InterruptedException {
        if (ranks <= CORES || seconds < 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "waits do not park if there are as many cores as ranks: --ranks must be above " + CORES
                            + ", --seconds 1 or more: "
                            + ranks + ", " + seconds);
        }
        try {
            return report(measure());
        } catch (IOException e) {
            spec.commandLine().getErr().println("bench: " + e.getMessage());
            return UNFIT;
        }
    }

    /** Returns the processor time in percent of one core for each rank. */
    private List<Double> measure() throws IOException, InterruptedException {
        final String cores =
                Cores.allowed().stream().limit(CORES).map(Object::toString).collect(Collectors.joining(","));
        final String job = JobConfig.uniqueName("idle");
        final List<WaitingProcess> waiters = new ArrayList<>();
        try {
            for (int rank = 0; rank < ranks; rank++) {
                waiters.add(WaitingProcess.start(cores, job, rank, ranks));
            }
            for (final WaitingProcess waiter : waiters) {
                waiter.awaitWaiting();
            }
            waiters.get(0).watch(SETTLING_S);
            final long beginNs = System.nanoTime();
            final double[] before = processorSeconds(waiters);
            waiters.get(0).watch(seconds);
            final double[] after = processorSeconds(waiters);
            final double tookS = (System.nanoTime() - beginNs) / 1e9;
            final List<Double> percents = new ArrayList<>();
            for (int rank = 0; rank < ranks; rank++) {
                percents.add(PERCENT * (after[rank] - before[rank]) / tookS);
            }
            return percents;
        } finally {
            waiters.forEach(WaitingProcess::close);
        }
    }

    private static double[] processorSeconds(List<WaitingProcess> waiters) throws IOException {
        final double[] times = new double[waiters.size()];
        for (int rank = 0; rank < times.length; rank++) {
            times[rank] = waiters.get(rank).processorSeconds();
        }
        return times;
    }

    private int report(List<Double> percents) {
        final Table table =
                Table.of("processes", "process", "percent").numbers(value -> String.format(Locale.ROOT, "%.2f", value));
        for (int rank = 0; rank < ranks; rank++) {
            table.row("rank " + rank, percents.get(rank));
        }
        table.row("all", percents.stream().mapToDouble(Double::doubleValue).sum());
        // Exact: there is a handful of ranks.
        final double median = percents.stream().sorted().toList().get(ranks / 2);
        final List<String> conditions = List.of(
                String.format(Locale.ROOT, "%d ranks that wait, %d cores, %d s", ranks, CORES, seconds),
                String.format(Locale.ROOT, "percent of one core, step %.2f", 1.0 / seconds));
        Environment.report(SCHEMA, "segno bench idle", WaitingProcess.JVM_OPTIONS, conditions)
                .put("seconds", seconds)
                .put("medianPercent", median)
                .put("limitPercent", limit)
                .put("held", median <= limit)
                .add(table)
                .note(String.format(
                        Locale.ROOT,
                        "limit %.2f for the median rank, %.2f: %s",
                        limit,
                        median,
                        median <= limit ? "held" : "exceeded"))
                .print(spec.commandLine().getOut(), format);
        return median <= limit ? 0 : LIMIT_EXCEEDED;
    }
}
