package org.segno.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.segno.node.JobConfig;
import org.segno.status.Deadline;

/** Control of a {@link TestRankMain} by the test: its printed lines, its standard input and its signals. */
final class TestRankProcess implements AutoCloseable {
    /** Limit for a process that hangs: on a busy machine a JVM may take tens of seconds to start. */
    private static final long PATIENCE_S = 180;

    private final String name;
    private final Process process;
    private final Thread reader = Platform.thread("reader", this::read);
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final Queue<String> seen = new ConcurrentLinkedQueue<>();

    private TestRankProcess(String name, Process process) {
        this.name = name;
        this.process = process;
    }

    static TestRankProcess fork(JobConfig config, String... part) {
        return forkBehind("", System.getProperty("java.class.path"), config, part);
    }

    /**
     * Forks a process as {@link #fork} does, after a shell has run commands such as {@code umask} or {@code ulimit}.
     */
    static TestRankProcess forkBehind(String shellCommands, String classPath, JobConfig config, String... part) {
        final List<String> command = new ArrayList<>();
        if (!shellCommands.isEmpty()) {
            command.addAll(List.of("bash", "-c", shellCommands + "; exec \"$@\"", "bash"));
        }
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx32m",
                "-cp",
                classPath,
                TestRankMain.class.getName()));
        command.addAll(List.of(part));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(config.toEnvironment());
        try {
            final TestRankProcess rank = new TestRankProcess(part[0] + " of " + config, builder.start());
            rank.reader.start();
            return rank;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(line);
            }
        } catch (IOException ignored) {
            lines.add("(cut off)");
        }
    }

    /**
     * Returns a line as {@link #expect} does, but also one that was skipped before, because threads of the rank print
     * in any order.
     */
    String expectAnyTime(String start) {
        return seen.stream().filter(line -> line.startsWith(start)).findFirst().orElseGet(() -> expect(start));
    }

    /** Waits for a line that starts with {@code start}, skips others, and returns it. */
    String expect(String start) {
        final long deadlineNs = Deadline.in(PATIENCE_S, TimeUnit.SECONDS);
        try {
            while (!Deadline.reached(deadlineNs)) {
                final String line = lines.poll(Deadline.remaining(deadlineNs), TimeUnit.NANOSECONDS);
                if (line != null) {
                    seen.add(line);
                }
                if (line != null && line.startsWith(start)) {
                    return line;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new AssertionError(name + " did not say '" + start + "' but " + seen);
    }

    /** Returns the printed lines that start with {@code start}. */
    List<String> printedStarting(String start) {
        return printed().stream().filter(line -> line.startsWith(start)).toList();
    }

    /** Ends its standard input, and waits until it has ended and all its lines are read. */
    void awaitEnd() {
        try {
            process.getOutputStream().close();
            exitCode();
            reader.join(TimeUnit.SECONDS.toMillis(PATIENCE_S));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Returns all lines printed so far. */
    List<String> printed() {
        lines.drainTo(seen);
        return List.copyOf(seen);
    }

    void goodbye() {
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void kill() {
        process.destroyForcibly();
        exitCode();
    }

    void stop() {
        signal("STOP");
    }

    void resume() {
        signal("CONT");
    }

    private void signal(String signal) {
        try {
            final Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start();
            assertThat(kill.waitFor(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    int exitCode() {
        try {
            assertThat(process.waitFor(PATIENCE_S, TimeUnit.SECONDS))
                    .as(name + " ends")
                    .isTrue();
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        kill();
    }
}
