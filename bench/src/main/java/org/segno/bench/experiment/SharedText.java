package org.segno.bench.experiment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;

/** Text that one worker writes into a file of the run's directory and the other one reads. */
public final class SharedText {
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(20);

    private SharedText() {}

    /** Writes a file that appears under its name when it is complete. */
    public static void write(Path file, String text) throws IOException {
        final Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        Files.writeString(unfinished, text);
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * Waits for a file and reads it.
     *
     * @param meanwhile run again and again while this waits
     * @throws IOException if the file does not appear within 20 s
     */
    public static String await(Path file, Runnable meanwhile) throws IOException {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        while (!Files.exists(file)) {
            if (System.nanoTime() - deadlineNs > 0) {
                throw new IOException("the other worker has not written " + file + " within 20 s");
            }
            meanwhile.run();
        }
        return Files.readString(file);
    }
}
