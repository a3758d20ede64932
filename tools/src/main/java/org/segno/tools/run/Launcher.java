package org.segno.tools.run;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.segno.job.JobConfig;
import org.segno.job.JobId;
import org.segno.memory.NodeDimensions;
import org.segno.node.NodeConfig;
import org.segno.tools.CommandException;
import org.segno.tools.ExitCode;
import org.segno.tools.StandardOutput;
import org.segno.tools.Talk;
import org.segno.tools.output.Quantity;
import org.segno.tools.process.Lifeline;
import org.segno.tools.process.ShellWords;
import org.segno.tools.process.Signals;
import org.segno.tools.process.TaggedOutput;

/**
 * Runs a plan: makes the job's directory, is its hub, starts the ranks, hands signals on, and answers with the job's
 * exit code.
 *
 * <p>The calling thread does it all and must be one that lives as long as the process, as the main thread does: the
 * kernel ties the ranks' lives to it. One job at a time per process, because signals are the process's.
 */
public final class Launcher {
    /** Joined, dead and exited, once each. */
    private static final int EVENTS_PER_RANK = 3;

    /**
     * Signals and lost output, which come faster than they are handled only in a flood; a signal beyond this is
     * dropped.
     */
    private static final int EVENTS_OF_JOB = 1 << 16;

    private static final long OUTPUT_LIMIT_MS = 2_000;

    private final LaunchPlan plan;
    private final Talk talk;
    private final long startNs = System.nanoTime();
    private final BlockingQueue<Event> events;
    private final List<RankProcess> ranks = new ArrayList<>();
    private final List<Thread> outputs = new ArrayList<>();

    private Launcher(LaunchPlan plan, Talk talk) {
        this.plan = plan;
        this.talk = talk;
        this.events = new LinkedBlockingQueue<>(EVENTS_OF_JOB + EVENTS_PER_RANK * plan.rankCount());
    }

    /**
     * Runs {@code plan} to its end and returns the exit code of the contract: 0, the status of the rank that failed
     * first, 124 for the timeout, 128+n for a signal. Nothing of the job is left behind: no process, no directory
     * unless the plan keeps it.
     *
     * @throws CommandException when it cannot start: program not found (127), not executable (126), directory not fit,
     *     no room, or source that does not compile (3).
     * @throws org.segno.status.SegnoException when the job's directory cannot be made.
     * @throws InterruptedException when the calling thread is interrupted; the ranks are killed.
     */
    public static int run(LaunchPlan plan, Talk talk) throws InterruptedException {
        Executable.check(plan, System.getenv().getOrDefault("PATH", ""));
        checkRoom(plan);
        return new Launcher(plan, talk).run();
    }

    private static void checkRoom(LaunchPlan plan) {
        final File parent = plan.jobParent().toFile();
        // Where the directory itself is at fault, whoever makes the job's says so.
        if (plan.joining() && parent.isDirectory()) {
            JobRoom.of(parent, plan.rankCount(), nodeBytes(plan.rankCount())).check();
        }
    }

    /**
     * The commands that {@link #run} would start, one line per rank, as a shell reads them: directory, variables,
     * words. Started by hand they have no launcher, and rank 0 is the hub.
     */
    public static List<String> describe(LaunchPlan plan) {
        final JobConfig job = config(plan, JobId.uniqueName(plan.program().jobName()));
        final List<String> lines = new ArrayList<>();
        for (int rank = 0; rank < plan.rankCount(); rank++) {
            lines.add(describe(plan, job.withRank(rank)));
        }
        return lines;
    }

    private static String describe(LaunchPlan plan, JobConfig job) {
        final StringBuilder line = new StringBuilder("cd ")
                .append(ShellWords.quote(plan.directory().toString()));
        line.append(" &&");
        job.toEnvironment()
                .forEach((name, value) ->
                        line.append(' ').append(name).append('=').append(ShellWords.quote(value)));
        return line.append(' ')
                .append(ShellWords.join(plan.program().command()))
                .toString();
    }

    private static JobConfig config(LaunchPlan plan, String jobName) {
        return JobConfig.of(jobName, 0, plan.rankCount())
                .withDirectory(plan.jobParent())
                .withJoinTimeout(plan.startTimeout())
                .withKeep(plan.kept());
    }

