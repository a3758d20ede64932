package org.segno.tools.run.process;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import org.segno.status.OpenFiles;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;
import org.segno.tools.run.plan.LaunchPlan;
import org.segno.tools.run.plan.RankCommands;

/** The process of one rank, with the processes that it has started. Only the supervising thread uses it. */
public final class RankProcess {
    private static final File NOTHING = new File("/dev/null");

    private final Process process;
    private final RankExit exit;
    private final String name;
    private List<ProcessHandle> descendants = List.of();

    private RankProcess(Process process, RankExit exit, String name) {
        this.process = process;
        this.exit = exit;
        this.name = name;
    }

    /**
     * Starts a rank, or the process of all ranks if they are threads. The end of the process becomes an event.
     *
     * @param prefix the words in front of the rank's own
     */
    public static RankProcess start(
            int rank, LaunchPlan plan, List<String> prefix, RankCommands commands, BlockingQueue<Event> events) {
        final String name =
                plan.threaded() && plan.rankCount() > 1 ? "ranks 0 to " + (plan.rankCount() - 1) : "rank " + rank;
        final List<String> words = new ArrayList<>(prefix);
        words.addAll(commands.words(rank));
        final boolean reads = plan.inputRank() == rank || (plan.threaded() && plan.inputRank() >= 0);
        final ProcessBuilder builder = new ProcessBuilder(words)
                .directory(commands.directory(rank).toFile())
                .redirectInput(reads ? Redirect.INHERIT : Redirect.from(NOTHING))
                .redirectErrorStream(plan.output().merge());
        // Ranks that are threads send their output, separated by rank, over a socket.
        if (!plan.captured() || plan.threaded()) {
            builder.redirectOutput(Redirect.INHERIT).redirectError(Redirect.INHERIT);
        }
        builder.environment().putAll(commands.variables(rank));
        try {
            final Process process = builder.start();
            reportExit(process, rank, events);
            return new RankProcess(process, new RankExit(rank), name);
        } catch (final IOException e) {
            final String remedy = OpenFiles.isExhaustedBy(e) ? "; " + OpenFiles.remedy() : "";
            throw new CommandException(exitCode(e), name + " cannot be started: " + e.getMessage() + remedy);
        }
    }

    /** Returns the exit code for the operating system's error number, which Java reports only in the message. */
    private static int exitCode(IOException failure) {
        final String reason = String.valueOf(failure.getMessage());
        if (reason.contains("error=2,")) {
            return ExitCode.NOT_FOUND;
        }
        final boolean outOfProcesses = reason.contains("error=11,") || reason.contains("error=12,");
        return outOfProcesses || OpenFiles.isExhaustedBy(failure) ? ExitCode.NOT_FIT : ExitCode.NOT_EXECUTABLE;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the launcher waits for the event instead
    private static void reportExit(Process process, int rank, BlockingQueue<Event> events) {
        process.onExit().thenAccept(ended -> {
            // The queue has room for one exit of every rank.
            final boolean taken = events.offer(Event.exited(rank, ended.exitValue()));
            assert taken : events;
        });
    }

    public RankExit exit() {
        return exit;
    }

    /** Returns the name for messages: {@code rank 2}, or the range of the ranks that are threads of this process. */
    public String name() {
        return name;
    }

    public Process process() {
        return process;
    }

    /** Sends TERM to the rank and to the processes that it has started, so that a shell script's program ends too. */
    public void terminate() {
        // Collected before the signal: once the rank is gone, its descendants cannot be distinguished from other
        // processes.
        descendants = descendants();
        signal(false);
    }

    /** Returns whether a process still runs that the rank had started by the time it was signalled. */
    public boolean hasStragglers() {
        return descendants.stream().anyMatch(descendant -> descendant.isAlive() && !isZombie(descendant));
    }

    /**
     * Returns whether a process is dead but not reaped. In a container without an init, its new parent may never reap
     * it.
     */
    private static boolean isZombie(ProcessHandle handle) {
        try {
            final String stat = Files.readString(Path.of("/proc", String.valueOf(handle.pid()), "stat"));
            return stat.startsWith(") Z", stat.lastIndexOf(')'));
        } catch (final IOException ignored) {
            // Not Linux, or the process has just gone, which the next check of the handle detects.
            return false;
        }
    }

    /** Sends KILL to the rank and to all processes that it has started. */
    public void kill() {
        final List<ProcessHandle> all = new ArrayList<>(descendants);
        all.addAll(descendants());
        descendants = all;
        signal(true);
    }

    /**
     * Returns the processes that the rank has started. Returns none if this process cannot open a file, which the
     * search requires; then only the rank itself is signalled.
     */
    private List<ProcessHandle> descendants() {
        try {
            return process.descendants().toList();
        } catch (final RuntimeException e) {
            if (OpenFiles.isExhaustedBy(e)) {
                return List.of();
            }
            throw e;
        }
    }

    /** Kills the rank and its descendants if it still runs. The last resort after a failure of the launcher itself. */
    public void killIfAlive() {
        if (process.isAlive()) {
            kill();
        }
    }

    private void signal(boolean kill) {
        // Through the handle: Process.destroy would also close the pipes and lose the rank's last output.
        signal(process.toHandle(), kill);
        descendants.forEach(descendant -> signal(descendant, kill));
    }

    private static void signal(ProcessHandle handle, boolean kill) {
        // False means that the process has already ended, which is the goal.
        final boolean requested = kill ? handle.destroyForcibly() : handle.destroy();
        assert requested || !handle.isAlive() : handle;
    }

    /** Returns the process ids of the rank's JVMs. QUIT makes a JVM print a thread dump, but ends other programs. */
    public List<String> virtualMachines() {
        final List<String> found = new ArrayList<>();
        addVirtualMachine(process.toHandle(), found);
        descendants().forEach(descendant -> addVirtualMachine(descendant, found));
        return found;
    }

    private static void addVirtualMachine(ProcessHandle handle, List<String> found) {
        if (handle.info().command().filter(path -> path.endsWith("/java")).isPresent()) {
            found.add(String.valueOf(handle.pid()));
        }
    }
}
