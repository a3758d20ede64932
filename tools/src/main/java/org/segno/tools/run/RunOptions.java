package org.segno.tools.run;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.segno.tools.DurationConverter;
import org.segno.tools.ExitCode;
import org.segno.tools.Segno;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How a job is run: the options that {@code segno run} and every demo take. */
public final class RunOptions {
    /** What {@code --output} knows. */
    enum Output {
        TAG
    }

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

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
            description = "end the job after this time, with 124; 0s: never; also MPIEXEC_TIMEOUT in seconds")
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

    @Option(names = "--wdir", paramLabel = "D", description = "working directory of the ranks")
    private @Nullable Path directory;

    @Option(names = "--keep", description = "leave the job directory")
    private boolean kept;

    @Option(names = "--dry-run", description = "print the commands and start nothing")
    private boolean dryRun;

    /** For the command that takes them. */
    public RunOptions() {}

    /** The ranks' working directory, absolute. */
    Path directory() {
        return (directory == null ? Path.of("") : directory).toAbsolutePath().normalize();
    }

    /**
     * Runs a job to its end, or prints what would be started.
     *
     * @return the exit code
     * @throws ParameterException when the plan is not possible; names the option.
     */
    int launch(int rankCount, Program program) throws InterruptedException {
        return launch(plan(rankCount, program));
    }

    /**
     * The same for a program of which every rank joins the job: if there is no room for their nodes, none is started.
     *
     * @return the exit code
     * @throws ParameterException when the plan is not possible; names the option.
     * @throws org.segno.tools.CommandException when there is no room.
     */
    public int launchJoining(int rankCount, Program program) throws InterruptedException {
        return launch(plan(rankCount, program).withJoining(true));
    }

    private int launch(LaunchPlan plan) throws InterruptedException {
        if (!dryRun) {
            return Launcher.run(plan, Segno.talk(spec));
        }
        final PrintWriter out = spec.commandLine().getOut();
        Launcher.describe(plan).forEach(out::println);
        out.flush();
        return ExitCode.DONE;
    }

    private LaunchPlan plan(int rankCount, Program program) {
        try {
            return LaunchPlan.of(rankCount, program)
                    .withDirectory(directory())
                    .withTags(tagged || outputs.contains(Output.TAG))
                    .withKept(kept)
                    .withTimeout(timeout)
                    .withStartTimeout(startTimeout)
                    .withKillGrace(killGrace);
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }
}