    private int run() throws InterruptedException {
        // Signals first: one that comes while a source is compiled or the job is made ends it in order.
        final Signals signals = Signals.install(
                number -> offer(Event.of(Event.Kind.END, number)), () -> offer(Event.of(Event.Kind.DUMP, 0)), talk);
        try (signals) {
            final Program program = plan.program();
            if (!program.isSource()) {
                return run(program);
            }
            final Path file = plan.directory().resolve(program.fileName());
            try (SourceFile source = SourceFile.compile(file, ClassPath.ofSegno())) {
                return run(program.compiled(source));
            }
        }
    }

    private int run(Program program) throws InterruptedException {
        for (final Event event : events) {
            if (event.kind() == Event.Kind.END) {
                talk.say("ended by " + Fate.signal(event.subject()) + " before any rank was started");
                return ExitCode.SIGNALLED + event.subject();
            }
        }
        final JobConfig config =
                config(plan, JobId.uniqueName(program.jobName())).withLaunched(true);
        final Supervision supervision = new Supervision(plan, ranks, events, talk, startNs);
        final String directory;
        final int exitCode;
        try (Job job = Job.open(config, events)) {
            directory = job.directory().toString();
            sayStart(config);
            try {
                startRanks(program, config);
                supervision.watch();
                finishOutputs();
                exitCode = supervision.finish();
            } finally {
                ranks.forEach(RankProcess::killIfAlive);
            }
        }
        final String left =
                plan.kept() ? "job directory kept: " + directory : "job directory removed (--keep to inspect)";
        final boolean plain = exitCode == 0 && !plan.kept();
        talk.say(plain ? supervision.summary() : supervision.summary() + " · " + left);
        return exitCode;
    }

    /** What no rank has sent. A full queue means a flood of it, of which the launcher has more than it needs. */
    private void offer(Event event) {
        final boolean taken = events.offer(event);
        assert taken || !events.isEmpty();
    }

    private void sayStart(JobConfig config) {
        final int cores = Runtime.getRuntime().availableProcessors();
        final int count = plan.rankCount();
        final File parent = plan.jobParent().toFile();
        talk.say(String.format(
                Locale.ROOT,
                "job %s · %s on %s%s · shm · %s and windows, of %s in %s",
                shortName(config.jobName()),
                Quantity.of(count, "rank"),
                Quantity.of(cores, "core"),
                count > cores ? " (oversubscribed: ranks that wait give way)" : "",
                Quantity.ofBytes(count * nodeBytes(count)),
                Quantity.ofBytes(parent.getUsableSpace()),
                parent));
    }

    /** What a node takes that is as it comes; what windows it has, its program alone knows. */
    private static long nodeBytes(int rankCount) {
        final long smallestLanes = (long) rankCount * NodeDimensions.MIN_LANE_BYTES;
        return NodeConfig.defaults()
                .withLaneBudgetBytes(Math.max(NodeConfig.DEFAULT_LANE_BUDGET_BYTES, smallestLanes))
                .fileBytes(rankCount);
    }

    /** {@code halo-7f3a}: enough of the 16 digits for a reader. */
    private static String shortName(String jobName) {
        return jobName.substring(0, jobName.length() - 12);
    }

    private void startRanks(Program program, JobConfig config) throws InterruptedException {
        final List<String> command = new ArrayList<>(Lifeline.prefix());
        command.addAll(program.command());
        final Consumer<IOException> lost = reason -> offer(Event.outputLost(StandardOutput.lost(reason)));
        final TaggedOutput output = new TaggedOutput(new FileOutputStream(FileDescriptor.out), lost);
        final TaggedOutput error = new TaggedOutput(new FileOutputStream(FileDescriptor.err), lost);
        for (int rank = 0; rank < plan.rankCount(); rank++) {
            final Map<String, String> environment = config.withRank(rank).toEnvironment();
            final RankProcess started = RankProcess.start(rank, plan, command, environment, events);
            ranks.add(started);
            talk.detail("rank " + rank + " is pid " + started.process().pid());
            if (plan.tagged()) {
                outputs.add(output.start(started.process().getInputStream(), "[" + rank + "]<out>"));
                outputs.add(error.start(started.process().getErrorStream(), "[" + rank + "]<err>"));
            }
        }
    }

    /** Waits for the last lines, though not for long: a daemon that a rank has left behind may hold its pipe open. */
    private void finishOutputs() throws InterruptedException {
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(OUTPUT_LIMIT_MS);
        for (final Thread output : outputs) {
            output.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime())));
        }
    }
}
