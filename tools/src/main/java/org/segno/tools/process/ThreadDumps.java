package org.segno.tools.process;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.segno.tools.command.Console;

/**
 * Requests for thread dumps of JVMs. A JVM prints its dump on standard output, or on standard error with {@code
 * -XX:+DisplayVMOutputToStderr}.
 */
public final class ThreadDumps {
    private static final long LIMIT_MS = 2_000;

    private ThreadDumps() {}

    /**
     * Sends QUIT. Java cannot send it, so a shell's built-in kill does: not every container has the program.
     *
     * <p>The signal has arrived when this method returns, unless that takes seconds. A JVM prints its dump before it
     * handles a TERM that follows.
     *
     * @param pids process ids of JVMs; QUIT would end any other process
     */
    public static void request(List<String> pids, Console console) throws InterruptedException {
        final List<String> command = new ArrayList<>(List.of("sh", "-c", "kill -QUIT \"$@\"", "segno"));
        command.addAll(pids);
        try {
            final Process kill = new ProcessBuilder(command)
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.INHERIT)
                    .start();
            if (!kill.waitFor(LIMIT_MS, TimeUnit.MILLISECONDS)) {
                console.problem("thread dumps may come late: QUIT could not be sent within " + LIMIT_MS + " ms");
            }
        } catch (final IOException e) {
            console.problem("no thread dumps: " + e.getMessage());
        }
    }
}
