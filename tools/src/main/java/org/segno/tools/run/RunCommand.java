package org.segno.tools.run;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.segno.tools.DurationConverter;
import org.segno.tools.ExitCode;
import org.segno.tools.Segno;
import picocli.CommandLine;
import picocli.CommandLine.Command;
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
            "Java programs get the flag that segno needs, and segno at the end of a class",
            "path without it. INT, TERM and HUP send TERM to all ranks, after the grace",
            "KILL; a second Ctrl-C is KILL at once; USR1 asks each for a thread dump.",
            "",
            "Exit code: 0, or the status of the rank that failed first in time; 124 after",
            "--timeout; 126 and 127 when the program cannot be executed or found; 128+n",
            "after signal n."
        })
public final class RunCommand implements Callable<Integer> {
    /** What {@code --output} knows. */
    enum Output {
        TAG
    }

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

    @Option(
            names = "--output",
            paramLabel = "KIND",
            split = ",",
            description = "tag: '[2]<out> ' before each line of rank 2")
    private Set<Output> outputs = Set.of();

    @Option(names = "--tag-output", description = "short for --output tag")
    private boolean tagged;

    @Option(
            names = "--timeout",
            paramLabel = "T",
            converter = DurationConverter.class,
            description = "end the job after this time, with 124; also MPIEXEC_TIMEOUT in seconds")
    private @Nullable Duration timeout;

    @Option(
            names = "--start-timeout",
            paramLabel = "T",
            defaultValue = "30s",
            converter = DurationConverter.class,
            description = "how long ranks wait for each other to join, default ${DEFAULT-VALUE}")
    private Duration startTimeout = LaunchPlan.DEFAULT_START_TIMEOUT;

    @Option(
            names = "--kill-grace",
            paramLabel = "T",
            defaultValue = "5s",
            converter = DurationConverter.class,
            description = "time between TERM and KILL, default ${DEFAULT-VALUE}")
    private Duration killGrace = LaunchPlan.DEFAULT_KILL_GRACE;

    @Option(
            names = "--wdir",
            paramLabel = "D",
            description = "working directory of the ranks, where PROGRAM is looked up too")
    private @Nullable Path directory;

    @Option(names = "--keep", description = "leave the job directory")
    private boolean kept;

    @Option(names = "--dry-run", description = "print the commands and start nothing")
    private boolean dryRun;

    @Parameters(paramLabel = "PROGRAM", hidden = true)
    private List<String> words = List.of();

    private RunCommand() {}

    /** The subcommand, set up so that what follows PROGRAM is the program's own. */
    public static CommandLine commandLine() {
        return new CommandLine(new RunCommand()).setStopAtPositional(true);
    }

    @Override
    public Integer call() throws InterruptedException {
        final LaunchPlan plan = plan();
        if (dryRun) {
            final PrintWriter out = spec.commandLine().getOut();
            Launcher.describe(plan).forEach(out::println);
            out.flush();
            return ExitCode.DONE;
        }
        return Launcher.run(plan, Segno.talk(spec));
    }

    private LaunchPlan plan() {
        final int count = rankCount == null ? Runtime.getRuntime().availableProcessors() : rankCount;
        final Path workingDirectory =
                (directory == null ? Path.of("") : directory).toAbsolutePath().normalize();
        final Program program = program(workingDirectory);
        try {
            return LaunchPlan.of(count, program)
                    .withDirectory(workingDirectory)
                    .withTags(tagged || outputs.contains(Output.TAG))
                    .withKept(kept)
                    .withTimeout(timeout)
                    .withStartTimeout(startTimeout)
                    .withKillGrace(killGrace);
        } catch (final IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
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
