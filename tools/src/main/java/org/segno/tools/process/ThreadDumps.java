package org.segno.tools.process;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.segno.tools.Talk;

/**
 * Asks JVMs for their thread dumps, which they print on their standard output, or on standard error where {@code
 * -XX:+DisplayVMOutputToStderr} says so.
 */
public final class ThreadDumps {
    private static final long LIMIT_MS = 2_000;

    private ThreadDumps() {}

    /**
     * Sends QUIT, which Java cannot send: a shell's own kill does, as not every container has the program.
     * When this returns the signal is there, unless that took seconds: a JVM prints its dump before it looks at a TERM that
     * comes behind.
     *
     * @param pids process ids of JVMs; any other process would die of it
     */
    public static void request(List<String> pids, Talk talk) throws InterruptedException {
        final List<String> command = new ArrayList<>(List.of("sh", "-c", "kill -QUIT \"$@\"", "segno"));
        command.addAll(pids);
        try {
            final Process kill = new ProcessBuilder(command)
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.INHERIT)
                    .start();
            if (!kill.waitFor(LIMIT_MS, TimeUnit.MILLISECONDS)) {
                talk.problem("thread dumps may come late: QUIT could not be sent within " + LIMIT_MS + " ms");
            }
        } catch (final IOException e) {
            talk.problem("no thread dumps: " + e.getMessage());
        }
    }
}
