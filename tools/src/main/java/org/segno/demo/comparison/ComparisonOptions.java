package org.segno.demo.comparison;

import java.util.ArrayList;
import java.util.List;
import org.segno.demo.rank.ReportFormat;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Common options of the demos with three modes, shared by the command and the ranks that it starts. */
public abstract class ComparisonOptions {
    private static final int MOST_ITERATIONS = 100_000;
    private static final int MOST_VIRTUAL_RANKS = 4_096;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--virtual",
            paramLabel = "V",
            defaultValue = "64",
            description = "virtual ranks that the job's ranks play, in equal shares; default ${DEFAULT-VALUE}")
    private int virtualRanks;

    @Option(
            names = "--iterations",
            paramLabel = "N",
            defaultValue = "400",
            description = "iterations of each way, fewer if they take more than 15 s; default ${DEFAULT-VALUE}")
    private int iterations;

    @Option(
            names = "--format",
            paramLabel = "F",
            defaultValue = "table",
            description = "table or json, default ${DEFAULT-VALUE}")
    private ReportFormat format = ReportFormat.TABLE;

    /** Creates the options. Called by picocli. */
    protected ComparisonOptions() {}

    /** Returns the demo's name. */
    protected abstract String program();

    /** Returns the workload of a rank in a job of {@code size} ranks. */
    protected abstract DemoWorkload workload(int rank, int size);

    /** Returns the total number of phases in an iteration of all exchanges. */
    protected abstract int phases();

    /**
     * Checks constraints that picocli cannot express.
     *
     * @throws ParameterException with the option, its value and the expected value
     */
    protected void check(int size) {
        between("--iterations", iterations, 1, MOST_ITERATIONS);
        between("--virtual", virtualRanks, Math.max(1, size), MOST_VIRTUAL_RANKS);
    }

    /** Rejects a value outside a range. */
    protected final void between(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw wrong(option + " must be between " + least + " and " + most + ": " + value);
        }
    }

    /** Returns the exception for a wrong command line. */
    protected final ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Returns the number of virtual ranks. */
    protected final int virtualRanks() {
        return virtualRanks;
    }

    final int iterations() {
        return iterations;
    }

    final ReportFormat format() {
        return format;
    }

    /** Returns the same options as arguments of another command. A demo adds its own. */
    protected List<String> toArguments() {
        final List<String> arguments = new ArrayList<>();
        arguments.add("--virtual=" + virtualRanks);
        arguments.add("--iterations=" + iterations);
        arguments.add(format.toArgument());
        return arguments;
    }
}
