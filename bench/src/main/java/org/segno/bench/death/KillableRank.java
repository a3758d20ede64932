package org.segno.bench.death;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.segno.node.NodeConfig.Threading;

/** Handle of a {@link KillableRankMain} process. */
final class KillableRank implements AutoCloseable {
    /** Options of the JVM of a rank. */
    static final List<String> JVM_OPTIONS = List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xshare:auto",
            "-Xmx64m",
            "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED");

    private final Process process;
    private final BufferedReader lines;

    private KillableRank(Process process) {
        this.process = process;
        this.lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts a process and waits until it accepts orders. */
    static KillableRank start(Threading threading) throws IOException {
        final List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(JVM_OPTIONS);
        command.addAll(List.of(
                "-cp", System.getProperty("java.class.path"), KillableRankMain.class.getName(), threading.name()));
        final KillableRank rank = new KillableRank(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start());
        rank.expect(KillableRankMain.READY);
        return rank;
    }

    /**
     * Orders the process to join a job and to wait for the rank that will be killed.
     *
     * @param job words of {@link JobLayout#orders}
     */
    void join(String job, int victim) throws IOException {
        final String order = job + ' ' + victim + '\n';
        process.getOutputStream().write(order.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** Waits for a line that begins with {@code start}, and returns the rest of it. */
    String expect(String start) throws IOException {
        final String line = lines.readLine();
        if (line == null || !line.startsWith(start)) {
            throw new WrongEndException("process " + process.pid() + " did not print '" + start + "' but: " + line);
        }
        return line.substring(start.length()).strip();
    }

    /** Kills the process. Returns the time immediately before. */
    long kill() throws InterruptedException {
        final long nowNs = System.nanoTime();
        process.destroyForcibly();
        process.waitFor();
        return nowNs;
    }

    /** Stops processes, which remain and do nothing. Returns the time immediately before. */
    static long stop(Collection<KillableRank> ranks) throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(List.of("kill", "-STOP"));
        ranks.forEach(rank -> command.add(Long.toString(rank.process.pid())));
        final long nowNs = System.nanoTime();
        final int exitCode = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (exitCode != 0) {
            throw new IOException(String.join(" ", command) + " ended with " + exitCode);
        }
        return nowNs;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
