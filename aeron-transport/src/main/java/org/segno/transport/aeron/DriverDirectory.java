package org.segno.transport.aeron;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.agrona.IoUtil;
import org.jspecify.annotations.Nullable;
import org.segno.status.SegnoException;

/**
 * Directory of the files of a driver, in that of its job. The job may end at any time, and its hub then removes all.
 * Aeron makes its directory with all parents, so it can make that of a job again.
 */
final class DriverDirectory {
    private static final Logger LOGGER = System.getLogger(DriverDirectory.class.getName());

    private final Path path;
    private final Path job;

    /** Distinguishes the directory of the job from any other of its name, while it is open. */
    private final Object key;

    private final DirectoryStream<Path> opened;

    private DriverDirectory(Path path, Path job, Object key, DirectoryStream<Path> opened) {
        this.path = path;
        this.job = job;
        this.key = key;
        this.opened = opened;
    }

    /**
     * Makes a directory below that of a job.
     *
     * @throws IOException if the directory cannot be made
     */
    @SuppressWarnings("StreamResourceLeak") // closed with the files
    static DriverDirectory make(Path job) throws IOException {
        final Object key = key(job);
        final Path path = Files.createTempDirectory(job, DriverCounts.DIRECTORY_PREFIX);
        return new DriverDirectory(path, job, key, Files.newDirectoryStream(job));
    }

    private static Object key(Path directory) throws IOException {
        return Files.readAttributes(directory, BasicFileAttributes.class).fileKey();
    }

    Path path() {
        return path;
    }

    /**
     * Checks that the directory of the job is still there.
     *
     * @throws SegnoException if it is gone, or Aeron has made it again
     */
    void requireJob() {
        @Nullable IOException cause = null;
        try {
            if (key(job).equals(key)) {
                return;
            }
        } catch (final IOException e) {
            cause = e;
        }
        throw new SegnoException("the job has ended: its directory is gone: " + job, cause);
    }

    /**
     * Deletes all files, and the directory of the job if Aeron has made that again. Files that are gone are no error:
     * once all ranks have left, the hub of a job removes the whole directory, while the last ones close their drivers.
     */
    void delete() {
        IoUtil.delete(path.toFile(), true);
        if (Files.exists(path)) {
            LOGGER.log(Level.WARNING, "cannot delete the files of a driver of Aeron: {0}", path);
        }
        try (opened) {
            if (!key(job).equals(key)) {
                Files.delete(job);
            }
        } catch (final IOException e) {
            LOGGER.log(Level.DEBUG, "{0} is gone, or another job has it: {1}", job, e);
        }
    }
}
