package org.segno.tools.journal.command;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.segno.tools.command.Console;
import org.segno.tools.journal.Journal;
import org.segno.tools.journal.JournalEnd.State;
import org.segno.tools.journal.JournalRecord;
import org.segno.tools.output.Format;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code segno journal cat}: one line per descriptor and per round. */
@Command(
        name = "cat",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        description = "Print a journal, one line per descriptor and per round of a pattern.",
        footer = {
            "",
            "Exit code: 0; 1 when the journal is damaged, after everything before the",
            "damage; 3 for a journal of another version or byte order; 4 without one, or",
            "without a pattern that --pattern names."
        })
final class CatCommand implements Callable<Integer> {
    private static final long FOLLOW_NS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Number of records between two looks for ranks that have begun later. */
    private static final int RECORDS_PER_LOOK = 1024;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "directory of the journal")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path directory;

    @Mixin
    private final LineFilter filter = new LineFilter();

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "0",
            description = "largest number of lines; 0, the default, for all")
    private long limit;

    @Option(names = "--follow", description = "wait for more until the ranks have closed their nodes or ended")
    private boolean follow;

    @Option(names = "--reverse", description = "last line first; with --limit the last N lines; without, all in memory")
    private boolean reverse;

    @Option(names = "--no-index", description = "omit the sequence numbers of the records")
    private boolean noIndex;

    @Option(
            names = "--format",
            paramLabel = "F",
            defaultValue = "table",
            description = "table, csv, json or ndjson, default ${DEFAULT-VALUE}")
    private Format format = Format.TABLE;

    CatCommand() {}

    @Override
    public Integer call() {
        final String unknown = filter.unknownKind();
        if (unknown != null) {
            throw new ParameterException(
                    spec.commandLine(), "--kind has no '" + unknown + "': use " + String.join(", ", JournalLine.KINDS));
        }
        if (follow && reverse) {
            throw new ParameterException(spec.commandLine(), "--follow has no last line: omit --reverse");
        }
        if (limit < 0) {
            throw new ParameterException(spec.commandLine(), "--limit must be 0 or more: " + limit);
        }
        try (Journal journal = JournalFile.open(directory, filter.ranks()::test)) {
            awaitStart(journal);
            final long startNs = journal.startNs();
            final LinePrinter printer = new LinePrinter(spec.commandLine().getOut(), format, !noIndex, startNs);
            printer.begin();
            boolean isRead = true;
            if (reverse) {
                printReversed(journal, filter.of(startNs), printer);
            } else {
                isRead = print(journal, filter.of(startNs), printer);
            }
            printer.end();
            final Console console = Console.of(spec);
            if (isRead) {
                filter.requirePatterns(directory);
            }
            return isRead ? JournalFile.reportEnds(journal, console) : JournalFile.reportDamage(journal, console);
        }
    }

    /** Prints lines up to the limit. Returns true if it has read the whole journal. */
    private boolean print(Journal journal, Predicate<JournalLine> wanted, LinePrinter printer) {
        final long[] left = {limit == 0 ? Long.MAX_VALUE : limit};
        boolean hadEnded = false;
        for (int records = 1; left[0] > 0; records++) {
            if (follow && records % RECORDS_PER_LOOK == 0 && !journal.isWhole()) {
                JournalFile.refresh(journal);
            }
            final JournalRecord record = JournalFile.next(journal);
            if (record != null) {
                JournalLine.of(record, line -> {
                    if (left[0] > 0 && wanted.test(line)) {
                        printer.print(line);
                        left[0]--;
                    }
                });
            } else if (!follow || isComplete(journal) || (hadEnded && journal.haveProcessesEnded())) {
                return true;
            } else if (spec.commandLine().getOut().checkError()) {
                return false;
            } else {
                // What a process has written before its end is read after it.
                hadEnded = journal.haveProcessesEnded();
                await(journal);
            }
        }
        return false;
    }

    /** Waits for the first header. It has the start, from which the times of lines count. */
    private void awaitStart(Journal journal) {
        while (follow && journal.startNs() == 0 && !spec.commandLine().getOut().checkError()) {
            await(journal);
        }
    }

    private static void await(Journal journal) {
        LockSupport.parkNanos(FOLLOW_NS);
        JournalFile.refresh(journal);
    }

    private static boolean isComplete(Journal journal) {
        return journal.isWhole() && journal.ends().stream().noneMatch(end -> end.state() == State.OPEN);
    }

    private void printReversed(Journal journal, Predicate<JournalLine> wanted, LinePrinter printer) {
        final Deque<JournalLine> last = new ArrayDeque<>();
        for (JournalRecord record = JournalFile.next(journal); record != null; record = JournalFile.next(journal)) {
            JournalLine.of(record, line -> {
                if (wanted.test(line)) {
                    last.addFirst(line);
                    if (limit != 0 && last.size() > limit) {
                        last.removeLast();
                    }
                }
            });
        }
        last.forEach(printer::print);
    }
}
