package org.segno.tools.run.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.segno.status.OpenFiles;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;
import org.segno.tools.run.plan.RankCommands;

/** The process of one rank on this host, with the processes that it has started. */
public final class RankProcess implements Rank {
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
     * @param name the name for messages
     * @param prefix the words in front of the rank's own
     * @param events receives the event on a thread of the JVM
     */
    public static RankProcess start(
            int rank,
            String name,
            ProcessStreams streams,
            List<String> prefix,
            RankCommands commands,
            Consumer<Event> events) {
        final List<String> words = new ArrayList<>(prefix);
        words.addAll(commands.words(rank));
        final ProcessBuilder builder =
                new ProcessBuilder(words).directory(commands.directory(rank).toFile());
        streams.apply(builder);
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
    private static void reportExit(Process process, int rank, Consumer<Event> events) {
        process.onExit().thenAccept(ended -> events.accept(Event.exited(rank, ended.exitValue())));
    }

    @Override
    public RankExit exit() {
        return exit;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String place() {
        return "pid " + process.pid();
    }

    public Process process() {
        return process;
    }

    @Override
    public void terminate() {
        // Collected before the signal: once the rank is gone, its descendants cannot be distinguished from other
        // processes.
        descendants = descendants();
        signal(false);
    }

    @Override
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

    @Override
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

    @Override
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
