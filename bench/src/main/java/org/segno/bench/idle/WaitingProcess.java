package org.segno.bench.idle;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.segno.node.NodeConfig.Threading;

/** Handle of a {@link WaitingRank} process. */
final class WaitingProcess implements AutoCloseable {
    /** Options of the JVM of a rank. */
    static final List<String> JVM_OPTIONS =
            List.of("-XX:+UseSerialGC", "-Xmx64m", "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED");

    /** The kernel's unit of processor time in {@code /proc}, the same on every Linux that a JVM runs on. */
    private static final double TICK_S = 0.01;
    /** Indices of user and system time among the fields of {@code stat} that follow the name in parentheses. */
    private static final int USER_FIELD = 11;

    private static final int SYSTEM_FIELD = 12;
    private static final long END_LIMIT_S = 10;

    private final Process process;
    private final BufferedReader lines;

    private WaitingProcess(Process process) {
        this.process = process;
        this.lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Starts one rank on the given cores, without waiting for it.
     *
     * @param settings variables of its node
     * @param job name, rank, size and parent of the directory, as {@link WaitingRank} takes them
     */
    static WaitingProcess start(String cores, Map<String, String> settings, List<String> job) throws IOException {
        final String java =
                Path.of(System.getProperty("java.home"), "bin", "java").toString();
        final List<String> command = new ArrayList<>(List.of("taskset", "-c", cores, java));
        command.addAll(JVM_OPTIONS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), WaitingRank.class.getName()));
        command.addAll(job);
        final ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(settings);
        return new WaitingProcess(builder.start());
    }

    /** Waits until the rank begins to wait, and returns the threading of its node. */
    Threading awaitWaiting() throws IOException {
        final String line = lines.readLine();
        if (line == null || !line.startsWith(WaitingRank.WAITING)) {
            throw new IOException("process " + process.pid() + " does not wait; it printed: " + line);
        }
        return Threading.valueOf(line.substring(WaitingRank.WAITING.length()));
    }

    /** Waits {@code seconds} and checks that the process is still alive. */
    void watch(long seconds) throws IOException, InterruptedException {
        if (process.waitFor(seconds, TimeUnit.SECONDS)) {
            throw new IOException("process " + process.pid() + " has ended with " + process.exitValue());
        }
    }

    /** Returns the processor time of all threads of the process since it was started, in seconds. */
    double processorSeconds() throws IOException {
        final String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
        final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[USER_FIELD]) + Long.parseLong(fields[SYSTEM_FIELD])) * TICK_S;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(END_LIMIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
