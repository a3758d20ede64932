package org.segno.bench.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * End of a worker when its parent is gone. The worker's standard input then ends, in whichever way the parent ended.
 */
final class ParentWatch {
    private static final int ORPHANED = 143;

    private ParentWatch() {}

    /** Watches standard input on a daemon thread, which sleeps in a read until the parent ends. */
    static void hold(Path directory) {
        final Thread thread = new Thread(() -> watch(directory), "bench-lifeline");
        thread.setDaemon(true);
        thread.start();
    }

    private static void watch(Path directory) {
        try {
            while (System.in.read() >= 0) {
                // The parent never writes.
            }
            RunDirectory.delete(directory);
        } catch (IOException | UncheckedIOException e) {
            // The other worker deletes the directory at the same time, and no process is left to receive an error.
        }
        Runtime.getRuntime().halt(ORPHANED);
    }
}
