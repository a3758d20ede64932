package org.segno.engine.job;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.segno.status.OpenFiles;
import org.segno.status.SegnoException;

/**
 * The directory of a running job. The process that is the job's hub creates, locks and removes it.
 *
 * <p>The directory appears complete: it is created and locked under a temporary name, then renamed. The lock is on
 * {@value #JOB_FILE} and ends with the process, in whatever way the process ends. If the lock of a directory is free
 * and the directory is not marked {@value #KEPT_FILE}, the next start of the same user removes it.
 *
 * <p>Any thread may call any method; within a process they exclude each other.
 */
public final class JobDirectory implements AutoCloseable {
    /**
     * The file that distinguishes a job directory from all others. It contains the job's id and carries the lock. The
     * process that created the directory must not open the file again: closing any descriptor of a file frees the
     * process's locks on it.
     */
    public static final String JOB_FILE = "segno-job";

    /** The mark of a directory that stays. */
    public static final String KEPT_FILE = "kept";

    private static final Logger LOGGER = System.getLogger(JobDirectory.class.getName());
    private static final FileAttribute<Set<PosixFilePermission>> FILE_MODE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY_MODE =
            PosixFilePermissions.asFileAttribute(JobCleanup.MODE);
    private static final int PERMISSIONS = 07777;
    private static final int STICKY = 01000;
    private static final int WRITABLE_BY_ALL = 0002;
    private static final int SOCKET_PATH_LIMIT = 107;
    private static final int ATTEMPT_LIMIT = 100;
    private static final long ATTEMPT_PAUSE_NS = 2_000_000;

    private final JobSettings config;
    private final JobId id;
    private final Path path;
    private final Object key;
    private final FileChannel jobFile;

    /** Open from the start: the removal needs it, and the process may have reached its limit of open files by then. */
    private final DirectoryStream<Path> opened;

    private boolean kept;
    private boolean closed;

    private JobDirectory(JobSettings config, JobId id, Object key, FileChannel jobFile, DirectoryStream<Path> opened) {
        this.config = config;
        this.id = id;
        this.path = pathOf(config);
        this.key = key;
        this.jobFile = jobFile;
        this.opened = opened;
    }

