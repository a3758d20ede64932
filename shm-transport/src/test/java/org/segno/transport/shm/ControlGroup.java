package org.segno.transport.shm;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.segno.status.Deadline;

/**
 * Control group with a limit, for processes of a test, in version 1 or 2 of the kernel's interface; closing removes it.
 *
 * <p>A test that needs one is skipped, with the reason, where this system does not permit to make it.
 */
final class ControlGroup implements AutoCloseable {
    private static final Path MOUNT = Path.of("/sys/fs/cgroup");
    private static final long PERIOD_US = 100_000;
    private static final long RETRY_NS = 5_000_000;

    private static int made;

    private final Path directory;

    private ControlGroup(Path directory) {
        this.directory = directory;
    }

    /** Makes a group with a limit for the memory of all its processes together, files in memory included. */
    static ControlGroup ofMemory(long bytes) {
        return of(
                "memory",
                Map.of("memory.limit_in_bytes", Long.toString(bytes)),
                Map.of("memory.max", Long.toString(bytes)));
    }

    /** Makes a group with a limit for the time of all its processes together, in percent of one core. */
    static ControlGroup ofCpu(int percent) {
        final long quotaUs = PERIOD_US * percent / 100;
        return of(
                "cpu",
                Map.of("cpu.cfs_quota_us", Long.toString(quotaUs)),
                Map.of("cpu.max", quotaUs + " " + PERIOD_US));
    }

    private static ControlGroup of(String controller, Map<String, String> version1, Map<String, String> version2) {
        final List<String> failures = new ArrayList<>();
        final Path own = MOUNT.resolve(controller);
        for (final Path parent : List.of(own.resolve(pathOf(controller)), own)) {
            final ControlGroup group = tryMake(parent, version1, failures);
            if (group != null) {
                return group;
            }
        }
        for (final Path parent : List.of(MOUNT.resolve(pathOf("")), MOUNT)) {
            final ControlGroup group = tryMake(parent, version2, failures);
            if (group != null) {
                return group;
            }
        }
        return abort("this system does not permit a control group for " + controller + ": " + failures);
    }

    /** Returns the path of this process's group, relative to the controller's root. */
    private static String pathOf(String controller) {
        try {
            for (final String line : Files.readAllLines(Path.of("/proc/self/cgroup"))) {
                final String[] fields = line.split(":", 3);
                if (List.of(fields[1].split(",", -1)).contains(controller)) {
                    return fields[2].substring(1);
                }
            }
        } catch (IOException ignored) {
            return "";
        }
        return "";
    }

    private static @Nullable ControlGroup tryMake(Path parent, Map<String, String> limits, List<String> failures) {
        final Path directory =
                parent.resolve("segno-test-" + ProcessHandle.current().pid() + '-' + made++);
        if (!Files.isRegularFile(parent.resolve("cgroup.procs"))) {
            return null;
        }
        try {
            Files.createDirectory(directory);
        } catch (IOException e) {
            failures.add(e.toString());
            return null;
        }
        final ControlGroup group = new ControlGroup(directory);
        try {
            for (final Map.Entry<String, String> limit : limits.entrySet()) {
                final Path file = directory.resolve(limit.getKey());
                if (!Files.exists(file)) {
                    throw new NoSuchFileException(file.toString());
                }
                Files.writeString(file, limit.getValue());
            }
            return group;
        } catch (IOException e) {
            failures.add(e.toString());
            group.close();
            return null;
        }
    }

    /** Returns the words in front of a command that run it in this group. */
    List<String> prefix() {
        return List.of("sh", "-c", "echo $$ >" + directory.resolve("cgroup.procs") + " && exec \"$@\"", "sh");
    }

    /** Returns true if the kernel has throttled the processes; otherwise the limit had no effect. */
    boolean isThrottled() throws IOException {
        return Files.readAllLines(directory.resolve("cpu.stat")).stream()
                .anyMatch(line -> line.matches("nr_throttled [1-9]\\d*"));
    }

    /** Kills the remaining processes of the group and removes it. */
    @Override
    public void close() {
        final long deadlineNs = Deadline.in(60, TimeUnit.SECONDS);
        while (!isRemoved(Deadline.reached(deadlineNs))) {
            LockSupport.parkNanos(RETRY_NS);
        }
    }

    private boolean isRemoved(boolean isLast) {
        try {
            for (final String pid : Files.readAllLines(directory.resolve("cgroup.procs"))) {
                ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
            }
            Files.delete(directory);
            return true;
        } catch (IOException e) {
            // Busy until the last process is gone.
            if (isLast) {
                throw new UncheckedIOException("a control group stays: " + directory, e);
            }
            return false;
        }
    }
}
