package org.segno.tools.run.job;

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
import org.segno.engine.memory.NodeDimensions;
import org.segno.node.Idling;
import org.segno.node.JobConfig;
import org.segno.node.NodeAccess;
import org.segno.node.NodeConfig;
import org.segno.node.NodeSetting;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.Console;
import org.segno.tools.command.ExitCode;
import org.segno.tools.command.StandardOutput;
import org.segno.tools.output.Quantity;
import org.segno.tools.process.CoreList;
import org.segno.tools.process.ParentDeathSignal;
import org.segno.tools.process.Signals;
import org.segno.tools.program.ClassPath;
import org.segno.tools.program.Program;
import org.segno.tools.program.SourceFile;
import org.segno.tools.run.plan.Executable;
import org.segno.tools.run.plan.JobPart;
import org.segno.tools.run.plan.JobRoom;
import org.segno.tools.run.plan.LaunchPlan;
import org.segno.tools.run.plan.OpenFileRoom;
import org.segno.tools.run.plan.Placement;
import org.segno.tools.run.plan.RankCommands;
import org.segno.tools.run.process.Event;
import org.segno.tools.run.process.RankExit;
import org.segno.tools.run.process.RankOutputs;
import org.segno.tools.run.process.RankProcess;
import org.segno.tools.run.process.RankSocket;

/**
 * The launcher of a job: creates the job's directory, runs its hub, starts the ranks, forwards signals, and returns the
 * job's exit code.
 *
 * <p>The calling thread does all of this. It must live as long as the process, as the main thread does, because the
 * kernel ties the ranks' lives to it. A process launches one job at a time, because signals belong to the process.
 */
public final class Launcher {
    /** The largest number of events of one rank: joined, dead, failed and exited, once each. */
    private static final int EVENTS_PER_RANK = 4;

    /**
     * Room for signals and lost output. Only a flood of them arrives faster than the launcher handles them; events
     * beyond this limit are dropped.
     */
    private static final int EVENTS_OF_JOB = 1 << 16;

    private final LaunchPlan plan;
    private final Placement placement;
    private final Console console;
    private final long startNs = System.nanoTime();
    private final BlockingQueue<Event> events;
    private final List<RankProcess> ranks = new ArrayList<>();
    private final Supervision supervision;

    private Launcher(LaunchPlan plan, Placement placement, Console console) {
        this.plan = plan;
        this.placement = placement;
        this.console = console;
        this.events = new LinkedBlockingQueue<>(EVENTS_OF_JOB + EVENTS_PER_RANK * plan.rankCount());
        this.supervision = new Supervision(plan, ranks, events, console, startNs);
    }

