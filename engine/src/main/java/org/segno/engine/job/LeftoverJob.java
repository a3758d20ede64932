package org.segno.engine.job;

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
 * @param state its state
 * @param bytes total length of its files
 * @param modified time when a file was last created or removed in it
 */
public record LeftoverJob(Path path, State state, long bytes, FileTime modified) {
    /** The state of a directory. */
    public enum State {
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
    public static List<LeftoverJob> in(Path parent) throws IOException {
        final List<LeftoverJob> found = new ArrayList<>();
        synchronized (JobCleanup.MONITOR) {
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

    private static Optional<LeftoverJob> look(Path directory) throws IOException {
        try {
            if (!JobCleanup.isPrivate(directory)) {
                return Optional.empty();
            }
            final State standing = state(directory);
            return Optional.of(new LeftoverJob(
                    directory, standing, bytes(directory), Files.getLastModifiedTime(directory, NOFOLLOW_LINKS)));
        } catch (final NoSuchFileException ignored) {
            // It was removed in between.
            return Optional.empty();
        }
    }

    private static State state(Path directory) throws IOException {
        if (JobCleanup.isHeld(directory)) {
            return State.RUNNING;
        }
        if (JobCleanup.isOccupied(directory.resolve(JobDirectory.JOB_FILE))) {
            return State.FOREIGN;
        }
        try (FileChannel jobFile = open(directory)) {
            if (!JobCleanup.isJobFile(jobFile)) {
                return State.FOREIGN;
            }
            if (JobCleanup.tryLock(jobFile) == null) {
                return State.RUNNING;
            }
            return Files.exists(directory.resolve(JobDirectory.KEPT_FILE), NOFOLLOW_LINKS) ? State.KEPT : State.ENDED;
        } catch (final NoSuchFileException ignored) {
            return State.FOREIGN;
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
        synchronized (JobCleanup.MONITOR) {
            try {
                if (!JobCleanup.isPrivate(path) || (JobCleanup.isHeld(path) && !locked)) {
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
            if (!JobCleanup.isJobFile(jobFile)
                    || (JobCleanup.tryLock(jobFile) == null && !locked)
                    || !JobCleanup.isStill(path, opened)) {
                return false;
            }
            JobCleanup.vanish(path, opened);
            return true;
        }
    }
}
