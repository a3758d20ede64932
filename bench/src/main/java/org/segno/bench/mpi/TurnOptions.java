package org.segno.bench.mpi;

import java.util.List;
import org.segno.tools.output.Format;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of the commands that run Segno and a program of MPI in turn. */
public final class TurnOptions {
    private static final int MOST_RANKS = 64;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--ranks",
            paramLabel = "N",
            split = ",",
            description = "Numbers of ranks. Default: ${DEFAULT-VALUE}.")
    private List<Integer> ranks;

    @Option(
            names = "--runs",
            paramLabel = "N",
            description = "Runs of Segno and of MPI, in turn. Default: ${DEFAULT-VALUE}.")
    private int runs = 3;

    @Option(names = "--format", paramLabel = "F", description = "table, csv, json or ndjson. Default: table.")
    private Format format = Format.TABLE;

    /** Creates the options with the numbers of ranks that are measured by default. */
    public TurnOptions(List<Integer> ranks) {
        this.ranks = ranks;
    }

    /**
     * Checks constraints that picocli cannot express.
     *
     * @throws ParameterException with the options and their values
     */
    public void check() {
        if (runs < 1 || ranks.isEmpty() || ranks.stream().anyMatch(size -> size < 1 || size > MOST_RANKS)) {
            throw new ParameterException(
                    spec.commandLine(), "--runs must be 1 or more, --ranks 1 to " + MOST_RANKS + ": " + ranks);
        }
    }

    /** Returns the numbers of ranks. */
    public List<Integer> ranks() {
        return ranks;
    }

    /** Returns the number of runs of each program. */
    public int runs() {
        return runs;
    }

    /** Returns the format of the output. */
    public Format format() {
        return format;
    }
}
