package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
import org.jspecify.annotations.Nullable;
import org.segno.status.Deadline;

/** Process with a {@link ScenarioMain}, controlled by the test: its output, and the signals sent to it. */
final class TestProcess implements AutoCloseable {
    static final String FLAG = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED";

    private static final int TIMEOUT_S = 60;

    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final Queue<String> printed = new ConcurrentLinkedQueue<>();
    private String scenario = "nothing yet";
    private boolean running;

    private TestProcess(Process process) {
        this.process = process;
    }

    static TestProcess start() {
        return start(List.of());
    }

    /** Starts a process behind the words of another command, which executes it or waits for it. */
    static TestProcess start(List<String> prefix) {
        final List<String> command = new ArrayList<>(prefix);
        command.addAll(command(FLAG, ScenarioMain.class.getName()));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        try {
            final TestProcess process = new TestProcess(builder.start());
            LineReader.thread(process.process, process.lines::add, () -> {}).start();
            return process;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the command of a JVM with this one's class path that starts fast. */
    static List<String> command(String flag, String main) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx64m",
                "-Dsegno.crash-points=true",
                flag,
                "-cp",
                System.getProperty("java.class.path"),
                main);
    }

    void run(ScenarioRequest request) {
        scenario = request.scenario() + " as " + request.ranks();
        running = true;
        printed.clear();
        lines.clear();
        write(ScenarioMain.RUN + request.line());
    }

    /** Signals the scenario to continue. */
    void signalScenario() {
        write(ScenarioMain.SIGNAL);
    }

    private void write(String line) {
        try {
            process.getOutputStream().write((line + '\n').getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(this + " accepts no input", e);
        }
    }

    /** Waits for a line with this start and returns the rest of it; skips other lines, but fails at a failure. */
    String expect(String start) {
        return expect(start, Deadline.in(TIMEOUT_S, TimeUnit.SECONDS));
    }

    /** Waits for a line as {@link #expect(String)} does, until this deadline. */
    String expect(String start, long deadlineNs) {
        for (String line = next(deadlineNs); line != null; line = next(deadlineNs)) {
            if (line.startsWith(start)) {
                return line.substring(start.length()).strip();
            }
            if (line.startsWith(ScenarioMain.FAILED) || line.equals(ScenarioMain.END)) {
                break;
            }
        }
        throw new AssertionError(this + " did not print '" + start + "'");
    }

    /** Waits for the scenario's end; a failure before it fails the test. */
    void awaitEnd() {
        expect(ScenarioMain.END);
        running = false;
    }

    /** Returns the next line, or null at the deadline. */
    @Nullable
    String next(long deadlineNs) {
        try {
            final String line = lines.poll(Math.max(0, Deadline.remaining(deadlineNs)), TimeUnit.NANOSECONDS);
            if (line != null) {
                printed.add(line);
            }
            return line;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** Ends the process as {@code kill -9} does, and waits until it has ended. */
    void kill() {
        process.destroyForcibly();
        exitCode();
    }

    /** Stops the process: it is not scheduled until it is resumed. */
    void stop() {
        signal("STOP");
    }

    void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            final Process shell = new ProcessBuilder("/bin/sh", "-c", "kill -" + name + ' ' + process.pid()).start();
            assertThat(shell.waitFor()).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Waits until the process has ended, and returns its exit code. */
    int exitCode() {
        try {
            assertThat(process.waitFor(TIMEOUT_S, TimeUnit.SECONDS))
                    .as(this + " ends")
                    .isTrue();
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Waits for this time, or until the process has ended by itself. */
    void observe(long nanoseconds) throws InterruptedException {
        process.waitFor(nanoseconds, TimeUnit.NANOSECONDS);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    boolean isIdle() {
        return !running && process.isAlive();
    }

    @Override
    public void close() {
        kill();
    }

    @Override
    public String toString() {
        lines.drainTo(printed);
        return "process " + process.pid() + " running " + scenario + ", output: " + printed;
    }
}
