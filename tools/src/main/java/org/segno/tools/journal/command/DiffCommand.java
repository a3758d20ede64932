package org.segno.tools.journal.command;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.segno.tools.command.Console;
import org.segno.tools.command.ExitCode;
import org.segno.tools.journal.Journal;
import org.segno.tools.journal.JournalEnd;
import org.segno.tools.journal.JournalRecord;
import org.segno.tools.output.Format;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code segno journal diff}: the first difference of two journals. */
@Command(
        name = "diff",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        description = {
            "Compare two journals, and print the first difference.",
            "They are compared rank by rank and FIFO by FIFO, because only the order within a",
            "FIFO is that of the program."
        },
        footer = {
            "",
            "Exit code: 0 when they are equal; 1 when they differ or one is damaged; 3 for a",
            "journal of another version or byte order; 4 without one."
        })
final class DiffCommand implements Callable<Integer> {
    private static final int CONTEXT_LINES = 3;
    private static final String BOTH = " ";

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "A", description = "directory of a journal")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path first;

    @Parameters(index = "1", paramLabel = "B", description = "directory of another journal")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path second;

    @Option(names = "--ignore-time", description = "ignore times since the start, and durations")
    private boolean ignoreTime;

    @Option(
            names = "--format",
            paramLabel = "F",
            defaultValue = "table",
            description = "table, csv, json or ndjson, default ${DEFAULT-VALUE}")
    private Format format = Format.TABLE;

    DiffCommand() {}

    @Override
    public Integer call() {
        final List<Integer> ranks = ranks(first);
        final List<Integer> others = ranks(second);
        final Table table = new Table("difference", columns());
        String place = "";
        if (!ranks.equals(others)) {
            place = "ranks " + ranks + " in " + first + ", " + others + " in " + second;
        }
        for (int i = 0; i < ranks.size() && place.isEmpty(); i++) {
            place = compare(ranks.get(i), table);
        }
        new Report("segno-journal-diff-1", place.isEmpty() ? "no difference" : place)
                .put("equal", place.isEmpty())
                .put("place", place)
                .add(table)
                .print(spec.commandLine().getOut(), format);
        final boolean isDamaged = isDamaged(first);
        return isDamaged(second) || isDamaged || !place.isEmpty() ? ExitCode.NEGATIVE_RESULT : ExitCode.DONE;
    }

    /** Reads a journal to its end, and reports where it is damaged. */
    private boolean isDamaged(Path directory) {
        try (Journal journal = JournalFile.open(directory, rank -> true)) {
            for (JournalRecord record = JournalFile.next(journal); record != null; record = JournalFile.next(journal)) {
                Objects.requireNonNull(record);
            }
            return JournalFile.reportDamage(journal, Console.of(spec)) != ExitCode.DONE;
        }
    }

    private static List<String> columns() {
        final List<String> columns = new ArrayList<>(List.of("in"));
        columns.addAll(JournalLine.COLUMNS);
        return columns;
    }

    private static List<Integer> ranks(Path directory) {
        try (Journal journal = JournalFile.open(directory, rank -> true)) {
            return journal.ranks();
        }
    }

    /** Compares the journals of a rank. Returns the place of the first difference, or an empty text. */
    private String compare(int rank, Table table) {
        final Set<String> fifos = new TreeSet<>(fifos(first, rank));
        fifos.addAll(fifos(second, rank));
        for (final String fifo : fifos) {
            final String place = compare(rank, fifo, table);
            if (!place.isEmpty()) {
                return place;
            }
        }
        final JournalEnd.State end = end(first, rank);
        final JournalEnd.State other = end(second, rank);
        return end == other ? "" : "rank " + rank + ": " + first + " is " + end + ", " + second + " is " + other;
    }

    private static Set<String> fifos(Path directory, int rank) {
        final Set<String> fifos = new TreeSet<>();
        try (LineReader reader = LineReader.open(directory, rank, null)) {
            for (JournalLine line = reader.next(); line != null; line = reader.next()) {
                fifos.add(line.fifo());
            }
        }
        return fifos;
    }

    private static JournalEnd.State end(Path directory, int rank) {
        try (Journal journal = JournalFile.open(directory, number -> number == rank)) {
            for (JournalRecord record = JournalFile.next(journal); record != null; record = JournalFile.next(journal)) {
                Objects.requireNonNull(record);
            }
            return journal.ends().get(0).state();
        }
    }

    private String compare(int rank, String fifo, Table table) {
        try (LineReader one = LineReader.open(first, rank, fifo);
                LineReader other = LineReader.open(second, rank, fifo)) {
            final Deque<JournalLine> context = new ArrayDeque<>();
            long count = 0;
            while (true) {
                final JournalLine line = one.next();
                final JournalLine otherLine = other.next();
                if (line == null && otherLine == null) {
                    return "";
                }
                if (line == null || otherLine == null || !isSame(one.key(line), other.key(otherLine))) {
                    context.forEach(each -> add(table, BOTH, each, one.startNs()));
                    add(table, "A", line, one.startNs());
                    add(table, "B", otherLine, other.startNs());
                    return "rank " + rank + ", FIFO " + fifo + ", line " + (count + 1)
                            + (line == null ? ", where A has no more" : "")
                            + (otherLine == null ? ", where B has no more" : "");
                }
                context.addLast(line);
                if (context.size() > CONTEXT_LINES) {
                    context.removeFirst();
                }
                count++;
            }
        }
    }

    private boolean isSame(LineReader.Key one, LineReader.Key other) {
        return one.text().equals(other.text()) && (ignoreTime || one.timeNs() == other.timeNs());
    }

    private static void add(Table table, String side, @Nullable JournalLine line, long startNs) {
        if (line != null) {
            final List<@Nullable Object> cells = new ArrayList<>(List.of(side));
            cells.addAll(Arrays.asList(line.cells(startNs)));
            table.row(cells.toArray());
        }
    }
}
