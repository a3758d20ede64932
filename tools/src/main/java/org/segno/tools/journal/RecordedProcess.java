package org.segno.tools.journal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.segno.engine.job.Platform;

/**
 * Process that has written the journal of a rank. A process id alone does not identify one: it is used again, and in
 * PID namespaces, as containers have them, several processes have the same.
 *
 * @param pid its id, as it sees it
 * @param namespace number of its PID namespace
 * @param startTime its start, in clock ticks since the system started
 * @param boot id of the run of the system, with zeros if it is unknown
 */
public record RecordedProcess(long pid, int namespace, long startTime, UUID boot) {
    private static final UUID UNKNOWN = new UUID(0, 0);
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /** Returns a process of which the id alone is known. */
    static RecordedProcess of(long pid) {
        return new RecordedProcess(pid, 0, 0, UNKNOWN);
    }

    /** Returns this process. */
    static RecordedProcess own() {
        return new RecordedProcess(
                Platform.pid(),
                (int) (Platform.process() >>> Integer.SIZE),
                Platform.startTime(Platform.pid()),
                presentBoot());
    }

    private static UUID presentBoot() {
        try {
            return UUID.fromString(Files.readString(BOOT_ID).trim());
        } catch (IOException | IllegalArgumentException ignored) {
            return UNKNOWN;
        }
    }

    /**
     * Returns true if the process has certainly ended. Of a process of another host, or of another PID namespace,
     * nothing is certain.
     */
    public boolean hasEnded() {
        final RecordedProcess reader = own();
        return !boot.equals(UNKNOWN)
                && startTime != 0
                && boot.equals(reader.boot)
                && namespace == reader.namespace
                && Platform.startTime(pid) != startTime;
    }
}
