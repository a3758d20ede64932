package org.segno.tools.process;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import org.segno.tools.Talk;

/** Asks JVMs for their thread dumps, which they print on their standard output. */
public final class ThreadDumps {
    private ThreadDumps() {}

    /**
     * Sends QUIT, which Java cannot send: a shell's own kill does, as not every container has the program.
     *
     * @param pids process ids of JVMs; any other process would die of it
     */
    public static void request(List<String> pids, Talk talk) {
        final List<String> command = new ArrayList<>(List.of("sh", "-c", "kill -QUIT \"$@\"", "segno"));
        command.addAll(pids);
        try {
            new ProcessBuilder(command)
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.INHERIT)
                    .start();
        } catch (final IOException e) {
            talk.problem("no thread dumps: " + e.getMessage());
        }
    }
}
