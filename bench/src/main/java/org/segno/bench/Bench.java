package org.segno.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import org.segno.bench.collective.CollectivesCommand;
import org.segno.bench.death.DeathCommand;
import org.segno.bench.experiment.Cores;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.LinkNetwork;
import org.segno.bench.goals.GoalsCommand;
import org.segno.bench.harness.Measured;
import org.segno.bench.harness.Run;
import org.segno.bench.harness.RunPlan;
import org.segno.bench.harness.WorkerCores;
import org.segno.bench.harness.WorkerPlace;
import org.segno.bench.idle.IdleCommand;
import org.segno.bench.idle.WakeCommand;
import org.segno.bench.load.LoadCommand;
import org.segno.bench.mpi.MpiExperiments;
import org.segno.bench.recovery.RecoveryCommand;
import org.segno.bench.report.BenchReport;
import org.segno.bench.report.Result;
import org.segno.bench.report.ResultFiles;
import org.segno.bench.report.SliceTable;
import org.segno.bench.solver.SolverCommand;
import org.segno.bench.split.SplitCommand;
import org.segno.tools.command.Terminal;
import org.segno.tools.command.Version;
import org.segno.tools.output.Format;
import org.segno.tools.output.Report;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code bench} command. Without a subcommand it runs all experiments and prints one table. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {
            PartsCommand.class,
            DeathCommand.class,
            RecoveryCommand.class,
            IdleCommand.class,
            WakeCommand.class,
            LoadCommand.class,
            SplitCommand.class,
            CollectivesCommand.class,
            SolverCommand.class,
            CompareCommand.class,
            GoalsCommand.class
        },
        description = {
            "Measures Segno and its peers side by side in one run: two processes, one per core, in short slices, each"
                    + " beside a probe of the distance between the cores."
        })
public final class Bench implements Callable<Integer> {
    private static final int UNFIT = 3;
    private static final boolean TERMINAL = Terminal.standardErrorIsTerminal();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--only",
            paramLabel = "REGEX",
            description = "Runs the experiments that match: peer, test and size, as --list shows them.")
    private String only = "";

    @Option(names = "--list", description = "Lists the experiments and exits.")
    private boolean list;

    @Option(names = "--repetitions", paramLabel = "N", description = "Rounds over all experiments. Default: 8.")
    private int repetitions = 8;

    @Option(names = "--slices", paramLabel = "N", description = "Slices of an experiment in each round. Default: 4.")
    private int slices = 4;

    @Option(names = "--slice-ms", paramLabel = "MS", description = "Length of a slice, 1 to 50. Default: 8.")
    private int sliceMs = 8;

    @Option(names = "--quick", description = "A short run: 2 repetitions of 2 slices, less warm-up.")
    private boolean quick;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            description = "Slices of each experiment before that do not count. Default: 6000, with --quick 1000.")
    private @Nullable Integer warmUp;

    @Option(
            names = "--free-cores",
            description = {
                "Measures messages, replays, senders and demos of DEDICATED, too, with two processes in which"
                        + " application and engine have a core each. Needs four cores."
            })
    private boolean freeCores;

    @Option(
            names = "--namespaces",
            paramLabel = "NAME=ADDRESS",
            split = ",",
            description = {
                "Two network namespaces and an address in each, as a=10.77.0.2,b=10.77.0.3: runs a worker in each, and"
                        + " only the experiments with links and their peers. Needs root."
            })
    private List<String> namespaces = List.of();

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            split = ",",
            description = "Lengths of the longest datagrams of links. Default: 1408,8192,65504; between namespaces the"
                    + " interface must carry them whole, as 1472 with 1,500 bytes.")
    private List<Integer> mtus = LinkNetwork.LOOPBACK.mtus();

    @Option(
            names = "--results",
            paramLabel = "DIR",
            defaultValue = "${env:BENCH_RESULTS:-}",
            description = "Writes the JSON of the run with the figure of every slice to a new file in DIR. Default:"
                    + " $BENCH_RESULTS, which bench/bin/bench sets to bench/results; none if empty.")
    private String results = "";

    @Option(names = "--format", paramLabel = "F", description = "table, csv, json or ndjson. Default: table.")
    private Format format = Format.TABLE;

    /** Runs the command and exits with its code. */
    public static void main(String[] arguments) {
        final CommandLine commandLine = new CommandLine(new Bench()).setCaseInsensitiveEnumValuesAllowed(true);
        System.exit(commandLine.execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        final RunPlan plan = plan();
        final LinkNetwork network = network();
        final List<Experiment> experiments = plan.select(Catalogue.experiments(freeCores, network));
        final PrintWriter out = spec.commandLine().getOut();
        if (list) {
            experiments.forEach(experiment -> out.println(experiment.name()));
            out.flush();
            return 0;
        }
        if (experiments.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--only matches no experiment (see --list): " + only + "; MPI: " + MpiExperiments.description());
        }
        try {
            final WorkerPlace place = new WorkerPlace(cores(), network);
            if (!results.isEmpty()) {
                ResultFiles.prepare(Path.of(results));
            }
            final Measured measured = SeparateRuns.run(place, plan, experiments, Bench::showProgress);
            final Report report = report(place, plan, Result.of(experiments, measured));
            try {
                if (!results.isEmpty()) {
                    final Path file = ResultFiles.write(
                            Path.of(results),
                            report(place, plan, Result.of(experiments, measured))
                                    .add(SliceTable.of(experiments, measured)));
                    report.note("# with every slice: " + file);
                }
            } finally {
                report.print(out, format);
            }
            return 0;
        } catch (IOException e) {
            spec.commandLine().getErr().println("bench: " + e.getMessage());
            return UNFIT;
        }
    }

    private WorkerCores cores() throws IOException {
        final List<Integer> allowed = Cores.allowed();
        try {
            return freeCores ? WorkerCores.four(allowed) : WorkerCores.two(allowed);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private LinkNetwork network() {
        try {
            return namespaces.isEmpty()
                    ? new LinkNetwork(List.of(), List.of(), mtus)
                    : LinkNetwork.between(namespaces, mtus);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private RunPlan plan() {
        try {
            final RunPlan plan = quick
                    ? new RunPlan(only, 2, 2, Math.min(sliceMs, 5), warmUp == null ? 1_000 : warmUp)
                    : new RunPlan(only, repetitions, slices, sliceMs, warmUp == null ? 6_000 : warmUp);
            plan.select(List.of());
            return plan;
        } catch (PatternSyntaxException e) {
            throw new ParameterException(
                    spec.commandLine(), "--only is not a regular expression: " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private static Report report(WorkerPlace place, RunPlan plan, Result result) {
        final String slicing = String.format(
                Locale.ROOT, "%d x %d slices of about %d ms", plan.repetitions(), plan.slices(), plan.sliceMs());
        return BenchReport.of(result, place, slicing, MpiExperiments.description(), Run.workerOptions());
    }

    private static void showProgress(int done, int all) {
        showProgress(done == 0 ? "warming up," : "measuring,", done, all, "slices");
    }

    /** Shows the progress of a measurement on standard error, if that is a terminal. */
    static void showProgress(String step, int done, int all, String noun) {
        if (TERMINAL) {
            System.err.printf(Locale.ROOT, "\r%s %d of %d %s ", step, done, all, noun);
        }
    }
}
