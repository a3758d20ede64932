package org.segno.bench.idle;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.segno.bench.experiment.Cores;
import org.segno.bench.harness.RunDirectory;
import org.segno.bench.report.Environment;
import org.segno.node.JobConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.node.NodeSetting;
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
            "Starts a job on two cores with ranks that wait with a node's defaults, once for each threading, and"
                    + " measures the processor time that each process uses, in percent of one core."
        })
public final class IdleCommand implements Callable<Integer> {
    private static final String SCHEMA = "segno-bench-idle-2";
    private static final int LIMIT_EXCEEDED = 1;
    private static final int UNFIT = 3;
    private static final int CORES = 2;

    private static final double PERCENT = 100;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--ranks", paramLabel = "N", description = "Number of waiting processes. Default: 4.")
    private int ranks = 4;

    @Option(
            names = "--threading",
            paramLabel = "MODE",
            split = ",",
            description = "Threads of the engines. Default: invoker and dedicated.")
    private List<Threading> threadings = List.of(Threading.INVOKER, Threading.DEDICATED);

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            description = "Transport between the ranks: shm, or aeron for links, which are used once before.")
    private String transport = "shm";

    @Option(names = "--seconds", paramLabel = "S", description = "Length of a measurement. Default: 5.")
    private long seconds = 5;

    @Option(
            names = "--settle",
            paramLabel = "S",
            description = "Seconds before, until the waits and the compiler have become idle. Default: 15.")
    private long settle = 15;

    @Option(
            names = "--limit",
            paramLabel = "PERCENT",
            description = "Exit code 1 if the median rank of a threading uses more of one core than this. Default: 1.")
    private double limit = 1;

    @Option(names = "--format", paramLabel = "F", description = "table, csv, json or ndjson. Default: table.")
    private Format format = Format.TABLE;

    /** Processor time of the ranks of one job in percent of one core, and the engine threads of each. */
    private record Usage(List<Threading> modes, List<Double> percents) {
        /** Returns the median of the ranks, exactly: there is a handful of them. */
        double median() {
            return percents.stream().sorted().toList().get(percents.size() / 2);
        }

        double sum() {
            return percents.stream().mapToDouble(Double::doubleValue).sum();
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        if (ranks <= CORES || seconds < 1 || settle < 0) {
            throw new ParameterException(
                    spec.commandLine(),
                    "waits do not park if there are as many cores as ranks: --ranks must be above " + CORES
                            + ", --seconds 1 or more, --settle 0 or more: "
                            + ranks + ", " + seconds + ", " + settle);
        }
        try {
            final List<Usage> usages = new ArrayList<>();
            for (final Threading threading : threadings) {
                usages.add(measure(threading));
            }
            return report(usages);
        } catch (IOException e) {
            spec.commandLine().getErr().println("bench: " + e.getMessage());
            return UNFIT;
        }
    }

    private Usage measure(Threading threading) throws IOException, InterruptedException {
        final String cores =
                Cores.allowed().stream().limit(CORES).map(Object::toString).collect(Collectors.joining(","));
        final String job = JobConfig.uniqueName("idle");
        // The ranks are killed, so nobody else removes the directory of their job.
        final Path directory = RunDirectory.make();
        final List<WaitingProcess> waiters = new ArrayList<>();
        final List<Threading> modes = new ArrayList<>();
        try {
            for (int rank = 0; rank < ranks; rank++) {
                final List<String> place =
                        List.of(job, Integer.toString(rank), Integer.toString(ranks), directory.toString());
                waiters.add(WaitingProcess.start(cores, settings(threading), place));
            }
            for (final WaitingProcess waiter : waiters) {
                modes.add(waiter.awaitWaiting());
            }
            waiters.get(0).watch(settle);
            final long beginNs = System.nanoTime();
            final double[] before = processorSeconds(waiters);
            waiters.get(0).watch(seconds);
            final double[] after = processorSeconds(waiters);
            final double tookS = (System.nanoTime() - beginNs) / 1e9;
            final List<Double> percents = new ArrayList<>();
            for (int rank = 0; rank < ranks; rank++) {
                percents.add(PERCENT * (after[rank] - before[rank]) / tookS);
            }
            return new Usage(modes, percents);
        } finally {
            waiters.forEach(WaitingProcess::close);
            RunDirectory.delete(directory);
        }
    }

    private Map<String, String> settings(Threading threading) {
        return Map.of(
                NodeSetting.THREADING.variable(), threading.toString(), NodeSetting.TRANSPORT.variable(), transport);
    }

    private static double[] processorSeconds(List<WaitingProcess> waiters) throws IOException {
        final double[] times = new double[waiters.size()];
        for (int rank = 0; rank < times.length; rank++) {
            times[rank] = waiters.get(rank).processorSeconds();
        }
        return times;
    }

    private int report(List<Usage> usages) {
        final Table table = Table.of("processes", "process", "mode", "percent")
                .numbers(value -> String.format(Locale.ROOT, "%.2f", value));
        for (final Usage usage : usages) {
            table.startGroup();
            for (int rank = 0; rank < ranks; rank++) {
                table.row("rank " + rank, usage.modes.get(rank).toString(), usage.percents.get(rank));
            }
            table.row("all", usage.modes.get(0).toString(), usage.sum());
        }
        final double median = usages.stream().mapToDouble(Usage::median).max().orElseThrow();
        final List<String> conditions = List.of(
                String.format(
                        Locale.ROOT,
                        "%d ranks that wait, transport %s, %d cores, %d s",
                        ranks,
                        transport,
                        CORES,
                        seconds),
                String.format(Locale.ROOT, "percent of one core, step %.2f", 1.0 / seconds));
        Environment.report(SCHEMA, "segno bench idle", WaitingProcess.JVM_OPTIONS, conditions)
                .put("seconds", seconds)
                .put("transport", transport)
                .put("medianPercent", median)
                .put("limitPercent", limit)
                .put("held", median <= limit)
                .add(table)
                .note(String.format(
                        Locale.ROOT,
                        "limit %.2f for the median rank, at most %.2f: %s",
                        limit,
                        median,
                        median <= limit ? "held" : "exceeded"))
                .print(spec.commandLine().getOut(), format);
        return median <= limit ? 0 : LIMIT_EXCEEDED;
    }
}
