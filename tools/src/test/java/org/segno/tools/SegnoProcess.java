package org.segno.tools;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Real {@code segno} command in a process of its own, on the class path of the test. */
public final class SegnoProcess implements AutoCloseable {
    /** Options of the JVM of a rank that starts fast and does little. */
    public static final String FAST_RANKS = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -enableassertions";

    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(90);
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int SIGINT_BIT = 1 << (2 - 1);

    private final Process process;
    private final Lines output;
    private final Lines error;

    private SegnoProcess(Process process) {
        this.process = process;
        output = new Lines(process.inputReader(StandardCharsets.UTF_8));
        error = new Lines(process.errorReader(StandardCharsets.UTF_8));
    }

    /**
     * Starts {@code segno} as {@link #start(Map, String...)} does, with jobs in {@code parent} and JVMs of ranks that
     * start fast.
     */
    public static SegnoProcess startIn(Path parent, String... arguments) throws IOException {
        return start(Map.of("SEGNO_DIR", parent.toString(), "SEGNO_JAVA_OPTS", FAST_RANKS), arguments);
    }

    /** Starts {@code segno} with these arguments; {@code environment} is added to the test's own. */
    public static SegnoProcess start(Map<String, String> environment, String... arguments) throws IOException {
        return start(List.of(), Redirect.PIPE, environment, arguments);
    }

    /** Starts {@code segno} with classes that take the place of those of the same names. */
    public static SegnoProcess startWithClasses(Path classes, String... arguments) throws IOException {
        return start(List.of(), Redirect.PIPE, Map.of(), classes + File.pathSeparator, arguments);
    }

    /** Starts {@code segno} in a process with a limit of {@code openFiles} open files. */
    public static SegnoProcess startLimited(int openFiles, Map<String, String> environment, String... arguments)
            throws IOException {
        final List<String> limited = List.of("bash", "-c", "ulimit -n " + openFiles + "; exec \"$@\"", "bash");
        return start(limited, Redirect.PIPE, environment, arguments);
    }

    /** Starts {@code segno} with its output to a device that has no room for a single byte. */
    public static SegnoProcess startWithoutRoom(Map<String, String> environment, String... arguments)
            throws IOException {
        return start(List.of(), Redirect.to(new File("/dev/full")), environment, arguments);
    }

    private static SegnoProcess start(
            List<String> prefix, Redirect output, Map<String, String> environment, String... arguments)
            throws IOException {
        return start(prefix, output, environment, "", arguments);
    }

    private static SegnoProcess start(
            List<String> prefix,
            Redirect output,
            Map<String, String> environment,
            String firstClasses,
            String... arguments)
            throws IOException {
        final List<String> command = new ArrayList<>(prefix);
        if (interruptIsIgnored()) {
            // A shell ignores INT in background jobs, and a build in the background passes that on to its children.
            command.addAll(List.of("env", "--default-signal=INT"));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-enableassertions"));
        // The manifest of the jar sets this flag, too.
        command.add("--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED");
        command.addAll(List.of("-cp", firstClasses + System.getProperty("java.class.path"), Segno.class.getName()));
        command.addAll(List.of(arguments));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(output);
        builder.environment().keySet().removeIf(name -> name.startsWith("SEGNO_"));
        builder.environment().putAll(environment);
        return new SegnoProcess(builder.start());
    }

    private static boolean interruptIsIgnored() throws IOException {
        for (final String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("SigIgn:")) {
                return (Long.parseUnsignedLong(
                                        line.substring("SigIgn:".length()).trim(), 16)
                                & SIGINT_BIT)
                        != 0;
            }
        }
        return false;
    }

    public Process process() {
        return process;
    }

    /** Returns the lines on standard output so far; all of them after {@link #exitCode} has returned. */
    public List<String> output() {
        return output.soFar();
    }

    /** Returns the text on standard error so far; all of it after {@link #exitCode} has returned. */
    public String error() {
        return String.join("\n", error.soFar());
    }

    /** Waits for this number of lines on standard output. */
    public List<String> awaitOutput(int count) {
        await(() -> output.soFar().size() >= count, count + " lines of output");
        return output.soFar();
    }

    /** Waits for a word on standard error. */
    public void awaitError(String word) {
        await(() -> error().contains(word), "'" + word + "' on standard error");
    }

    /** Waits for the end of the process and of its output; returns the exit code. */
    public int exitCode() throws InterruptedException {
        if (!process.waitFor(LIMIT_NS, TimeUnit.NANOSECONDS)) {
            throw new AssertionError("segno does not end: " + error());
        }
        output.awaitEnd();
        error.awaitEnd();
        return process.exitValue();
    }

    /** Sends a signal by its name, as {@code kill} does. */
    public void signal(String name) throws IOException, InterruptedException {
        final int status = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid())
                .inheritIO()
                .start()
                .waitFor();
        if (status != 0) {
            throw new AssertionError("kill -" + name + " ended with " + status);
        }
    }

    /**
     * Waits until a process is gone. A zombie counts as gone, because not every container has an init that reaps it.
     */
    public static void awaitGone(long pid) {
        await(() -> isGone(pid), "process " + pid + " gone");
    }

    private static boolean isGone(long pid) {
        try {
            final String stat = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
            return stat.startsWith(") Z", stat.lastIndexOf(')'));
        } catch (final IOException expected) {
            return true;
        }
    }

    /** Waits for a condition. */
    public static void await(BooleanSupplier condition, String description) {
        final long deadlineNs = System.nanoTime() + LIMIT_NS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadlineNs > 0) {
                throw new AssertionError("not within 90 s: " + description);
            }
            LockSupport.parkNanos(LOOK_NS);
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /** Lines of one stream, read by a thread of its own. */
    private static final class Lines {
        private final List<String> lines = new ArrayList<>();
        private final Thread thread;

        Lines(BufferedReader reader) {
            thread = new Thread(() -> read(reader), "lines");
            thread.setDaemon(true);
            thread.start();
        }

        private void read(BufferedReader reader) {
            try {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    synchronized (lines) {
                        lines.add(line);
                    }
                }
            } catch (final IOException expected) {
                // The test has closed the stream.
            }
        }

        List<String> soFar() {
            synchronized (lines) {
                return List.copyOf(lines);
            }
        }

        void awaitEnd() throws InterruptedException {
            thread.join(TimeUnit.NANOSECONDS.toMillis(LIMIT_NS));
        }
    }
}
