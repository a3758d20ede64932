package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.segno.node.JobConfig;
import org.segno.node.NodeConfig.Threading;

/**
 * Processes of a test, and the directory for its jobs. A process that has run its scenario to the end is reused by the
 * next test, because starting one takes longer than most tests. After each test the directory must be empty.
 */
final class ProcessPool implements BeforeEachCallback, AfterEachCallback {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final Deque<TestProcess> IDLE = new ArrayDeque<>();

    private final List<TestProcess> processes = new ArrayList<>();
    private final List<TestProcess> special = new ArrayList<>();
    private Path directory = SHARED_MEMORY;

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        directory = Files.createTempDirectory(SHARED_MEMORY, "shm-transport-test-");
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        for (final TestProcess process : processes) {
            if (process.isIdle()) {
                IDLE.add(process);
            } else {
                process.close();
            }
        }
        processes.clear();
        special.forEach(TestProcess::close);
        special.clear();
        final List<Path> left = left();
        delete(directory);
        if (context.getExecutionException().isEmpty()) {
            assertThat(left).as("left behind").isEmpty();
        }
    }

    /** Returns the parent of the test's job directories. */
    Path directory() {
        return directory;
    }

    /** Returns the current entries of the parent directory. */
    List<Path> left() throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList();
        }
    }

    private static void delete(Path root) throws IOException {
        try (Stream<Path> entries = Files.walk(root)) {
            for (final Path path : entries.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    /** Returns a job in the test's directory. */
    JobConfig job(String name, int size) {
        return JobConfig.of(name, 0, size).withDirectory(directory).withJoinTimeout(Duration.ofSeconds(30));
    }

    /** Runs a scenario as one rank in a process of the pool. */
    TestProcess start(
            Class<? extends Scenario> scenario, JobConfig job, Threading threading, int rank, Object... arguments) {
        return start(scenario, job, threading, List.of(rank), arguments);
    }

    /** Runs a scenario as several ranks in a process of the pool. */
    TestProcess start(
            Class<? extends Scenario> scenario,
            JobConfig job,
            Threading threading,
            List<Integer> ranks,
            Object... arguments) {
        return start(take(), scenario, job, threading, ranks, arguments);
    }

    /**
     * Runs a scenario as one rank in a new process, behind the words of another command; it runs no other scenario.
     */
    TestProcess startBehind(
            List<String> prefix,
            Class<? extends Scenario> scenario,
            JobConfig job,
            Threading threading,
            int rank,
            Object... arguments) {
        final TestProcess process = TestProcess.start(prefix);
        special.add(process);
        return start(process, scenario, job, threading, List.of(rank), arguments);
    }

    private static TestProcess start(
            TestProcess process,
            Class<? extends Scenario> scenario,
            JobConfig job,
            Threading threading,
            List<Integer> ranks,
            Object... arguments) {
        process.run(new ScenarioRequest(
                scenario.getName(),
                ranks,
                threading,
                job,
                Arrays.stream(arguments).map(String::valueOf).toList()));
        return process;
    }

    private TestProcess take() {
        TestProcess process = IDLE.poll();
        while (process != null && !process.isIdle()) {
            process = IDLE.poll();
        }
        if (process == null) {
            process = TestProcess.start();
        }
        processes.add(process);
        return process;
    }
}
