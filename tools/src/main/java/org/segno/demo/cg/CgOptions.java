package org.segno.demo.cg;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.segno.demo.matrix.FileMatrix;
import org.segno.demo.matrix.MatrixSource;
import org.segno.demo.matrix.PoissonGrid;
import org.segno.demo.rank.ReportFormat;
import org.segno.tools.command.DurationConverter;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of the problem and its solution, shared by the command and the ranks that it starts. */
final class CgOptions {
    /** Lower limit of the default maximum: fewer iterations are too few for a system of any size. */
    private static final int LEAST_MAX_ITERATIONS = 1_000;

    /** Default iterations for each row: in exact arithmetic one suffices, an ill-conditioned matrix needs more. */
    private static final int ITERATIONS_PER_ROW = 10;

    private static final int MOST_MAX_ITERATIONS = 100_000;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--matrix",
            paramLabel = "FILE",
            description = "Matrix Market file: coordinate; real, integer or pattern; general or symmetric")
    private @Nullable Path matrix;

    @Option(
            names = "--grid",
            paramLabel = "N",
            defaultValue = "48",
            description = "without --matrix: 27-point Poisson problem on N x N x N points, default ${DEFAULT-VALUE}")
    private int grid;

    @Option(
            names = "--tolerance",
            paramLabel = "X",
            defaultValue = "1e-8",
            description = "relative residual to reach, default ${DEFAULT-VALUE}")
    private double tolerance;

    @Option(
            names = "--max-iterations",
            paramLabel = "N",
            description = "maximum number of iterations, default 10 for each row, at least 1000, at most 100000")
    private @Nullable Integer maxIterations;

    @Option(
            names = "--warm-up",
            paramLabel = "T",
            defaultValue = "0s",
            converter = DurationConverter.class,
            description = {
                "solve again for this time before iterations are timed, so that the JIT has compiled all of them;",
                "default ${DEFAULT-VALUE}: the first solve is timed"
            })
    private Duration warmUp = Duration.ZERO;

    @Option(
            names = "--format",
            paramLabel = "F",
            defaultValue = "table",
            description = "table or json, default ${DEFAULT-VALUE}")
    private ReportFormat format = ReportFormat.TABLE;

    CgOptions() {}

    /**
     * Checks constraints that picocli cannot express.
     *
     * @throws ParameterException with the option, its value and the expected value
     */
    void check() {
        final CommandLine.ParseResult parsed = spec.commandLine().getParseResult();
        if (parsed.hasMatchedOption("--matrix") && parsed.hasMatchedOption("--grid")) {
            throw wrong("--matrix and --grid exclude each other: give one of them");
        }
        if (parsed.hasMatchedOption("--grid")) {
            // A grid on the command line has precedence over a matrix from a variable.
            matrix = null;
        }
        if (matrix == null && (grid < 1 || grid > PoissonGrid.EDGE_LIMIT)) {
            throw wrong("--grid must be between 1 and " + PoissonGrid.EDGE_LIMIT + ": " + grid);
        }
        if (!(tolerance > 0 && tolerance < 1)) {
            throw wrong("--tolerance must be between 0 and 1: " + tolerance);
        }
        if (maxIterations != null && maxIterations < 1) {
            throw wrong("--max-iterations must be at least 1: " + maxIterations);
        }
    }

    /** Returns the reason why ranks with the heap of this JVM cannot hold a generated problem, or null if they can. */
    @Nullable
    String heapProblem(int ranks) {
        return matrix == null
                ? HeapEstimate.problem(grid, ranks, Runtime.getRuntime().maxMemory())
                : null;
    }

    /**
     * Returns the matrix, read or generated.
     *
     * @throws IOException if the file is missing or malformed; the message names it
     */
    MatrixSource source() throws IOException {
        return matrix == null ? new PoissonGrid(grid) : FileMatrix.read(matrix);
    }

    double tolerance() {
        return tolerance;
    }

    int maxIterations(MatrixSource source) {
        if (maxIterations != null) {
            return maxIterations;
        }
        final long byRows = (long) ITERATIONS_PER_ROW * source.rowCount();
        return (int) Math.min(MOST_MAX_ITERATIONS, Math.max(LEAST_MAX_ITERATIONS, byRows));
    }

    /** Returns the time of solves between the first one and the timed iterations; zero if the first one is timed. */
    Duration warmUp() {
        return warmUp;
    }

    ReportFormat format() {
        return format;
    }

    /** Returns the same options as arguments of another command, independent of its working directory. */
    List<String> toArguments() {
        final List<String> arguments = new ArrayList<>();
        if (matrix == null) {
            arguments.add("--grid=" + grid);
        } else {
            arguments.add("--matrix=" + matrix.toAbsolutePath());
        }
        arguments.add("--tolerance=" + tolerance);
        if (maxIterations != null) {
            arguments.add("--max-iterations=" + maxIterations);
        }
        arguments.add("--warm-up=" + warmUp.toNanos() + "ns");
        arguments.add(format.toArgument());
        return arguments;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
