package org.segno.tools.process;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Termination of the ranks by the kernel when the launcher dies without a chance to terminate them itself (kill -9).
 *
 * <p>A rank that has joined its job detects the death by the end of its socket to the hub. Before that, and for
 * programs that never join, Linux offers a way: a process may request a signal at its parent's death. {@code setpriv}
 * of util-linux makes this request and then becomes the program, under the same process id.
 *
 * <p>Without {@code setpriv} such programs outlive a killed launcher. A program that ignores TERM outlives it in any
 * case.
 */
public final class ParentDeathSignal {
    private static final List<String> PREFIX = List.of("setpriv", "--pdeathsig", "TERM", "--");
    private static final long PROBE_LIMIT_MS = 2_000;

    private ParentDeathSignal() {}

    /** Returns the words to put in front of a rank's command, or none if this system does not support them. */
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
            // setpriv is missing; the class's Javadoc describes the consequence.
        }
        return List.of();
    }
}
