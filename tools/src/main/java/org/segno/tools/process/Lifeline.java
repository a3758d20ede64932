package org.segno.tools.process;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Lets the kernel send TERM to the ranks when the launcher dies without a chance to do it itself (kill -9).
 *
 * <p>A rank that has joined its job has a lifeline of its own, the socket to the hub. Before that, and for programs
 * that never join, Linux helps: a process may ask for a signal at its parent's death, and {@code setpriv} of util-linux
 * asks and then becomes the program, under the same process id. Where it is missing such programs outlive a killed
 * launcher; a program that ignores TERM does in any case.
 */
public final class Lifeline {
    private static final List<String> PREFIX = List.of("setpriv", "--pdeathsig", "TERM", "--");
    private static final long PROBE_LIMIT_MS = 2_000;

    private Lifeline() {}

    /** The words to put in front of a rank's command; none where this system cannot do it. */
    public static List<String> prefix() throws InterruptedException {
        final ProcessBuilder probe = new ProcessBuilder("setpriv", "--pdeathsig", "TERM", "--", "true")
                .redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD);
        try {
            final Process process = probe.start();
            if (process.waitFor(PROBE_LIMIT_MS, TimeUnit.MILLISECONDS)) {
                return process.exitValue() == 0 ? PREFIX : List.of();
            }
            process.destroyForcibly();
        } catch (final IOException ignored) {
            // No setpriv here: the Javadoc above says what that means.
        }
        return List.of();
    }
}
