package org.segno.tools.journal.command;

import java.nio.file.Path;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.Console;
import org.segno.tools.command.ExitCode;
import org.segno.tools.journal.Journal;
import org.segno.tools.journal.JournalEnd;
import org.segno.tools.journal.JournalEnd.State;
import org.segno.tools.journal.JournalException;
import org.segno.tools.journal.JournalHeader;

/** Opening of journals for commands, whose failures end the command with the right exit code. */
final class JournalFile {
    private JournalFile() {}

    /** Opens the journals of the ranks that {@code wanted} accepts. */
    static Journal open(Path directory, IntPredicate wanted) {
        return checked(() -> Journal.open(directory, wanted));
    }

    /** Calls a function that reads a journal. */
    static <T> T checked(Supplier<T> function) {
        try {
            return function.get();
        } catch (final JournalException e) {
            throw new CommandException(
                    e.isMissing() ? ExitCode.NOTHING_THERE : ExitCode.NOT_FIT, String.valueOf(e.getMessage()));
        }
    }

    /** Returns the earliest reference of the ranks in nanoseconds since 1970, the origin of the times of lines. */
    static long startNs(Journal journal) {
        return journal.headers().stream()
                .mapToLong(JournalHeader::epochNs)
                .min()
                .orElse(0);
    }

    /**
     * Reports the ranks whose journal is damaged, after everything before was printed.
     *
     * @return the exit code
     */
    static int reportDamage(Journal journal, Console console) {
        int exitCode = ExitCode.DONE;
        for (final JournalEnd end : journal.ends()) {
            if (end.state() == State.DAMAGED) {
                console.problem("damaged after " + end.records() + " records: " + end.place() + ": " + end.reason());
                exitCode = ExitCode.NEGATIVE_RESULT;
            }
        }
        return exitCode;
    }
}