    /**
     * Runs {@code plan} to its end and returns the exit code of the contract: 0, the status of the rank that failed
     * first, 124 for the timeout, 128+n for a signal. The job leaves nothing behind: no process, and no directory
     * unless the plan keeps it.
     *
     * @throws CommandException if the job cannot start: program not found (127), program not executable (126),
     *     directory not fit, no room, limit of open files too low, or source that does not compile (3).
     * @throws org.segno.status.SegnoException if the job's directory cannot be created.
     * @throws InterruptedException if the calling thread is interrupted; the ranks are killed.
     */
    public static int run(LaunchPlan plan, Console console) throws InterruptedException {
        final Placement placement = placement(plan);
        Executable.check(plan, searchPath());
        OpenFileRoom.of(plan).check();
        checkRoom(plan);
        makeRecordingDirectory(plan);
        return new Launcher(plan, placement, console).run();
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
                            + " needs the program taskset: install util-linux, or use --bind-to none",
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
                        ExitCode.NOT_FIT, "--jfr cannot create the directory " + recordings + ": " + e);
            }
        }
    }

    private static void checkRoom(LaunchPlan plan) {
        final File parent = plan.jobParent().toFile();
        // If the parent itself is at fault, the creation of the job's directory reports it.
        if (plan.joining() && parent.isDirectory()) {
            JobRoom.of(parent, plan.rankCount(), nodeBytes(plan.rankCount())).check();
        }
    }

    /**
     * Returns the commands that {@link #run} would start, one line per process, in shell syntax: directory, variables,
     * words. Ranks that are started by hand have no launcher, and rank 0 runs the hub.
     */
    public static List<String> describe(LaunchPlan plan) {
        final JobConfig job = config(plan, JobConfig.uniqueName(plan.jobName()));
        final List<Program> programs = plan.parts().stream()
                .map(part -> plan.threaded() ? part.program().threaded(part.directory()) : part.program())
                .toList();
        final RankCommands commands = new RankCommands(plan, programs, placement(plan), job, List.of());
        return IntStream.range(0, plan.processCount())
                .mapToObj(commands::describe)
                .toList();
    }

    /**
     * Returns the binding of each rank, one line per rank.
     *
     * @param places true to include each rank's host, slot and program
     */
    public static List<String> map(LaunchPlan plan, boolean places) {
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
        // Signals first: one that arrives during compilation or the creation of the job ends the job in order.
        final Signals signals = Signals.install(
                number -> offer(Event.of(Event.Kind.END, number)), () -> offer(Event.of(Event.Kind.DUMP, 0)), console);
        final List<SourceFile> sources = new ArrayList<>();
        try (signals) {
            return run(compiled(sources));
        } finally {
            sources.forEach(SourceFile::close);
        }
    }

    private List<Program> compiled(List<SourceFile> sources) {
        final List<Program> programs = new ArrayList<>();
        for (final JobPart part : plan.parts()) {
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
                console.message("ended by " + RankExit.signal(event.subject()) + " before any rank was started");
                return ExitCode.SIGNALLED + event.subject();
            }
        }
        final JobConfig config =
                config(plan, JobConfig.uniqueName(plan.jobName())).withLaunched(true);
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
        console.message(plain ? supervision.summary() : supervision.summary() + " · " + left);
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

    /**
     * Adds an event that comes neither from the hub nor from the exit of a process. A full queue means a flood of such
     * events, of which it already holds more than the launcher needs.
     */
    private void offer(Event event) {
        final boolean taken = events.offer(event);
        assert taken || !events.isEmpty();
    }

    private void sayStart(JobConfig config) {
        final int cores = Runtime.getRuntime().availableProcessors();
        final int count = plan.rankCount();
        final File parent = plan.jobParent().toFile();
        final JobRoom room = JobRoom.of(parent, count, nodeBytes(count));
        final String transport = plan.nodeSetting(NodeSetting.TRANSPORT);
        console.message(String.format(
                Locale.ROOT,
                "job %s · %s on %s%s · %s · %s and windows, of %s in %s%s",
                shortName(config.jobName()),
                Quantity.of(count, "rank"),
                Quantity.of(cores, "core"),
                count > cores ? oversubscribed() : "",
                transport == null ? NodeSetting.TRANSPORT.defaultText() : transport,
                Quantity.ofBytes(count * nodeBytes(count)),
                Quantity.ofBytes(room.leftBytes()),
                parent,
                room.isTooSmall() ? " (too little for ranks that join: set SEGNO_DIR to a larger directory)" : ""));
    }

    private String oversubscribed() {
        final String idle = plan.nodeSetting(NodeSetting.IDLE);
        return idle == null || idle.equals(Idling.DEFAULT.toString())
                ? " (oversubscribed: waiting ranks yield)"
                : " (oversubscribed: idle=" + idle + ")";
    }

    /** Returns the bytes of a node file with default settings, without windows, which only the program determines. */
    private static long nodeBytes(int rankCount) {
        final long smallestLanes = (long) rankCount * NodeDimensions.MIN_LANE_BYTES;
        return NodeAccess.builtInConfig()
                .withLaneBudgetBytes(Math.max(NodeConfig.DEFAULT_LANE_BUDGET_BYTES, smallestLanes))
                .fileBytes(rankCount);
    }

    /** Returns the job name with 4 of its 16 digits, as in {@code halo-7f3a}, which are enough for a reader. */
    private static String shortName(String jobName) {
        return jobName.substring(0, jobName.length() - 12);
    }

    private void startRanks(RankCommands commands, RankOutputs outputs) throws InterruptedException {
        final List<String> prefix = ParentDeathSignal.prefix();
        for (int rank = 0; rank < plan.processCount(); rank++) {
            final RankProcess started = RankProcess.start(rank, plan, prefix, commands, events);
            ranks.add(started);
            console.detail(started.name()
                    + (plan.threaded() ? " in pid " : " is pid ")
                    + started.process().pid());
            if (plan.captured() && !plan.threaded()) {
                outputs.start(rank, false, started.process().getInputStream());
                if (!plan.output().merge()) {
                    outputs.start(rank, true, started.process().getErrorStream());
                }
            }
        }
    }
}
