package org.segno.tools.journal.command;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.segno.tools.command.ExitCode;
import org.segno.tools.journal.Journal;
import org.segno.tools.journal.JournalEnd;
import org.segno.tools.journal.JournalEnd.State;
import org.segno.tools.journal.JournalRecord;
import org.segno.tools.journal.RecordKind;
import org.segno.tools.output.Format;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code segno journal verify}: checks every record of a journal. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        description = {
            "Check every record, up to the first bad one of each rank.",
            "Checked are its length, its checksum and its sequence number."
        },
        footer = {
            "",
            "Exit code: 0 when the journal of every rank is complete; 1 when one is damaged,",
            "or ends without its last record; 3 for another version or byte order; 4",
            "without a journal."
        })
final class VerifyCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "directory of the journal")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path directory;

    @Option(
            names = "--format",
            paramLabel = "F",
            defaultValue = "table",
            description = "table, csv, json or ndjson, default ${DEFAULT-VALUE}")
    private Format format = Format.TABLE;

    VerifyCommand() {}

    @Override
    public Integer call() {
        try (Journal journal = JournalFile.open(directory, rank -> true)) {
            final Map<Integer, long[]> lost = JournalFile.checked(() -> lostByRank(journal));
            final List<JournalEnd> ends = journal.ends();
            final boolean isWhole = ends.stream().allMatch(end -> end.state() == State.COMPLETE) && journal.isWhole();
            final Table table = Table.of(
                    "ranks", "rank", "state", "records", "lostDescriptors", "lostRounds", "lostBytes", "end", "reason");
            final List<Integer> ranks = journal.ranks();
            for (int i = 0; i < ranks.size(); i++) {
                final JournalEnd end = ends.get(i);
                final long[] missing = lost.getOrDefault(ranks.get(i), new long[3]);
                table.row(
                        ranks.get(i),
                        end.state().name().toLowerCase(Locale.ROOT),
                        end.records(),
                        missing[0],
                        missing[1],
                        missing[2],
                        end.place(),
                        end.reason());
            }
            final Report report = new Report("segno-journal-verify-1", "")
                    .put("whole", isWhole)
                    .add(table);
            if (!journal.isWhole()) {
                report.note("journals of ranks are missing: the job has " + journal.size() + " ranks");
            }
            report.print(spec.commandLine().getOut(), format);
            return isWhole ? ExitCode.DONE : ExitCode.NEGATIVE_RESULT;
        }
    }

    /** Reads everything, and returns the descriptors, rounds and bytes of payloads that records state to be missing. */
    private static Map<Integer, long[]> lostByRank(Journal journal) {
        final Map<Integer, long[]> lost = new TreeMap<>();
        for (JournalRecord record = journal.next(); record != null; record = journal.next()) {
            if (record.kind() == RecordKind.LOST || record.kind() == RecordKind.END) {
                final long[] missing = lost.computeIfAbsent(record.rank(), rank -> new long[3]);
                // The last record has the totals.
                final boolean isTotal = record.kind() == RecordKind.END;
                missing[0] = record.lostDescriptors() + (isTotal ? 0 : missing[0]);
                missing[1] = record.lostRounds() + (isTotal ? 0 : missing[1]);
                missing[2] = record.lostBytes() + (isTotal ? 0 : missing[2]);
            }
        }
        return lost;
    }
}
