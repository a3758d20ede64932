package org.segno.bench.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** Ends a worker whose parent is gone, however the parent went: its standard input ends then. */
final class Lifeline {
    private static final int ORPHANED = 143;

    private Lifeline() {}

    /** Watches standard input on a daemon thread, which sleeps in a read until the parent ends. */
    static void hold(Path directory) {
        final Thread thread = new Thread(() -> watch(directory), "bench-lifeline");
        thread.setDaemon(true);
        thread.start();
    }

    private static void watch(Path directory) {
        try {
            while (System.in.read() >= 0) {
                // Nothing is ever written.
            }
            RunDirectory.delete(directory);
        } catch (IOException | UncheckedIOException e) {
            // The other worker deletes at the same time, and who is left behind has nobody to tell.
        }
        Runtime.getRuntime().halt(ORPHANED);
    }
}
