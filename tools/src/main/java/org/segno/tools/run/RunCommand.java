package org.segno.tools.run;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.segno.tools.run.plan.JobPart;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code segno run}: starts one process per rank, on this host or on several. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        customSynopsis = {
            "segno run [options] app.jar [ARGS]",
            "       segno run [options] -cp CP Main [ARGS]",
            "       segno run [options] Single.java [ARGS]",
            "       segno run [options] -- any-command [ARGS]",
            "       segno run [options] PROGRAM [ARGS] : -n N [options] PROGRAM [ARGS] …"
        },
        description = "Start a program as the ranks of a job, on this host or on those of --host.",
        footer = {
            "",
            "PROGRAM is looked up in the working directory of the ranks. A Java program gets",
            "the flag that segno needs, and segno at the end of a class path that lacks it.",
            "INT, TERM and HUP send TERM to all ranks, and KILL after --kill-grace; a second",
            "Ctrl-C sends KILL at once; USR1 requests a thread dump from each rank.",
            "After each ':' further ranks of the job execute another program, with options -n,",
            "-cp, --wdir and -x of their own.",
            "Other hosts need segno, the program, and the working directory under the same",
            "paths as here. Their ranks get the settings of segno and the variables of -x.",
            "",
            "Exit code: 0, or the status of the rank that failed first in time; 124 after",
            "--timeout; 126 and 127 when the program cannot be executed or found; 128+n",
            "after signal n."
        })
public final class RunCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = {"-n", "-np", "--np"},
            paramLabel = "N",
            description = "ranks; default: visible cores, or the slots of --host")
    private @Nullable Integer rankCount;

    @Option(names = "-cp", paramLabel = "CP", description = "class path of the main class that follows")
    private @Nullable String classPath;

    @Mixin
    private final RunOptions options = new RunOptions();

    @Parameters(paramLabel = "PROGRAM", hidden = true)
    private List<String> words = List.of();

    private RunCommand() {}

    /** Returns the subcommand, which leaves all words after PROGRAM to the program. */
    public static CommandLine commandLine() {
        return new CommandLine(new RunCommand()).setStopAtPositional(true);
    }

    @Override
    public Integer call() throws InterruptedException {
        try {
            return options.launch(parts());
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private List<JobPart> parts() {
        final int cores = Runtime.getRuntime().availableProcessors();
        final List<String> all = spec.root().commandLine().getParseResult().expandedArgs();
        final List<JobPart> parts = new ArrayList<>();
        final JobPart first = options.part(
                options.rankCount(rankCount, cores),
                ProgramWords.of(classPath, all, words).program(options.directory()));
        parts.add(first);
        int end = words.indexOf(ProgramWords.SEPARATOR);
        if (end >= 0 && rankCount == null) {
            throw new IllegalArgumentException("give each part its -n, including the one before the first ':'");
        }
        List<String> rest = words;
        while (end >= 0) {
            rest = rest.subList(end + 1, rest.size());
            parts.add(PartOptions.read(rest, first, System.getenv()));
            end = rest.indexOf(ProgramWords.SEPARATOR);
        }
        return parts;
    }
}
