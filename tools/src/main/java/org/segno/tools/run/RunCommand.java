package org.segno.tools.run;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code segno run}: starts one process per rank on this host. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        customSynopsis = {
            "segno run [options] app.jar [ARGS]",
            "       segno run [options] -cp CP Main [ARGS]",
            "       segno run [options] Single.java [ARGS]",
            "       segno run [options] -- any-command [ARGS]"
        },
        description = "Start a program as the ranks of a job on this host.",
        footer = {
            "",
            "PROGRAM is looked up in the working directory of the ranks. Java programs get",
            "the flag that segno needs, and segno at the end of a class path without it.",
            "INT, TERM and HUP send TERM to all ranks, after the grace KILL; a second Ctrl-C",
            "is KILL at once; USR1 asks each for a thread dump.",
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
            description = "ranks; default: visible cores")
    private @Nullable Integer rankCount;

    @Option(names = "-cp", paramLabel = "CP", description = "class path of the main class that follows")
    private @Nullable String classPath;

    @Mixin
    private final RunOptions options = new RunOptions();

    @Parameters(paramLabel = "PROGRAM", hidden = true)
    private List<String> words = List.of();

    private RunCommand() {}

    /** The subcommand, set up so that what follows PROGRAM is the program's own. */
    public static CommandLine commandLine() {
        return new CommandLine(new RunCommand()).setStopAtPositional(true);
    }

    @Override
    public Integer call() throws InterruptedException {
        final int count = rankCount == null ? Runtime.getRuntime().availableProcessors() : rankCount;
        return options.launch(count, program(options.directory()));
    }

    private Program program(Path workingDirectory) {
        if (words.isEmpty()) {
            throw wrong("no PROGRAM: app.jar, -cp CP Main, Single.java or -- any-command");
        }
        final String first = words.get(0);
        final List<String> arguments = words.subList(1, words.size());
        if (classPath != null) {
            return Program.main(ClassPath.withSegno(classPath, workingDirectory), first, arguments);
        }
        if (delimited()) {
            return Program.command(words);
        }
        if (first.endsWith(".jar")) {
            return Program.jar(first, arguments);
        }
        if (first.endsWith(".java")) {
            return Program.source(first, arguments);
        }
        throw wrong(
                "'" + first + "' is no .jar and no .java file: put '--' before a command, -cp CP before a main class");
    }

    /** True when the program stands behind {@code --}, which picocli swallows. */
    private boolean delimited() {
        final List<String> all = spec.root().commandLine().getParseResult().expandedArgs();
        final int before = all.size() - words.size() - 1;
        return before >= 0 && all.get(before).equals("--");
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
