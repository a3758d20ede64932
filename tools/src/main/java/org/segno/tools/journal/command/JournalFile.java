package org.segno.tools.journal.command;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.Console;
import org.segno.tools.command.ExitCode;
import org.segno.tools.journal.Journal;
import org.segno.tools.journal.JournalEnd;
import org.segno.tools.journal.JournalEnd.State;
import org.segno.tools.journal.JournalException;
import org.segno.tools.journal.JournalRecord;

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

    /** Looks for what has begun since the journal was opened. */
    static void refresh(Journal journal) {
        checked(() -> {
            journal.refresh();
            return journal;
        });
    }

    /** Returns the next record, or null if there is none at present. */
    static @Nullable JournalRecord next(Journal journal) {
        return checked(() -> Optional.ofNullable(journal.next())).orElse(null);
    }

    /**
     * Reports the ranks whose journal is damaged or ends without its last record, and that ranks are missing, after
     * everything before was printed.
     *
     * @return the exit code
     */
    static int reportEnds(Journal journal, Console console) {
        if (!journal.isWhole()) {
            console.message("not every rank of the job has a journal in " + journal.directory());
        }
        for (final JournalEnd end : journal.ends()) {
            if (end.state() == State.OPEN) {
                console.message("open after " + end.records() + " records: " + end.place() + ": " + end.reason());
            }
        }
        return reportDamage(journal, console);
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
