package org.segno.transport.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.segno.node.JobConfig;
import org.segno.node.NodeConfig.Threading;

/** A JVM that runs an {@link AttackedRank} as an application would: without assertions, with both compilers. */
final class AttackedProcess implements AutoCloseable {
    private static final int START_S = 90;
    private static final int DUMP_S = 3;
    private static final int FRAMES = 30;

    private final Process process;
    private final Path errorFile;
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final CountDownLatch running = new CountDownLatch(1);
    private final Thread reader;

    private AttackedProcess(Process process, Path errorFile) {
        this.process = process;
        this.errorFile = errorFile;
        this.reader = LineReader.thread(process, this::read, running::countDown);
    }

    static AttackedProcess start(JobConfig job, Threading threading, long seed, long attackMs, Path directory) {
        final Path errorFile = directory.resolve("hs_err_" + job.rank() + ".log");
        final ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-da",
                        "-XX:+UseSerialGC",
                        "-Xshare:auto",
                        "-Xmx64m",
                        "-XX:-CreateCoredumpOnCrash",
                        "-XX:ErrorFile=" + errorFile,
                        TestProcess.FLAG,
                        "-cp",
                        System.getProperty("java.class.path"),
                        AttackedRank.class.getName(),
                        threading.name(),
                        Long.toString(seed),
                        Long.toString(attackMs),
                        directory.toString())
                .redirectErrorStream(true);
        builder.environment().putAll(job.toEnvironment());
        try {
            final AttackedProcess started = new AttackedProcess(builder.start(), errorFile);
            started.reader.start();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(String line) {
        lines.add(line);
        if (line.equals(AttackedRank.RUNNING)) {
            running.countDown();
        }
    }

    /** Waits until the rank runs its steps, or has ended. */
    void awaitRunning() throws InterruptedException {
        if (!running.await(START_S, TimeUnit.SECONDS)) {
            throw new AssertionError("the rank did not start its steps: " + text());
        }
    }

    /** Waits for the end of the process; returns its failures, or an empty list. */
    List<String> awaitEnd(long seconds) throws InterruptedException {
        final List<String> wrong = new ArrayList<>();
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            dumpThreads();
            process.destroyForcibly();
            process.waitFor();
            wrong.add("process " + process.pid() + " had not ended " + seconds + " s later and was killed");
        }
        reader.join(TimeUnit.SECONDS.toMillis(DUMP_S));
        if (process.exitValue() != 0) {
            wrong.add("process " + process.pid() + " ended with status " + process.exitValue());
        }
        if (Files.exists(errorFile)) {
            wrong.add(topFrames());
        }
        if (!wrong.isEmpty()) {
            wrong.add("its output: " + text());
        }
        return wrong;
    }

    /** Has the JVM print the stacks of its threads. */
    private void dumpThreads() throws InterruptedException {
        try {
            new ProcessBuilder("/bin/sh", "-c", "kill -QUIT " + process.pid())
                    .start()
                    .waitFor();
            process.waitFor(DUMP_S, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the lines of the error file that name the signal, the frame and the stacks. */
    private String topFrames() {
        final List<String> found = new ArrayList<>();
        try {
            int left = 0;
            for (final String line : Files.readAllLines(errorFile)) {
                final boolean isStack = line.startsWith("Native frames") || line.startsWith("Java frames");
                if (isStack) {
                    left = FRAMES;
                } else if (line.isBlank()) {
                    left = 0;
                }
                final boolean isNamed = line.startsWith("#  ")
                        || line.startsWith("# J")
                        || line.startsWith("# C")
                        || line.startsWith("# V")
                        || line.startsWith("# v")
                        || line.startsWith("siginfo")
                        || line.startsWith("Current thread");
                if (left-- > 0 || isNamed) {
                    found.add(line);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return String.join("\n    ", found);
    }

    /** Returns the lines of the output about thrown and logged exceptions and about slow steps. */
    List<String> report() {
        return lines.stream().filter(line -> !line.equals(AttackedRank.RUNNING)).toList();
    }

    private String text() {
        return String.join(
                "\n    ",
                lines.stream()
                        .filter(line -> !line.startsWith(ExceptionCounts.CLEAR))
                        .toList());
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
