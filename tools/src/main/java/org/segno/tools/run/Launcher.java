package org.segno.tools.run;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.segno.job.JobConfig;
import org.segno.job.JobId;
import org.segno.memory.NodeDimensions;
import org.segno.node.NodeConfig;
import org.segno.tools.CommandException;
import org.segno.tools.ExitCode;
import org.segno.tools.StandardOutput;
import org.segno.tools.Talk;
import org.segno.tools.output.Quantity;
import org.segno.tools.process.CoreList;
import org.segno.tools.process.Lifeline;
import org.segno.tools.process.Signals;
import org.segno.tools.program.ClassPath;
import org.segno.tools.program.Program;
import org.segno.tools.program.SourceFile;

/**
 * Runs a plan: makes the job's directory, is its hub, starts the ranks, hands signals on, and answers with the job's
 * exit code.
 *
 * <p>The calling thread does it all and must be one that lives as long as the process, as the main thread does: the
 * kernel ties the ranks' lives to it. One job at a time per process, because signals are the process's.
 */
final class Launcher {
    /** Joined, dead, failed and exited, once each. */
    private static final int EVENTS_PER_RANK = 4;

    /**
     * Signals and lost output, which come faster than they are handled only in a flood; a signal beyond this is
     * dropped.
     */
    private static final int EVENTS_OF_JOB = 1 << 16;

    private final LaunchPlan plan;
    private final Placement placement;
    private final Talk talk;
    private final long startNs = System.nanoTime();
    private final BlockingQueue<Event> events;
    private final List<RankProcess> ranks = new ArrayList<>();
    private final Supervision supervision;

    private Launcher(LaunchPlan plan, Placement placement, Talk talk) {
        this.plan = plan;
        this.placement = placement;
        this.talk = talk;
        this.events = new LinkedBlockingQueue<>(EVENTS_OF_JOB + EVENTS_PER_RANK * plan.rankCount());
        this.supervision = new Supervision(plan, ranks, events, talk, startNs);
    }

    /**
     * Runs {@code plan} to its end and returns the exit code of the contract: 0, the status of the rank that failed
     * first, 124 for the timeout, 128+n for a signal. Nothing of the job is left behind: no process, no directory
     * unless the plan keeps it.
     *
     * @throws CommandException when it cannot start: program not found (127), not executable (126), directory not fit,
     *     no room, too few open files allowed, or source that does not compile (3).
     * @throws org.segno.status.SegnoException when the job's directory cannot be made.
     * @throws InterruptedException when the calling thread is interrupted; the ranks are killed.
     */
    static int run(LaunchPlan plan, Talk talk) throws InterruptedException {
        final Placement placement = placement(plan);
        Executable.check(plan, searchPath());
        OpenFileRoom.of(plan).check();
        checkRoom(plan);
        makeRecordingDirectory(plan);
        return new Launcher(plan, placement, talk).run();
    }

    private static String searchPath() {
        return System.getenv().getOrDefault("PATH", "");
    }

    private static Placement placement(LaunchPlan plan) {
        final Placement placement = Placement.of(plan.binding(), plan.rankCount(), CoreList.ofThisProcess());
        if (placement.needsTaskset()) {
            Executable.require(
                    "taskset",
                    "--bind-to " + Placement.name(plan.binding())
                            + " needs the program taskset: install util-linux, or --bind-to none",
                    searchPath());
        }
        return placement;
    }

