package org.segno.engine.job;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Remains of ended jobs, and their removal. Only directories of this user with the mode and the job file of a job
 * directory are removed, if their lock is free and they are not marked. Links are not followed.
 *
 * <p>The removal first renames a directory, so that no process can put a file into it any more. It deletes the job file
 * last, so that a half-removed directory is still recognized. All methods are called under the monitor of
 * {@link JobDirectory}'s class.
 */
final class JobCleanup {
    /** The state of the path of a job directory. */
    enum State {
        ABSENT,
        RUNNING,
        KEPT,
        FOREIGN
    }

    /** Held while a directory is inspected, created or removed, by {@link JobDirectory}'s synchronized methods too. */
    static final Object MONITOR = JobDirectory.class;

    static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rwx------");
    static final String JOB_FILE_START = "segno-job 1\nid ";

    private static final Logger LOGGER = System.getLogger(JobCleanup.class.getName());
    private static final String TRANSPORT_NAME = "aeron-.+";
    private static final String NODE_NAME = "node-\\d+";
    private static final String NAME = "segno-.+-[0-9a-f]{16}";
    private static final String PASSING_NAME = NAME + "\\.\\d+-\\d+";

    /** Keys of the directories locked by this process. It must not open their job files: closing one frees the lock. */
    private static final Set<Object> HELD = new HashSet<>();

    /** Number of looks at a directory until it counts as not a job's. */
    private static final int FOREIGN_LOOKS = 8;

    /** Starts at a random number: processes of other PID namespaces may have the same id and use the same parent. */
    private static long passingNames = JobId.random().low() >>> Integer.SIZE;

    private JobCleanup() {}

    /** Returns a temporary name for a directory that is not yet, or no longer, visible under its own name. */
    static Path passing(Path directory) {
        return directory.resolveSibling(directory.getFileName() + "." + Platform.pid() + '-' + passingNames++);
    }

    /** Records that this process has locked a directory, and returns the directory's key. */
    static Object hold(Path directory) throws IOException {
        final Object key = key(directory);
        HELD.add(key);
        return key;
    }

    /** Returns true if this process has locked the directory. */
    static boolean isHeld(Path directory) throws IOException {
        return HELD.contains(key(directory));
    }

    static void letGo(Object key) {
        HELD.remove(key);
    }

    /** Returns null if the lock is held, by another process or by this one through another channel. */
    static @Nullable FileLock tryLock(FileChannel jobFile) throws IOException {
        try {
            return jobFile.tryLock();
        } catch (OverlappingFileLockException ignored) {
            return null;
        }
    }

