package org.segno.transport.aeron;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;

/**
 * Turn of a driver to take room in the directory of its job. Aeron maps its files and writes to them later: a store to
 * a page for which there is no room ends with an error of the JVM that names nothing. Between the look at the room and
 * the last store, no other driver of the job on this host may take any. An entry in the directory is the turn.
 *
 * <p>A process that is stopped or killed in its turn holds up others for a limited time. After that they go on.
 */
final class RoomTurn implements AutoCloseable {
    private static final String ENTRY = "driver-turn";
    private static final long LIMIT_MS = 5_000;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Path job;

    private RoomTurn(Path job) {
        this.job = job;
    }

    /** Waits for the turn. */
    static RoomTurn take(Path job) throws IOException {
        final Path entry = job.resolve(ENTRY);
        final long deadlineNs = Deadline.in(LIMIT_MS, TimeUnit.MILLISECONDS);
        while (!make(entry) && !Deadline.reached(deadlineNs)) {
            LockSupport.parkNanos(PAUSE_NS);
        }
        return new RoomTurn(job);
    }

    private static boolean make(Path entry) throws IOException {
        try {
            Files.createDirectory(entry);
            return true;
        } catch (final FileAlreadyExistsException ofAnother) {
            return false;
        }
    }

    /**
     * Checks that there is room for the files of a driver.
     *
     * @throws SegnoException if there is none
     */
    void require(long bytes) throws IOException {
        final long usable = Files.getFileStore(job).getUsableSpace();
        if (usable < bytes) {
            throw new SegnoException("no room for the files of Aeron's driver: directory=" + job + " needed=" + bytes
                    + " usable=" + usable + " bytes; set SEGNO_DIR to a larger file system");
        }
    }

    /** Ends the turn. */
    @Override
    public void close() throws IOException {
        Files.deleteIfExists(job.resolve(ENTRY));
    }
}
