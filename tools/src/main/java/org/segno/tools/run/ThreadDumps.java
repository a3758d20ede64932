package org.segno.tools.run;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import org.segno.tools.Talk;

/** Asks the JVMs among the ranks for their thread dumps, which they print on their standard output. */
final class ThreadDumps {
    private ThreadDumps() {}

    /** Sends QUIT, which Java cannot send: a shell's own kill does, as not every container has the program. */
    static void request(List<RankProcess> ranks, Talk talk) {
        final List<String> command = new ArrayList<>(List.of("sh", "-c", "kill -QUIT \"$@\"", "segno"));
        final int words = command.size();
        for (final RankProcess rank : ranks) {
            if (rank.fate().running()) {
                final List<String> found = rank.virtualMachines();
                if (found.isEmpty()) {
                    talk.say("rank " + rank.fate().rank() + " is no JVM: it has no thread dump");
                }
                command.addAll(found);
            }
        }
        if (command.size() > words) {
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
}
