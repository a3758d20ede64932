package org.segno.bench.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.segno.bench.experiment.Cores;
import org.segno.bench.report.Environment;
import org.segno.node.Idling;
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

/** The {@code bench load} command. It counts the steps of two ranks, alone and beside a busy process per core. */
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        description = {
            "Counts the steps (barriers) of two ranks on two cores, for each idle strategy and threading, alone and"
                    + " beside one busy process per core."
        })
public final class LoadCommand implements Callable<Integer> {
    private static final String SCHEMA = "segno-bench-load-1";
    private static final int UNFIT = 3;
    private static final int RANKS = 2;
    private static final long END_LIMIT_S = 90;
    private static final List<String> JVM_OPTIONS =
            List.of("-XX:+UseSerialGC", "-Xmx512m", "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--seconds", paramLabel = "S", description = "Length of a run. Default: 1.")
    private double seconds = 1;

    @Option(names = "--runs", paramLabel = "N", description = "Runs of each strategy and mode, in turn. Default: 5.")
    private int runs = 5;

    @Option(names = "--idle", paramLabel = "NAME", split = ",", description = "Idle strategies. Default: all.")
    private List<Idling> strategies = List.of(Idling.values());

    @Option(
            names = "--threading",
            paramLabel = "MODE",
            split = ",",
            description = "Threads of the engines. Default: invoker and dedicated.")
    private List<Threading> threadings = List.of(Threading.INVOKER, Threading.DEDICATED);

    @Option(names = "--format", paramLabel = "F", description = "table, csv, json or ndjson. Default: table.")
    private Format format = Format.TABLE;

    /** Idle strategy and engine threads of the ranks. */
    private record Way(Idling idling, Threading threading) {}

    /** Figures of one run, in which rank 0 had the engine threads {@code mode}. */
    private record Steps(Threading mode, double perSecond, double medianUs, double tailUs) {}

    @Override
    public Integer call() throws InterruptedException {
        if (seconds <= 0 || runs < 1 || threadings.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--seconds must be above 0, --runs 1 or more");
        }
        final Table table = Table.of(
                        "loads",
                        "load",
                        "idle",
                        "mode",
                        "stepsPerSecond",
                        "medianUs",
                        "p999Us",
                        "fewestPerSecond",
                        "most")
                .numbers(value -> String.format(Locale.ROOT, "%.1f", value));
        try {
            for (final boolean loaded : new boolean[] {false, true}) {
                measure(loaded, table);
            }
        } catch (IOException e) {
            spec.commandLine().getErr().println("bench: " + e.getMessage());
            return UNFIT;
        }
        final List<String> conditions = List.of(
                String.format(Locale.ROOT, "%d ranks on %d cores, %d runs of %.1f s each", RANKS, RANKS, runs, seconds),
                "the run with the median rate of each; busy-spin is the former default with a core for each rank",
                "under DEDICATED two engines and two applications share the two cores");
        Environment.report(SCHEMA, "segno bench load", JVM_OPTIONS, conditions)
                .put("seconds", seconds)
                .put("runs", runs)
                .add(table)
                .print(spec.commandLine().getOut(), format);
        return 0;
    }

    /** Runs all strategies and modes in turn, so that each of them sees the machine in the same states. */
    private void measure(boolean loaded, Table table) throws IOException, InterruptedException {
        final Map<Way, List<Steps>> all = new LinkedHashMap<>();
        for (int run = 0; run < runs; run++) {
            for (final Idling idling : strategies) {
                for (final Threading threading : threadings) {
                    final Way way = new Way(idling, threading);
                    all.computeIfAbsent(way, first -> new ArrayList<>()).add(run(way, loaded));
                }
            }
        }
        all.forEach((way, steps) -> {
            steps.sort(Comparator.comparingDouble(Steps::perSecond));
            final Steps middle = steps.get(runs / 2);
            table.row(
                    loaded ? "one busy process per core" : "alone",
                    way.idling.toString(),
                    middle.mode.toString(),
                    middle.perSecond,
                    middle.medianUs,
                    middle.tailUs,
                    steps.get(0).perSecond,
                    steps.get(runs - 1).perSecond);
        });
    }

    private Steps run(Way way, boolean loaded) throws IOException, InterruptedException {
        final List<Integer> cores = Cores.allowed().stream().limit(RANKS).toList();
        final String both = cores.stream().map(Object::toString).collect(Collectors.joining(","));
        final String job = JobConfig.uniqueName("load");
        final List<Process> processes = new ArrayList<>();
        try {
            for (int i = 0; loaded && i < cores.size(); i++) {
                processes.add(start(
                        List.of("taskset", "-c", cores.get(i).toString(), "sh", "-c", "while :; do :; done"), way));
            }
            final List<Process> ranks = new ArrayList<>();
            for (int rank = 0; rank < RANKS; rank++) {
                final Process process = start(rankCommand(both, job, rank), way);
                ranks.add(process);
                processes.add(process);
            }
            final String line = new String(ranks.get(0).getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
            for (final Process rank : ranks) {
                if (!rank.waitFor(END_LIMIT_S, TimeUnit.SECONDS) || rank.exitValue() != 0) {
                    throw new IOException("a rank with idle=" + way.idling + " threading=" + way.threading
                            + " has failed; it printed: " + line);
                }
            }
            final String[] figures = line.split(" ", -1);
            return new Steps(
                    Threading.valueOf(figures[0]),
                    Double.parseDouble(figures[1]),
                    Double.parseDouble(figures[2]),
                    Double.parseDouble(figures[3]));
        } finally {
            for (final Process process : processes) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private List<String> rankCommand(String cores, String job, int rank) {
        final List<String> command = new ArrayList<>(List.of(
                "taskset",
                "-c",
                cores,
                Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(JVM_OPTIONS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), SteppingRank.class.getName(), job));
        command.addAll(List.of(Integer.toString(rank), Integer.toString(RANKS), Double.toString(seconds)));
        return command;
    }

    private static Process start(List<String> command, Way way) throws IOException {
        final ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put(NodeSetting.IDLE.variable(), way.idling.toString());
        builder.environment().put(NodeSetting.THREADING.variable(), way.threading.toString());
        return builder.start();
    }
}
