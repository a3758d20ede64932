package org.segno.tools.run;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import org.segno.status.OpenFiles;
import org.segno.tools.CommandException;
import org.segno.tools.ExitCode;

/** One rank's process and what it has started in turn. Used by the supervising thread alone. */
final class RankProcess {
    private static final File NOTHING = new File("/dev/null");

    private final Process process;
    private final Fate fate;
    private final String name;
    private List<ProcessHandle> descendants = List.of();

    private RankProcess(Process process, Fate fate, String name) {
        this.process = process;
        this.fate = fate;
        this.name = name;
    }

    /**
     * Starts a rank, or with threads the process of all; its end becomes an event.
     *
     * @param prefix words in front of the rank's own
     */
    static RankProcess start(
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
        // What threads write comes apart another way.
        if (!plan.output().captured() || plan.threaded()) {
            builder.redirectOutput(Redirect.INHERIT).redirectError(Redirect.INHERIT);
        }
        builder.environment().putAll(commands.variables(rank));
        try {
            final Process process = builder.start();
            reportExit(process, rank, events);
            return new RankProcess(process, new Fate(rank), name);
        } catch (final IOException e) {
            final String remedy = OpenFiles.isExhaustedBy(e) ? "; " + OpenFiles.remedy() : "";
            throw new CommandException(exitCode(e), name + " cannot be started: " + e.getMessage() + remedy);
        }
    }

    /** The operating system's reason, which Java passes on as text alone. */
    private static int exitCode(IOException failure) {
        final String reason = String.valueOf(failure.getMessage());
        if (reason.contains("error=2,")) {
            return ExitCode.NOT_FOUND;
        }
        final boolean outOfProcesses = reason.contains("error=11,") || reason.contains("error=12,");
        return outOfProcesses || OpenFiles.isExhaustedBy(failure) ? ExitCode.NOT_FIT : ExitCode.NOT_EXECUTABLE;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the event is what is waited for
    private static void reportExit(Process process, int rank, BlockingQueue<Event> events) {
        process.onExit().thenAccept(ended -> {
            // Room is kept for one exit of every rank.
            final boolean taken = events.offer(Event.exited(rank, ended.exitValue()));
            assert taken : events;
        });
    }

    Fate fate() {
        return fate;
    }

    /** {@code rank 2}, or those that are threads of this process. */
    String name() {
        return name;
    }

    Process process() {
        return process;
    }

    /** Sends TERM to the rank and to what it has started, so that a shell script's program ends with it. */
    void terminate() {
        // Looked up before the signal: what a rank has started cannot be told from other processes once the rank is
        // gone.
        descendants = descendants();
        signal(false);
    }

    /** True while something is there that the rank had started when it was told to end. */
    boolean hasStragglers() {
        return descendants.stream().anyMatch(descendant -> descendant.isAlive() && !isZombie(descendant));
    }

    /**
     * A dead process whose new parent has not asked for its status, which in a container without an init may be never.
     */
    private static boolean isZombie(ProcessHandle handle) {
        try {
            final String stat = Files.readString(Path.of("/proc", String.valueOf(handle.pid()), "stat"));
            return stat.startsWith(") Z", stat.lastIndexOf(')'));
        } catch (final IOException ignored) {
            // Not Linux, or gone in this moment, which the next look at the handle will tell.
            return false;
        }
    }

    /** Sends KILL to the rank and to what it has started. */
    void kill() {
        final List<ProcessHandle> all = new ArrayList<>(descendants);
        all.addAll(descendants());
        descendants = all;
        signal(true);
    }

    /** What the rank has started; none where this process can open no file, as it must to look: the rank itself is ended then. */
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

    /** The last resort, when the launcher itself has failed: nothing of the rank stays. */
    void killIfAlive() {
        if (process.isAlive()) {
            kill();
        }
    }

    private void signal(boolean kill) {
        // Through the handle: Process.destroy would close the pipes as well, and lose the rank's last words.
        signal(process.toHandle(), kill);
        descendants.forEach(descendant -> signal(descendant, kill));
    }

    private static void signal(ProcessHandle handle, boolean kill) {
        // False means that the process is gone already, which is what was wanted.
        final boolean requested = kill ? handle.destroyForcibly() : handle.destroy();
        assert requested || !handle.isAlive() : handle;
    }

    /** The process ids of the JVMs in this rank: only they answer QUIT with a thread dump, others would die of it. */
    List<String> virtualMachines() {
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
