package org.segno.bench.solver;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.segno.bench.experiment.Cores;
import org.segno.bench.experiment.PrintedLines;
import org.segno.bench.mpi.MpiExperiments;
import org.segno.bench.mpi.MpiProgram;
import org.segno.bench.mpi.TurnOptions;
import org.segno.bench.report.Environment;
import org.segno.tools.Segno;
import org.segno.tools.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code bench cg} command. It measures iterations of {@code segno demo cg} beside those of a program with MPI. */
@Command(
        name = "cg",
        mixinStandardHelpOptions = true,
        description = {
            "Measures iterations of 'segno demo cg' beside those of a program in C with MPI that solves the same"
                    + " system, with persistent requests, in the same minutes."
        })
public final class SolverCommand implements Callable<Integer> {
    private static final String SCHEMA = "segno-bench-cg-1";
    private static final int UNEQUAL = 1;
    private static final int UNFIT = 3;
    private static final int SMALLEST = 2;
    private static final int LARGEST = 256;
    private static final String LIMIT = "5m";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--grid",
            paramLabel = "N",
            split = ",",
            description = "Points of the grids in each dimension. Default: 48,96.")
    private List<Integer> grids = List.of(48, 96);

    @Option(
            names = "--warm-up",
            paramLabel = "S",
            description =
                    "Seconds of iterations of Segno before those that are timed, for each rank that shares a core:"
                            + " the compilers of the JVMs share it, too. Default: 2.")
    private int warmUp = 2;

    @Mixin
    private final TurnOptions options = new TurnOptions(List.of(1, 2, 4, 8));

    @Override
    public Integer call() throws InterruptedException {
        options.check();
        if (warmUp < 0) {
            throw new ParameterException(spec.commandLine(), "--warm-up must be 0 or more: " + warmUp);
        }
        if (grids.isEmpty() || grids.stream().anyMatch(grid -> grid < SMALLEST || grid > LARGEST)) {
            throw new ParameterException(
                    spec.commandLine(), "--grid must be " + SMALLEST + " to " + LARGEST + ": " + grids);
        }
        final Table table = Table.of(
                        "solves",
                        "grid",
                        "ranks",
                        "program",
                        "iterations",
                        "us",
                        "computeUs",
                        "exchangeUs",
                        "reduceUs",
                        "xMpi")
                .numbers(value -> String.format(Locale.ROOT, "%.2f", value));
        try (MpiProgram mpi = MpiProgram.build("cg")) {
            for (final int grid : grids) {
                for (final int size : options.ranks()) {
                    measure(grid, size, mpi, table);
                }
            }
        } catch (IOException e) {
            spec.commandLine().getErr().println("bench: " + e.getMessage());
            return UNFIT;
        } catch (UnequalSolveException e) {
            spec.commandLine().getErr().println("bench: " + e.getMessage());
            return UNEQUAL;
        }
        final List<String> conditions = List.of(
                "medians of " + options.runs() + " runs in turn; us: an iteration, the median of the slowest rank",
                "Segno warms up for " + warmUp + " s for each rank that shares a core, MPI for a solve",
                "computeUs, exchangeUs, reduceUs: medians of each rank, mean of all ranks",
                "one rank a core if there are enough cores; otherwise they share all cores",
                "MPI: " + MpiExperiments.description());
        Environment.report(SCHEMA, "segno bench cg", List.of(), conditions)
                .put("runs", options.runs())
                .put("warmUpSeconds", warmUp)
                .add(table)
                .print(spec.commandLine().getOut(), options.format());
        return 0;
    }

    private void measure(int grid, int size, MpiProgram mpi, Table table) throws IOException, InterruptedException {
        final List<SolveFigures> own = new ArrayList<>();
        final List<SolveFigures> others = new ArrayList<>();
        for (int run = 0; run < options.runs(); run++) {
            final SolveFigures solved = SolveFigures.ofDemo(String.join("", PrintedLines.of(demo(grid, size))));
            own.add(solved);
            final List<String> lines =
                    mpi.run(size, List.of(Integer.toString(grid), Integer.toString(solved.iterations())));
            if (!lines.isEmpty()) {
                final SolveFigures beside = SolveFigures.ofMpi(lines);
                solved.checkEqual(beside);
                others.add(beside);
            }
        }
        final SolveFigures segno = SolveFigures.median(own);
        if (others.isEmpty()) {
            addRow(table, grid, size, "Segno", segno, null);
        } else {
            final SolveFigures beside = SolveFigures.median(others);
            addRow(table, grid, size, "Segno", segno, segno.slowestUs() / beside.slowestUs());
            addRow(table, grid, size, "MPI", beside, null);
        }
    }

    private static void addRow(
            Table table, int grid, int size, String program, SolveFigures figures, @Nullable Double xMpi) {
        table.row(
                grid,
                size,
                program,
                figures.iterations(),
                figures.slowestUs(),
                figures.computeUs(),
                figures.exchangeUs(),
                figures.reduceUs(),
                xMpi);
    }

    /** Returns the command that solves with Segno. MPI, too, binds processes to cores if there are enough. */
    private ProcessBuilder demo(int grid, int size) throws IOException {
        final int cores = Cores.allowed().size();
        final int ranksOfCore = (size + cores - 1) / cores;
        final List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Segno.class.getName(),
                "-q",
                "demo",
                "cg",
                "-n",
                Integer.toString(size),
                "--grid",
                Integer.toString(grid),
                "--warm-up",
                warmUp * ranksOfCore + "s",
                "--format",
                "json",
                "--timeout",
                LIMIT));
        if (ranksOfCore == 1) {
            command.addAll(List.of("--bind-to", "core"));
        }
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    }
}
