package org.segno.demo.cg;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.segno.demo.matrix.MatrixSource;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;
import org.segno.tools.command.Terminal;
import org.segno.tools.program.ClassPath;
import org.segno.tools.program.Program;
import org.segno.tools.run.RunOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code segno demo cg} command: conjugate gradients on several ranks. */
@Command(
        name = "cg",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Solve a sparse system by conjugate gradients.",
            "A x = A 1 with a Jacobi preconditioner, rows split over the ranks, the exchange",
            "of ghost values recorded once and replayed."
        },
        footer = {
            "",
            "Exit code: 0; 1 no convergence, a breakdown, or the check against one process",
            "failed; 3 the matrix file is missing or malformed."
        })
public final class CgCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = {"-n", "-np", "--np"},
            paramLabel = "N",
            description = "ranks; default 4, or the slots of --host")
    private @Nullable Integer givenRankCount;

    @Mixin
    private final CgOptions options = new CgOptions();

    @Mixin
    private final RunOptions runOptions = new RunOptions();

    /** Creates the command. Called by picocli. */
    public CgCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        final int rankCount = runOptions.demoRankCount(givenRankCount);
        options.check();
        checkSource(rankCount);
        return runOptions.launchJoining(rankCount, program());
    }

    /** Reads the file before any rank does, so that an error in it is reported once. */
    private void checkSource(int rankCount) {
        final MatrixSource source;
        try {
            source = options.source();
        } catch (final IOException e) {
            throw new CommandException(ExitCode.NOT_FIT, String.valueOf(e.getMessage()));
        }
        if (rankCount > source.rowCount()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "every rank needs a row, but " + source.name() + " has " + source.rowCount() + ": -n " + rankCount);
        }
        if (rankCount > 0) {
            // The ranks have the same heap as this process: Java derives both from the machine and the variables.
            final String problem = options.heapProblem(rankCount);
            if (problem != null) {
                throw new CommandException(ExitCode.NOT_FIT, problem);
            }
        }
    }

    private Program program() {
        final List<String> arguments = new ArrayList<>(options.toArguments());
        if (Terminal.standardErrorIsTerminal()) {
            arguments.add("--progress");
        }
        return Program.main(ClassPath.ofSegno(), CgRank.class.getName(), arguments)
                .named("cg");
    }
}
