package org.segno.tools.run.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.segno.engine.memory.NodeDimensions;
import org.segno.node.JobConfig;
import org.segno.node.NodeAccess;
import org.segno.node.NodeConfig;
import org.segno.node.NodeSetting;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;
import org.segno.tools.output.Quantity;
import org.segno.tools.process.CoreList;
import org.segno.tools.program.ClassPath;
import org.segno.tools.program.Program;
import org.segno.tools.program.SourceFile;
import org.segno.tools.run.plan.Executable;
import org.segno.tools.run.plan.HostRanks;
import org.segno.tools.run.plan.JobPart;
import org.segno.tools.run.plan.JobRoom;
import org.segno.tools.run.plan.LaunchPlan;
import org.segno.tools.run.plan.OpenFileRoom;
import org.segno.tools.run.plan.Placement;
import org.segno.tools.run.plan.RankCommands;
import org.segno.transport.aeron.LinkSpace;

/** The ranks of a job that start on this host, by the launcher or by the agent of the launcher on this host. */
public final class LocalRanks {
    private final LaunchPlan plan;
    private final HostRanks ranks;
    private final Placement placement;

    private LocalRanks(LaunchPlan plan, HostRanks ranks, Placement placement) {
        this.plan = plan;
        this.ranks = ranks;
        this.placement = placement;
    }

    /**
     * Assigns the ranks their cores.
     *
     * @throws CommandException if there are too few cores for the plan, or there is no program that binds (3).
     */
    public static LocalRanks of(LaunchPlan plan, HostRanks ranks) {
        final int count = ranks.size();
        checkCores(plan, count);
        final Placement placement = Placement.of(plan.binding(), count, CoreList.ofThisProcess());
        if (placement.needsTaskset() && count > 0) {
            Executable.require(
                    "taskset",
                    "--bind-to " + Placement.name(plan.binding())
                            + " needs the program taskset: install util-linux, or use --bind-to none",
                    searchPath());
        }
        return new LocalRanks(plan, ranks, placement);
    }

    /**
     * Checks that this host can run the ranks, and creates the directory for flight recordings.
     *
     * @param hosts the number of other hosts that this process connects to
     * @throws CommandException if it cannot: program not found (127), program not executable (126), directory not fit,
     *     no room, or limit of open files too low (3).
     */
    public void check(int hosts) {
        if (ranks.size() > 0) {
            Executable.check(plan, searchPath());
        }
        OpenFileRoom.of(plan, processCount(), hosts).check();
        if (ranks.size() > 0) {
            checkRoom();
            makeRecordingDirectory();
        }
    }

    private static String searchPath() {
        return System.getenv().getOrDefault("PATH", "");
    }

    private static void checkCores(LaunchPlan plan, int count) {
        final int cores = Runtime.getRuntime().availableProcessors();
        if (plan.oversubscriptionRefused() && count > cores) {
            throw new CommandException(
                    ExitCode.NOT_FIT,
                    "--no-oversubscribe: " + Quantity.of(count, "rank") + " on " + Quantity.of(cores, "core")
                            + "; use -n " + cores + " or omit --no-oversubscribe");
        }
    }

    private void checkRoom() {
        final File parent = plan.jobParent().toFile();
        // If the parent itself is at fault, the creation of the job's directory reports it.
        if (plan.joining() && parent.isDirectory()) {
            room().check();
        }
    }

    private void makeRecordingDirectory() {
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

    /** Returns the room that the nodes of these ranks need, and the room that is available. */
    public JobRoom room() {
        return JobRoom.of(plan.jobParent().toFile(), ranks.size(), nodeBytes(plan.rankCount()) + driverBytes());
    }

    /** Returns the bytes of the files of Aeron's driver in each process, without those of links. */
    private long driverBytes() {
        final boolean linked = ranks.size() < plan.rankCount()
                || (ranks.size() > 1 && "aeron".equals(plan.nodeSetting(NodeSetting.TRANSPORT)));
        return linked && !plan.threaded() ? LinkSpace.ofProcess(plan.rankCount()) : 0;
    }

    /** Returns the bytes of a node file with default settings, without windows, which only the program determines. */
    private static long nodeBytes(int rankCount) {
        final long smallestLanes = (long) rankCount * NodeDimensions.MIN_LANE_BYTES;
        return NodeAccess.builtInConfig()
                .withLaneBudgetBytes(Math.max(NodeConfig.DEFAULT_LANE_BUDGET_BYTES, smallestLanes))
                .fileBytes(rankCount);
    }

    /** Returns true if the job's directory on this host is kept: without a rank here it holds nothing. */
    public boolean isDirectoryKept() {
        return plan.kept() && ranks.size() > 0;
    }

    /** Returns the configuration of the job for these ranks. */
    public JobConfig config(String jobName) {
        return JobConfig.of(jobName, 0, plan.rankCount())
                .withDirectory(plan.jobParent())
                .withJoinTimeout(plan.startTimeout())
                .withKeep(isDirectoryKept());
    }

    /**
     * Compiles the source files among the programs, and returns one program per part of the plan.
     *
     * @param sources receives the compiled files, which the caller closes
     * @throws CommandException if a source file does not compile (3).
     */
    public List<Program> compiled(List<SourceFile> sources) {
        final List<Program> programs = new ArrayList<>();
        for (final JobPart part : plan.parts()) {
            Program program = part.program();
            if (program.isSource() && ranks.size() > 0) {
                final Path file = part.directory().resolve(program.fileName());
                final SourceFile source = SourceFile.compile(file, ClassPath.ofSegno(), plan.java());
                sources.add(source);
                program = program.compiled(source);
            }
            programs.add(plan.threaded() ? program.threaded(part.directory()) : program);
        }
        return programs;
    }

    /**
     * Returns the commands that start the ranks.
     *
     * @param threadOptions the options for the JVM that runs the ranks as threads
     */
    public RankCommands commands(List<Program> programs, JobConfig job, List<String> threadOptions) {
        return new RankCommands(plan, ranks, programs, placement, job, threadOptions);
    }

    /** Returns the numbers of the processes to start: the ranks, or 0 alone if the ranks are threads. */
    public List<Integer> processes() {
        return IntStream.range(0, processCount())
                .mapToObj(index -> ranks.ranks().get(index))
                .toList();
    }

    private int processCount() {
        return plan.threaded() ? Math.min(1, ranks.size()) : ranks.size();
    }

    /** Returns the binding of a rank as text for the user. */
    public String binding(int rank) {
        return placement.describe(ranks.localRank(rank));
    }
}
