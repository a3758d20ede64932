package org.segno.demo.kmeans;

import java.util.List;
import org.segno.demo.rank.ReportFormat;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of the problem, shared by the command and the ranks that it starts. */
final class KmeansOptions {
    private static final long MOST_COORDINATES = 1 << 28;
    private static final int MOST_DIMENSIONS = 64;
    private static final int MOST_CLUSTERS = 4096;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--points",
            paramLabel = "N",
            defaultValue = "200000",
            description = "number of points, default ${DEFAULT-VALUE}")
    private long points;

    @Option(
            names = "--dimensions",
            paramLabel = "N",
            defaultValue = "8",
            description = "dimensions of the space, default ${DEFAULT-VALUE}")
    private int dimensions;

    @Option(
            names = "--clusters",
            paramLabel = "N",
            defaultValue = "16",
            description = "number of clusters, default ${DEFAULT-VALUE}")
    private int clusters;

    @Option(
            names = "--max-iterations",
            paramLabel = "N",
            defaultValue = "100",
            description = "maximum number of iterations, default ${DEFAULT-VALUE}")
    private int maxIterations;

    @Option(
            names = "--format",
            paramLabel = "F",
            defaultValue = "table",
            description = "table or json, default ${DEFAULT-VALUE}")
    private ReportFormat format = ReportFormat.TABLE;

    KmeansOptions() {}

    /**
     * Checks constraints that picocli cannot express.
     *
     * @throws ParameterException with the option, its value and the expected value
     */
    void check() {
        require("--dimensions", dimensions, 1, MOST_DIMENSIONS);
        require("--clusters", clusters, 1, MOST_CLUSTERS);
        require("--points", points, clusters, MOST_COORDINATES / dimensions);
        require("--max-iterations", maxIterations, 1, Integer.MAX_VALUE);
    }

    private void require(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new ParameterException(
                    spec.commandLine(), name + " must be between " + least + " and " + most + ": " + value);
        }
    }

    long points() {
        return points;
    }

    int dimensions() {
        return dimensions;
    }

    int clusters() {
        return clusters;
    }

    int maxIterations() {
        return maxIterations;
    }

    ReportFormat format() {
        return format;
    }

    /** Returns the same options as arguments of another command. */
    List<String> toArguments() {
        return List.of(
                "--points=" + points,
                "--dimensions=" + dimensions,
                "--clusters=" + clusters,
                "--max-iterations=" + maxIterations,
                format.toArgument());
    }
}
