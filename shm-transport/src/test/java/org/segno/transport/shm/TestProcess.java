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

/** A {@link ScenarioMain} seen from the test: what it says, and what is done to it. */
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

    /** Starts a process behind the words of another command, which becomes it or waits for it. */
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

    /** A JVM with this one's class path that starts fast. */
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

    /** Lets the part go on. */
    void signalScenario() {
        write(ScenarioMain.SIGNAL);
    }

    private void write(String line) {
        try {
            process.getOutputStream().write((line + '\n').getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(this + " hears nothing", e);
        }
    }

    /** Waits for a line that starts as told, passing over others but not over a failure; answers what follows. */
    String expect(String start) {
        return expect(start, Deadline.in(TIMEOUT_S, TimeUnit.SECONDS));
    }

    /** As the other, with more patience. */
    String expect(String start, long deadlineNs) {
        for (String line = next(deadlineNs); line != null; line = next(deadlineNs)) {
            if (line.startsWith(start)) {
                return line.substring(start.length()).strip();
            }
            if (line.startsWith(ScenarioMain.FAILED) || line.equals(ScenarioMain.END)) {
                break;
            }
        }
        throw new AssertionError(this + " did not say '" + start + "'");
    }

    /** Waits for the part's end; a failure before it is one of the test. */
    void awaitEnd() {
        expect(ScenarioMain.END);
        running = false;
    }

    /** The next line, or null at the deadline. */
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

    /** Ends the process as {@code kill -9} does, and waits until it is gone. */
    void kill() {
        process.destroyForcibly();
        exitCode();
    }

    /** Stops the process: it is not scheduled until it may go on. */
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

    /** Waits until the process has ended. */
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

    /**
     * Waits this long at most for the process to end by itself: a moment that ends early only when there is nobody
     * left.
     */
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
        return "process " + process.pid() + " playing " + scenario + ", which said " + printed;
    }
}
