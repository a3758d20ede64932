package org.segno.job;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A job directory as a tool for cleaning up finds it: a directory of this user, accessible to no other user, under the
 * name of a job directory.
 *
 * <p>The search takes the lock of each directory for a moment, as the sweep of every start does.
 *
 * @param path its path
 * @param standing its state
 * @param bytes total length of its files
 * @param modified time when a file was last created or removed in it
 */
public record JobLeftover(Path path, Standing standing, long bytes, FileTime modified) {
    /** The state of a directory. */
    public enum Standing {
        /** A process holds its lock. */
        RUNNING,

        /** Its job has ended, and it was marked to stay. */
        KEPT,

        /** Its job has ended. */
        ENDED,

        /** It has no job file with the magic word. It is not a job directory, whatever its name. */
        FOREIGN
    }

    /**
     * Returns the directories of this kind in a parent directory, sorted by name.
     *
     * @throws IOException if the parent cannot be read
     */
    public static List<JobLeftover> in(Path parent) throws IOException {
        final List<JobLeftover> found = new ArrayList<>();
        synchronized (JobRemains.MONITOR) {
            try (DirectoryStream<Path> directories =
                    Files.newDirectoryStream(parent, "segno-" + Platform.user() + "-*")) {
                for (final Path directory : directories) {
                    look(directory).ifPresent(found::add);
                }
            }
        }
        found.sort((a, b) -> a.path().compareTo(b.path()));
        return found;
    }

    private static Optional<JobLeftover> look(Path directory) throws IOException {
        try {
            if (!JobRemains.isPrivate(directory)) {
                return Optional.empty();
            }
            final Standing standing = standing(directory);
            return Optional.of(new JobLeftover(
                    directory, standing, bytes(directory), Files.getLastModifiedTime(directory, NOFOLLOW_LINKS)));
        } catch (final NoSuchFileException ignored) {
            // It was removed in between.
            return Optional.empty();
        }
    }

    private static Standing standing(Path directory) throws IOException {
        if (JobRemains.isHeld(directory)) {
            return Standing.RUNNING;
        }
        if (JobRemains.isOccupied(directory.resolve(JobDirectory.JOB_FILE))) {
            return Standing.FOREIGN;
        }
        try (FileChannel jobFile = open(directory)) {
            if (!JobRemains.isJobFile(jobFile)) {
                return Standing.FOREIGN;
            }
            if (JobRemains.tryLock(jobFile) == null) {
                return Standing.RUNNING;
            }
            return Files.exists(directory.resolve(JobDirectory.KEPT_FILE), NOFOLLOW_LINKS)
                    ? Standing.KEPT
                    : Standing.ENDED;
        } catch (final NoSuchFileException ignored) {
            return Standing.FOREIGN;
        }
    }

    private static FileChannel open(Path directory) throws IOException {
        return FileChannel.open(directory.resolve(JobDirectory.JOB_FILE), Set.of(READ, WRITE, NOFOLLOW_LINKS));
    }

    private static long bytes(Path directory) throws IOException {
        long bytes = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (final Path file : files) {
                if (Files.isRegularFile(file, NOFOLLOW_LINKS)) {
                    bytes += Files.size(file);
                }
            }
        }
        return bytes;
    }

    /**
     * Removes the directory, marked or not, if it is still a job's and its lock is free.
     *
     * @param locked removes it also while its lock is held: ranks that have joined continue, others can no longer join
     * @return true if it is gone
     * @throws IOException if the file system does not allow it
     */
    public boolean remove(boolean locked) throws IOException {
        synchronized (JobRemains.MONITOR) {
            try {
                if (!JobRemains.isPrivate(path) || (JobRemains.isHeld(path) && !locked)) {
                    return false;
                }
                return removeLocked(locked);
            } catch (final NoSuchFileException ignored) {
                return Files.notExists(path, NOFOLLOW_LINKS);
            }
        }
    }

    private boolean removeLocked(boolean locked) throws IOException {
        try (DirectoryStream<Path> opened = Files.newDirectoryStream(path);
                FileChannel jobFile = open(path)) {
            if (!JobRemains.isJobFile(jobFile)
                    || (JobRemains.tryLock(jobFile) == null && !locked)
                    || !JobRemains.isStill(path, opened)) {
                return false;
            }
            JobRemains.vanish(path, opened);
            return true;
        }
    }
}
