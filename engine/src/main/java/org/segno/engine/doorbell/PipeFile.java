package org.segno.engine.doorbell;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.segno.engine.job.Platform;

/**
 * Anonymous pipe of a process of this user, opened through {@code /proc}. It has no name, so that nothing of it remains
 * when its processes end. Any thread.
 *
 * <p>It is opened for reading and writing. Therefore a write never fails for want of a reader.
 */
final class PipeFile implements AutoCloseable {
    /**
     * Path of the descriptors of this process. In a PID namespace without a /proc of its own, only this one is valid.
     */
    static final Path OWN = Path.of("/proc/self/fd");

    private static final String PREFIX = "pipe:[";
    private static final int BYTE = 1;

    private final RandomAccessFile file;
    private final FileInputStream input;

    private PipeFile(RandomAccessFile file) throws IOException {
        this.file = file;
        this.input = new FileInputStream(file.getFD());
    }

    /** Returns the path of a descriptor of a process. */
    static Path path(long pid, int descriptor) {
        final Path directory = pid == Platform.pid() ? OWN : Path.of("/proc", Long.toString(pid), "fd");
        return directory.resolve(Integer.toString(descriptor));
    }

    /** Returns the inode number of the pipe at a path of {@code /proc}, or 0 if it is none or not accessible. */
    static long inode(Path path) {
        try {
            final String link = Files.readSymbolicLink(path).toString();
            return link.startsWith(PREFIX) ? Long.parseLong(link, PREFIX.length(), link.length() - 1, 10) : 0;
        } catch (IOException | RuntimeException ignored) {
            return 0;
        }
    }

    /** Opens the pipe at a path for which {@link #inode} has returned its number. */
    static PipeFile open(Path path) throws IOException {
        final RandomAccessFile opened = new RandomAccessFile(path.toString(), "rw");
        try {
            return new PipeFile(opened);
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }

    /** Returns the number of bytes in the pipe. */
    int available() throws IOException {
        return input.available();
    }

    /**
     * Writes a byte unless the pipe contains one. Its reader wakes by the first one, and makes a pass after it has read
     * it. So the pipe never has more bytes than writers at one moment, and a write does not block, even if the reader
     * is stopped.
     */
    void ring() throws IOException {
        if (input.available() == 0) {
            file.write(BYTE);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