    /** Removes the remains of ended jobs from a parent: its directories with this name prefix. Returns their number. */
    static int sweep(Path parent, String nameStart) throws IOException {
        int removed = 0;
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(
                parent, path -> path.getFileName().toString().startsWith(nameStart))) {
            for (final Path directory : directories) {
                try {
                    removed += clear(directory) == State.ABSENT ? 1 : 0;
                } catch (IOException e) {
                    LOGGER.log(Level.WARNING, "cannot remove " + directory + ", left by a job that has ended", e);
                }
            }
        }
        return removed;
    }

    /** Removes a directory that no job uses any more, and returns the state of its path afterwards. */
    static State clear(Path directory) throws IOException {
        State found = clearNow(directory);
        // Other processes may remove a job's directory and make another one of its name between two steps of a look.
        for (int look = 1; look < FOREIGN_LOOKS && found == State.FOREIGN; look++) {
            found = clearNow(directory);
        }
        return found;
    }

    private static State clearNow(Path directory) throws IOException {
        try {
            if (!isPrivate(directory)) {
                return isUnfinished(directory) ? clearEmpty(directory) : clearRest(directory);
            }
            if (isHeld(directory)) {
                return State.RUNNING;
            }
            if (isOccupied(directory.resolve(JobDirectory.JOB_FILE))) {
                return State.FOREIGN;
            }
        } catch (NoSuchFileException ignored) {
            return State.ABSENT;
        }
        try (DirectoryStream<Path> opened = Files.newDirectoryStream(directory);
                FileChannel jobFile = FileChannel.open(
                        directory.resolve(JobDirectory.JOB_FILE), Set.of(READ, WRITE, NOFOLLOW_LINKS))) {
            return clear(directory, opened, jobFile);
        } catch (NoSuchFileException ignored) {
            return clearEmpty(directory);
        }
    }

    private static State clear(Path directory, DirectoryStream<Path> opened, FileChannel jobFile) throws IOException {
        if (tryLock(jobFile) == null || !isStill(directory, opened)) {
            return State.RUNNING;
        }
        if (Files.exists(directory.resolve(JobDirectory.KEPT_FILE), NOFOLLOW_LINKS)) {
            return State.KEPT;
        }
        // A process that was killed while it made a directory may have left an unwritten job file, but then under a
        // temporary name.
        if (!isJobFile(jobFile) && !hasPassingName(directory)) {
            return State.FOREIGN;
        }
        vanish(directory, opened);
        LOGGER.log(Level.INFO, "removed {0}, left by a job that has ended", directory);
        return State.ABSENT;
    }

    /**
     * Removes a directory without a job file, if it is empty. It is then just being created or removed; otherwise it is
     * not a job's.
     */
    private static State clearEmpty(Path directory) throws IOException {
        try {
            Files.deleteIfExists(directory);
            return State.ABSENT;
        } catch (DirectoryNotEmptyException ignored) {
            return clearRest(directory);
        }
    }

    /**
     * Removes a directory with a job's name and without a job file, if it belongs to this user and has nothing but what
     * ranks make: a transport that was just beginning has made it again with its own directory, after the job's was
     * removed.
     */
    private static State clearRest(Path directory) throws IOException {
        if (!isOfJob(directory)) {
            return State.FOREIGN;
        }
        try (DirectoryStream<Path> opened = Files.newDirectoryStream(directory);
                DirectoryStream<Path> looked = Files.newDirectoryStream(directory)) {
            int files = 0;
            for (final Path file : looked) {
                if (!isOfRank(file)) {
                    return State.FOREIGN;
                }
                files++;
            }
            final SecureDirectoryStream<Path> rest = secure(directory, opened);
            for (final Path file : rest) {
                if (isOfRank(file)) {
                    delete(rest, file.getFileName());
                }
            }
            // Another process may have put a file there since: then the next look finds what it is.
            return files != 0 && Files.deleteIfExists(directory) ? State.ABSENT : State.FOREIGN;
        } catch (DirectoryNotEmptyException | NoSuchFileException ignored) {
            return State.FOREIGN;
        }
    }

    /** Returns true for a directory of this user with a job's name, unless another process has just removed it. */
    private static boolean isOfJob(Path directory) throws IOException {
        try {
            return directory.getFileName().toString().matches(NAME)
                    && attributes(directory).isDirectory()
                    && Platform.owns(directory);
        } catch (NoSuchFileException ignored) {
            return false;
        }
    }

    /** Returns true for a node file, or the directory of a transport. */
    private static boolean isOfRank(Path file) throws IOException {
        return file.getFileName().toString().matches(attributes(file).isDirectory() ? TRANSPORT_NAME : NODE_NAME);
    }

    /**
     * Removes a directory whose lock the caller holds. Opens nothing, so that a process at its limit of open files can
     * remove its own directories.
     *
     * @param opened the same directory, opened before and not read yet
     */
    static void vanish(Path directory, DirectoryStream<Path> opened) throws IOException {
        final Path passing = passing(directory);
        try {
            Files.move(directory, passing, StandardCopyOption.ATOMIC_MOVE);
            empty(secure(directory, opened));
            Files.delete(passing);
        } catch (NoSuchFileException ignored) {
            LOGGER.log(Level.DEBUG, "{0} has been removed by another process", directory);
        }
    }

    private static void empty(SecureDirectoryStream<Path> files) throws IOException {
        final Path jobFile = Path.of(JobDirectory.JOB_FILE);
        for (final Path file : files) {
            if (!file.getFileName().equals(jobFile)) {
                delete(files, file.getFileName());
            }
        }
        files.deleteFile(jobFile);
    }

    /**
     * Deletes a file, or a directory of a transport with all that it contains, which a rank that leaves may delete at
     * the same time. Follows no links.
     */
    private static void delete(SecureDirectoryStream<Path> files, Path name) throws IOException {
        try {
            deletePresent(files, name);
        } catch (NoSuchFileException ignored) {
            LOGGER.log(Level.DEBUG, "{0} has been deleted by the rank that made it", name);
        }
    }

    private static void deletePresent(SecureDirectoryStream<Path> files, Path name) throws IOException {
        final BasicFileAttributeView view =
                files.getFileAttributeView(name, BasicFileAttributeView.class, NOFOLLOW_LINKS);
        if (!view.readAttributes().isDirectory()) {
            files.deleteFile(name);
            return;
        }
        try (SecureDirectoryStream<Path> inner = files.newDirectoryStream(name, NOFOLLOW_LINKS)) {
            for (final Path file : inner) {
                delete(inner, file.getFileName());
            }
        }
        files.deleteDirectory(name);
    }

    private static SecureDirectoryStream<Path> secure(Path directory, DirectoryStream<Path> opened)
            throws FileSystemException {
        if (opened instanceof SecureDirectoryStream<Path> secure) {
            return secure;
        }
        throw new FileSystemException(
                directory.toString(),
                null,
                "cannot be told from another of its name, nor emptied without following links");
    }

    private static boolean hasPassingName(Path directory) {
        return directory.getFileName().toString().matches(PASSING_NAME);
    }

    /** Returns true for a directory whose creator was killed before it had set the mode, which its umask had cut. */
    private static boolean isUnfinished(Path directory) throws IOException {
        final PosixFileAttributes attributes = attributes(directory);
        return hasPassingName(directory)
                && attributes.isDirectory()
                && MODE.containsAll(attributes.permissions())
                && Platform.owns(directory);
    }

    /** Returns true if the path is a directory that belongs to this user and is accessible to no other. */
    static boolean isPrivate(Path path) throws IOException {
        final PosixFileAttributes attributes = attributes(path);
        return attributes.isDirectory() && attributes.permissions().equals(MODE) && Platform.owns(path);
    }

    /** Returns the key that distinguishes a directory from all others, whatever its name. */
    static Object key(Path directory) throws IOException {
        return attributes(directory).fileKey();
    }

    private static PosixFileAttributes attributes(Path path) throws IOException {
        return Files.readAttributes(path, PosixFileAttributes.class, NOFOLLOW_LINKS);
    }

    /**
     * Returns true if the directory of this name is the one that was opened.
     *
     * <p>Called with its lock held: since its job file was opened, the previous holder of the lock may have removed the
     * directory and created another one of the name. While the directory is open, no other has its key.
     */
    static boolean isStill(Path directory, DirectoryStream<Path> opened) throws IOException {
        final Object openedKey = secure(directory, opened)
                .getFileAttributeView(BasicFileAttributeView.class)
                .readAttributes()
                .fileKey();
        return key(directory).equals(openedKey);
    }

    /**
     * Returns true if a link, a pipe or the like is in the place of a job file. Reads the attributes once: a process
     * that starts a job may remove the file at any time.
     */
    static boolean isOccupied(Path jobFile) throws IOException {
        try {
            return !Files.readAttributes(jobFile, BasicFileAttributes.class, NOFOLLOW_LINKS)
                    .isRegularFile();
        } catch (NoSuchFileException ignored) {
            return false;
        }
    }

    /** Returns true if a file begins like a job file. */
    static boolean isJobFile(FileChannel jobFile) throws IOException {
        final byte[] start = JOB_FILE_START.getBytes(StandardCharsets.UTF_8);
        final ByteBuffer read = ByteBuffer.allocate(start.length);
        // One read suffices: regular files return all the bytes that they have.
        jobFile.read(read, 0);
        return read.flip().equals(ByteBuffer.wrap(start));
    }
}