    /**
     * Returns the absolute path of a job's directory, whether the directory exists or not.
     *
     * @param config any rank's
     * @throws SegnoException if the path is too long for the hub's socket in it
     */
    public static Path pathOf(JobSettings config) {
        final Path path = config.directory().resolve(nameStart() + JobId.withDigits(config.jobName()));
        final Path socket = hubIn(path);
        final int length = socket.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > SOCKET_PATH_LIMIT) {
            throw new SegnoException("the path of the hub's socket has " + length + " bytes, the system allows "
                    + SOCKET_PATH_LIMIT + ": shorten the parent directory (" + JobVariables.DIR
                    + ") or the job's name ("
                    + JobVariables.JOB + "): " + socket);
        }
        return path;
    }

    /** Returns the path of the hub's socket in a job directory. */
    static Path hubIn(Path directory) {
        return directory.resolve("hub");
    }

    /** Returns true if a directory exists and belongs to this user alone; throws if it exists and does not. */
    static boolean isThere(Path path) throws IOException {
        try {
            if (JobCleanup.isPrivate(path)) {
                return true;
            }
        } catch (NoSuchFileException ignored) {
            return false;
        }
        throw inTheWay(path, "is not a job directory of user " + Platform.user());
    }

    private static String nameStart() {
        return "segno-" + Platform.user() + '-';
    }

    /**
     * Creates and locks the directory of a job, after removing the remains of ended jobs of this user.
     *
     * @param config the job's name, the parent, and whether to keep
     * @return the directory; the caller closes it
     * @throws SegnoException if a job of that name is running, or the file system does not allow it
     */
    public static JobDirectory create(JobSettings config) {
        for (int attempt = 0; attempt < ATTEMPT_LIMIT; attempt++) {
            final Optional<JobDirectory> made = tryCreate(config);
            if (made.isPresent()) {
                return made.get();
            }
            // A directory that is being removed frees its name within this time.
            Platform.park(ATTEMPT_PAUSE_NS);
        }
        throw new SegnoException("job " + config.jobName() + " is already running in " + pathOf(config)
                + ": choose another name (" + JobVariables.JOB + ")");
    }

    /**
     * Creates and locks the directory of a job, after removing the remains of ended jobs of this user, unless the
     * directory of that name is in use.
     *
     * @param config the job's name, the parent, and whether to keep
     * @return the directory, which the caller closes; empty if one exists and is locked, or is being removed
     * @throws SegnoException if the existing one was kept or is not this user's, or the file system does not allow it
     */
    public static synchronized Optional<JobDirectory> tryCreate(JobSettings config) {
        final Path path = pathOf(config);
        requireSafeParent(config);
        try {
            sweep(config.directory());
            return switch (JobCleanup.clear(path)) {
                case ABSENT -> make(config, path);
                case RUNNING -> Optional.empty();
                case KEPT -> throw inTheWay(path, "was kept for inspection");
                case FOREIGN -> throw inTheWay(path, "is not a job directory of user " + Platform.user());
            };
        } catch (IOException e) {
            throw new SegnoException(
                    "cannot make the job directory " + path + ": " + e + "; "
                            + OpenFiles.remedy(
                                    e,
                                    "name a parent that this user may write and that has room (" + JobVariables.DIR
                                            + ")"),
                    e);
        }
    }

    /**
     * Checks that no other user can remove or replace a job's directory: a directory in which every user may write
     * needs the sticky bit.
     *
     * @param config any rank's
     * @throws SegnoException if the parent of job directories needs the sticky bit and lacks it
     */
    static void requireSafeParent(JobSettings config) {
        final Path parent = config.directory();
        final int mode;
        try {
            mode = (int) Files.getAttribute(parent, "unix:mode") & PERMISSIONS;
        } catch (IOException | UnsupportedOperationException ignored) {
            // If the parent does not exist, the creation of the job's directory reports that.
            return;
        }
        if (isUnsafe(mode)) {
            throw new SegnoException(parent + " may be written by every user and has no sticky bit (mode "
                    + Integer.toOctalString(mode) + "), so another user could remove or replace a job's directory:"
                    + " chmod +t " + parent + ", or name another directory (" + JobVariables.DIR + ")");
        }
    }

    /**
     * Returns true if every user may remove the files of others in a directory of this mode: it is writable by all and
     * has no sticky bit.
     *
     * @param mode permissions, sticky bit included
     */
    public static boolean isUnsafe(int mode) {
        return (mode & WRITABLE_BY_ALL) != 0 && (mode & STICKY) == 0;
    }

    private static SegnoException inTheWay(Path path, String why) {
        return new SegnoException(path + " " + why + ": remove it, or choose another name (" + JobVariables.JOB + ")");
    }

    /**
     * Removes the remains of ended jobs of this user from a parent directory.
     *
     * @return the number of removed directories
     * @throws IOException if the parent cannot be read
     */
    public static synchronized int sweep(Path parent) throws IOException {
        return JobCleanup.sweep(parent, nameStart());
    }

    /**
     * Removes what ranks of a job that has ended have made again at the path of its directory, after that was removed.
     * Called when the processes of the job have ended, or will end soon. A directory of another job stays.
     */
    public static synchronized void removeRest(Path directory) {
        try {
            JobCleanup.clear(directory);
        } catch (final IOException e) {
            LOGGER.log(Level.WARNING, "cannot remove the rest of " + directory + ", the next start will", e);
        }
    }

    private static Optional<JobDirectory> make(JobSettings config, Path path) throws IOException {
        for (int attempt = 0; attempt < ATTEMPT_LIMIT; attempt++) {
            final Path passing = JobCleanup.passing(path);
            try {
                Files.createDirectory(passing, DIRECTORY_MODE);
            } catch (FileAlreadyExistsException ignored) {
                continue;
            }
            final JobDirectory made = fill(config, passing);
            if (made != null) {
                return made.appear(passing);
            }
        }
        throw new FileAlreadyExistsException(path + ".*", null, "no free name in " + ATTEMPT_LIMIT + " attempts");
    }

    /** Returns null if a sweeping process removed the new directory before this process had locked it. */
    @SuppressWarnings("StreamResourceLeak") // closed with the directory
    private static @Nullable JobDirectory fill(JobSettings config, Path passing) throws IOException {
        DirectoryStream<Path> opened = null;
        JobDirectory made = null;
        try {
            // The umask has cut the mode that it was made with.
            Files.setPosixFilePermissions(passing, JobCleanup.MODE);
            opened = Files.newDirectoryStream(passing);
            made = lock(config, passing, opened);
            return made;
        } catch (NoSuchFileException ignored) {
            return null;
        } catch (IOException e) {
            discard(passing, e);
            throw e;
        } finally {
            if (made == null && opened != null) {
                opened.close();
            }
        }
    }

    private static @Nullable JobDirectory lock(JobSettings config, Path passing, DirectoryStream<Path> opened)
            throws IOException {
        final Path file = passing.resolve(JOB_FILE);
        final FileChannel jobFile = FileChannel.open(file, Set.of(CREATE_NEW, READ, WRITE), FILE_MODE);
        try {
            Files.setPosixFilePermissions(file, FILE_MODE.value());
            if (JobCleanup.tryLock(jobFile) == null || Files.notExists(file, NOFOLLOW_LINKS)) {
                jobFile.close();
                return null;
            }
            final JobId id = JobId.random();
            final String text = JobCleanup.JOB_FILE_START + id + "\njob " + config.jobName() + "\npid " + Platform.pid()
                    + "\nstart " + Platform.startTime(Platform.pid()) + '\n';
            jobFile.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
            return new JobDirectory(config, id, JobCleanup.hold(passing), jobFile, opened);
        } catch (IOException e) {
            jobFile.close();
            throw e;
        }
    }

    /** Removes a directory that could not be filled. A failure to do so is added to the first one. */
    private static void discard(Path passing, IOException failure) {
        try {
            Files.deleteIfExists(passing.resolve(JOB_FILE));
            Files.deleteIfExists(passing);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private Optional<JobDirectory> appear(Path passing) throws IOException {
        try {
            Files.move(passing, path, StandardCopyOption.ATOMIC_MOVE);
            return Optional.of(this);
        } catch (FileSystemException e) {
            // Another process was faster: its directory is not empty, so the system did not replace it.
            LOGGER.log(Level.DEBUG, "{0} has been made by another process: {1}", path, e);
            JobCleanup.vanish(passing, opened);
            release();
            return Optional.empty();
        }
    }

    /** Returns the path of the directory, as long as the directory exists. */
    public Path path() {
        return path;
    }

    /** Returns the id of this run of the job. */
    public JobId id() {
        return id;
    }

    /**
     * Removes the directory, or marks it if it is to be kept. Called when every process has mapped every file.
     *
     * @param isUsed whether transports keep files in it until the job ends: then the node files alone are removed now
     */
    void allMapped(boolean isUsed) {
        synchronized (JobDirectory.class) {
            if (config.keep() && !closed) {
                mark();
            } else if (isUsed && !closed) {
                removeNodes();
            } else {
                close();
            }
        }
    }

    private void removeNodes() {
        try {
            for (int rank = 0; rank < config.size() && key.equals(JobCleanup.key(path)); rank++) {
                Files.deleteIfExists(nodeFile(path, rank));
            }
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, "cannot remove the node files in " + path + ", they go when the job ends", e);
        }
    }

    /** Returns the path of a rank's node file in the directory of its job. */
    public static Path nodeFile(Path directory, int rank) {
        return directory.resolve("node-" + rank);
    }

    private void mark() {
        try {
            final Path mark = path.resolve(KEPT_FILE);
            FileChannel.open(mark, Set.of(CREATE_NEW, WRITE), FILE_MODE).close();
            Files.setPosixFilePermissions(mark, FILE_MODE.value());
            kept = true;
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, "cannot mark " + path + " to be kept, it goes when the job ends", e);
        }
    }

    /** Removes the directory unless it is to be kept, and releases the lock. May be called twice. */
    @Override
    public void close() {
        synchronized (JobDirectory.class) {
            if (!closed) {
                if (config.keep() && !kept) {
                    // A failed start is the case that users most want to inspect.
                    mark();
                }
                closed = true;
                remove();
                release();
            }
        }
    }

    private void remove() {
        try {
            // A user may have removed it by hand, and a job of the same name may have created its own there since.
            if (!kept && key.equals(JobCleanup.key(path))) {
                JobCleanup.vanish(path, opened);
            }
        } catch (NoSuchFileException ignored) {
            LOGGER.log(Level.DEBUG, "{0} has been removed by another process", path);
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, "cannot remove the job directory " + path + ", the next start will", e);
        }
    }

    private void release() {
        JobCleanup.letGo(key);
        try (opened) {
            jobFile.close();
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, "cannot close the job file of " + path, e);
        }
    }
}