    private static void makeRecordingDirectory(LaunchPlan plan) {
        final Path recordings = plan.recordings();
        if (recordings != null) {
            try {
                Files.createDirectories(recordings);
            } catch (final IOException e) {
                throw new CommandException(
                        ExitCode.NOT_FIT, "--jfr cannot make its directory " + recordings + ": " + e);
            }
        }
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
    static List<String> describe(LaunchPlan plan) {
        final JobConfig job = config(plan, JobId.uniqueName(plan.jobName()));
        final List<Program> programs = plan.parts().stream()
                .map(part -> plan.threaded() ? part.program().threaded(part.directory()) : part.program())
                .toList();
        final RankCommands commands = new RankCommands(plan, programs, placement(plan), job, List.of());
        return IntStream.range(0, plan.processCount())
                .mapToObj(commands::describe)
                .toList();
    }

    /** What is bound to what, one line per rank; with places also where each rank runs, and what. */
    static List<String> map(LaunchPlan plan, boolean places) {
        final Placement placement = placement(plan);
        return IntStream.range(0, plan.rankCount())
                .mapToObj(rank -> "rank " + rank
                        + (places ? " · this host, slot " + rank + " · " + programOf(plan, rank) + " · " : " ")
                        + placement.describe(rank))
                .toList();
    }

    private static String programOf(LaunchPlan plan, int rank) {
        return plan.parts().get(plan.partOf(rank)).program().jobName();
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
        final List<SourceFile> sources = new ArrayList<>();
        try (signals) {
            return run(compiled(sources));
        } finally {
            sources.forEach(SourceFile::close);
        }
    }

    private List<Program> compiled(List<SourceFile> sources) {
        final List<Program> programs = new ArrayList<>();
        for (final Part part : plan.parts()) {
            Program program = part.program();
            if (program.isSource()) {
                final Path file = part.directory().resolve(program.fileName());
                final SourceFile source = SourceFile.compile(file, ClassPath.ofSegno(), plan.java());
                sources.add(source);
                program = program.compiled(source);
            }
            programs.add(plan.threaded() ? program.threaded(part.directory()) : program);
        }
        return programs;
    }

    private int run(List<Program> programs) throws InterruptedException {
        for (final Event event : events) {
            if (event.kind() == Event.Kind.END) {
                talk.say("ended by " + Fate.signal(event.subject()) + " before any rank was started");
                return ExitCode.SIGNALLED + event.subject();
            }
        }
        final JobConfig config = config(plan, JobId.uniqueName(plan.jobName())).withLaunched(true);
        final String directory;
        final int exitCode;
        try (RankOutputs outputs = outputs(config.jobName());
                Job job = Job.open(config, events)) {
            directory = job.directory().toString();
            sayStart(config);
            try {
                exitCode = supervise(programs, config, outputs);
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

    private int supervise(List<Program> programs, JobConfig config, RankOutputs outputs) throws InterruptedException {
        if (!plan.threaded()) {
            startRanks(new RankCommands(plan, programs, placement, config, List.of()), outputs);
            supervision.watch();
        } else {
            try (RankSocket socket = RankSocket.open(outputs, this::offer)) {
                final List<String> options = socket.javaOptions(plan);
                startRanks(new RankCommands(plan, programs, placement, config, options), outputs);
                supervision.watch();
                socket.finish();
            }
        }
        outputs.finish();
        return supervision.finish();
    }

    private RankOutputs outputs(String jobName) {
        return new RankOutputs(
                plan.output(),
                plan.rankCount(),
                jobName,
                startNs,
                reason -> offer(Event.outputLost(StandardOutput.lost(reason))));
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
        final JobRoom room = JobRoom.of(parent, count, nodeBytes(count));
        talk.say(String.format(
                Locale.ROOT,
                "job %s · %s on %s%s · shm · %s and windows, of %s in %s%s",
                shortName(config.jobName()),
                Quantity.of(count, "rank"),
                Quantity.of(cores, "core"),
                count > cores ? " (oversubscribed: ranks that wait give way)" : "",
                Quantity.ofBytes(count * nodeBytes(count)),
                Quantity.ofBytes(room.leftBytes()),
                parent,
                room.isTooSmall() ? " (too little for ranks that join: set SEGNO_DIR to a larger one)" : ""));
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

    private void startRanks(RankCommands commands, RankOutputs outputs) throws InterruptedException {
        final List<String> prefix = Lifeline.prefix();
        for (int rank = 0; rank < plan.processCount(); rank++) {
            final RankProcess started = RankProcess.start(rank, plan, prefix, commands, events);
            ranks.add(started);
            talk.detail(started.name()
                    + (plan.threaded() ? " in pid " : " is pid ")
                    + started.process().pid());
            if (plan.output().captured() && !plan.threaded()) {
                outputs.start(rank, false, started.process().getInputStream());
                if (!plan.output().merge()) {
                    outputs.start(rank, true, started.process().getErrorStream());
                }
            }
        }
    }
}
