package org.segno.bench.idle;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

/** The {@code bench wake} command. It measures the time until a rank that has waited for long handles a message. */
@Command(
        name = "wake",
        mixinStandardHelpOptions = true,
        description = {
            "Starts two ranks, each pinned to a core of its own. One waits; the other sends it a message every 20 ms."
                    + " Measures the time from the call that sends to the handler, and the processor time of the"
                    + " waiting process. The last row is the limit: a process that is blocked in the read of a pipe."
        })
public final class WakeCommand implements Callable<Integer> {
    private static final String SCHEMA = "segno-bench-wake-1";
    private static final String LIMIT = "limit: bare pipe";
    private static final int UNFIT = 3;
    private static final int RANKS = 2;
    private static final int END_LIMIT_S = 10;

    /** Number of figures that a waiting process prints. */
    private static final int FIGURES = 5;

    /** Figures of a waiting process as text, and the threading of its node, or null if it has none. */
    private record Woken(@Nullable String mode, List<String> figures) {}

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--idle",
            paramLabel = "NAME",
            split = ",",
            description = "Idle strategies. Default: park, backoff and yield.")
    private List<Idling> strategies = List.of(Idling.PARK, Idling.BACKOFF, Idling.YIELD);

    @Option(
            names = "--threading",
            paramLabel = "MODE",
            split = ",",
            description = "Threads of the engines. Default: invoker and dedicated.")
    private List<Threading> threadings = List.of(Threading.INVOKER, Threading.DEDICATED);

    @Option(names = "--messages", paramLabel = "N", description = "Number of messages. Default: 1000.")
    private int messages = 1000;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            description = "Number of messages before, 2 ms apart, that do not count. Default: 3000.")
    private int warmUp = 3000;

    @Option(names = "--parked-ms", paramLabel = "MS", description = "Time between two messages. Default: 20.")
    private long parkedMs = 20;

    @Option(names = "--format", paramLabel = "F", description = "table, csv, json or ndjson. Default: table.")
    private Format format = Format.TABLE;

    @Override
    public Integer call() throws InterruptedException {
        if (warmUp < 1 || messages < 1 || parkedMs < 1) {
            throw new ParameterException(spec.commandLine(), "--warm-up, --messages and --parked-ms must be 1 or more");
        }
        final Table table = Table.of("wakes", "idle", "mode", "medianUs", "p99Us", "p999Us", "maxUs", "percentOfCore")
                .numbers(value -> String.format(Locale.ROOT, "%.1f", value));
        try {
            for (final Idling idling : strategies) {
                for (final Threading threading : threadings) {
                    addRow(table, idling.toString(), run(idling, threading));
                }
            }
            addRow(table, LIMIT, runLimit());
        } catch (IOException e) {
            spec.commandLine().getErr().println("bench: " + e.getMessage());
            return UNFIT;
        }
        final List<String> conditions = List.of(
                String.format(Locale.ROOT, "%d messages, %d ms apart, one rank per core", messages, parkedMs),
                "under DEDICATED the engine of a rank has a thread of its own on the rank's core");
        Environment.report(SCHEMA, "segno bench wake", WaitingProcess.JVM_OPTIONS, conditions)
                .put("messages", messages)
                .put("parkedMs", parkedMs)
                .add(table)
                .print(spec.commandLine().getOut(), format);
        return 0;
    }

    private static void addRow(Table table, String name, Woken woken) throws IOException {
        final List<String> figures = woken.figures;
        if (figures.size() < FIGURES) {
            throw new IOException(
                    "the waiting process of \"" + name + "\" has printed no figures: " + String.join(" ", figures));
        }
        table.row(
                name,
                woken.mode,
                Double.parseDouble(figures.get(0)),
                Double.parseDouble(figures.get(1)),
                Double.parseDouble(figures.get(2)),
                Double.parseDouble(figures.get(3)),
                Double.parseDouble(figures.get(4)));
    }

    private Woken runLimit() throws IOException, InterruptedException {
        final List<Integer> cores = Cores.allowed();
        final Process waiting = new ProcessBuilder(command(
                        cores.get(1 % cores.size()),
                        BarePipe.class.getName(),
                        Integer.toString(warmUp),
                        Integer.toString(messages)))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            return new Woken(null, List.of(BarePipe.measure(waiting, new WakeTimes(warmUp, messages), parkedMs)));
        } finally {
            waiting.destroyForcibly().waitFor();
        }
    }

    private static List<String> command(int core, String... mainAndArguments) {
        final String java =
                Path.of(System.getProperty("java.home"), "bin", "java").toString();
        final List<String> command = new ArrayList<>(List.of("taskset", "-c", Integer.toString(core), java));
        command.addAll(WaitingProcess.JVM_OPTIONS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(mainAndArguments));
        return command;
    }

    private Woken run(Idling idling, Threading threading) throws IOException, InterruptedException {
        final List<Integer> cores = Cores.allowed();
        final String job = JobConfig.uniqueName("wake");
        final List<Process> processes = new ArrayList<>();
        try {
            for (int rank = 0; rank < RANKS; rank++) {
                processes.add(start(cores.get(rank % cores.size()), job, rank, idling, threading));
            }
            final Process woken = processes.get(1);
            final String line = new String(woken.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
            final String[] words = line.split(" ", -1);
            if (!woken.waitFor(END_LIMIT_S, TimeUnit.SECONDS) || woken.exitValue() != 0 || words.length < 1 + FIGURES) {
                throw new IOException("the rank with idle=" + idling + " threading=" + threading
                        + " has failed; it printed: " + line);
            }
            return new Woken(words[0], List.of(words).subList(1, words.length));
        } finally {
            for (final Process process : processes) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private Process start(int core, String job, int rank, Idling idling, Threading threading) throws IOException {
        final ProcessBuilder builder = new ProcessBuilder(command(
                        core,
                        WokenRank.class.getName(),
                        job,
                        Integer.toString(rank),
                        Integer.toString(warmUp),
                        Integer.toString(messages),
                        Long.toString(parkedMs)))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put(NodeSetting.IDLE.variable(), idling.toString());
        builder.environment().put(NodeSetting.THREADING.variable(), threading.toString());
        return builder.start();
    }
}
