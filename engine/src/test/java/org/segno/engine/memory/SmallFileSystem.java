package org.segno.engine.memory;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * File system of a few megabytes, mounted for a test. Where this user may not mount, the test is skipped with the
 * reason.
 */
public final class SmallFileSystem implements AutoCloseable {
    private static final long SECONDS = 20;

    private final Path mountPoint;

    private SmallFileSystem(Path mountPoint) {
        this.mountPoint = mountPoint;
    }

    /** Mounts a tmpfs on a directory. */
    public static SmallFileSystem mount(Path mountPoint, int megabytes) {
        final int status = run("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", mountPoint.toString());
        assumeTrue(status == 0, "this user may not mount a tmpfs: run as root to test full file systems");
        return new SmallFileSystem(mountPoint);
    }

    /** Returns the free bytes. */
    public long usable() throws IOException {
        return Files.getFileStore(mountPoint).getUsableSpace();
    }

    /** Unmounts it lazily: its mapped memory stays mapped until the mapping is collected. */
    @Override
    public void close() {
        final int status = run("umount", "-l", mountPoint.toString());
        if (status != 0) {
            throw new AssertionError("cannot unmount " + mountPoint);
        }
    }

    private static int run(String... command) {
        try {
            final Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(SECONDS, TimeUnit.SECONDS) ? process.exitValue() : -1;
        } catch (final IOException noSuchCommand) {
            return -1;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return -1;
        }
    }
}
