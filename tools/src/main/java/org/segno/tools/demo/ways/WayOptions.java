package org.segno.tools.demo.ways;

import java.util.ArrayList;
import java.util.List;
import org.segno.tools.demo.rank.ReportFormat;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that these demos have in common, the same for the command and for each rank that it starts. */
public abstract class WayOptions {
    private static final int MOST_ITERATIONS = 100_000;
    private static final int MOST_VIRTUAL_RANKS = 4_096;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--virtual",
            paramLabel = "V",
            defaultValue = "64",
            description = "ranks that those of the job play, each an equal share; default ${DEFAULT-VALUE}")
    private int virtualRanks;

    @Option(
            names = "--iterations",
            paramLabel = "N",
            defaultValue = "400",
            description = "iterations of each way, fewer where they take more than 15 s; default ${DEFAULT-VALUE}")
    private int iterations;

    @Option(
            names = "--corrupt",
            description = "spoil one value that has come, to see that the check finds it: ends with 1")
    private boolean corrupts;

    @Option(
            names = "--format",
            paramLabel = "F",
            defaultValue = "table",
            description = "table or json, default ${DEFAULT-VALUE}")
    private ReportFormat format = ReportFormat.TABLE;

    /** For picocli. */
    protected WayOptions() {}

    /** The demo's name. */
    protected abstract String program();

    /** What a rank of {@code size} does. */
    protected abstract Workload workload(int rank, int size);

    /** Parts times phases of an iteration, all together. */
    protected abstract int phases();

    /**
     * Checks what picocli cannot.
     *
     * @throws ParameterException naming the option, its value and what is expected.
     */
    protected void check(int size) {
        between("--iterations", iterations, 1, MOST_ITERATIONS);
        between("--virtual", virtualRanks, Math.max(1, size), MOST_VIRTUAL_RANKS);
    }

    /** Refuses a value outside of a range. */
    protected final void between(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw wrong(option + " must be between " + least + " and " + most + ": " + value);
        }
    }

    /** A wrong command line. */
    protected final ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Ranks that are played. */
    protected final int virtualRanks() {
        return virtualRanks;
    }

    final int iterations() {
        return iterations;
    }

    final boolean corrupts() {
        return corrupts;
    }

    final ReportFormat format() {
        return format;
    }

    /** The same options as arguments of another command; a demo adds its own. */
    protected List<String> toArguments() {
        final List<String> arguments = new ArrayList<>();
        arguments.add("--virtual=" + virtualRanks);
        arguments.add("--iterations=" + iterations);
        if (corrupts) {
            arguments.add("--corrupt");
        }
        arguments.add(format.toArgument());
        return arguments;
    }
}
