package org.segno.tools.journal.command;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.segno.tools.command.Console;
import org.segno.tools.journal.Journal;
import org.segno.tools.journal.JournalRecord;
import org.segno.tools.journal.RecordKind;
import org.segno.tools.journal.command.TrafficStatistic.By;
import org.segno.tools.output.Format;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code segno journal stat}: counts, bytes, rates and gaps. */
@Command(
        name = "stat",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        description = "Count the descriptors of a journal, those of each replayed round among them.",
        footer = {
            "",
            "With --by pattern: 'injected anew' is the median time of recorded rounds, in",
            "which the application injects each descriptor; 'replay' that of replayed ones,",
            "both on the engine. 'segno journal replay' measures both again.",
            "Exit code: 0; 1 when the journal is damaged, after everything before the",
            "damage; 3 for a journal of another version or byte order; 4 without one."
        })
final class JournalStatCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "directory of the journal")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path directory;

    @Option(
            names = "--by",
            paramLabel = "ROWS",
            defaultValue = "rank",
            description = "rank, peer, kind or pattern, default ${DEFAULT-VALUE}")
    private By by = By.RANK;

    @Option(
            names = "--format",
            paramLabel = "F",
            defaultValue = "table",
            description = "table, csv, json or ndjson, default ${DEFAULT-VALUE}")
    private Format format = Format.TABLE;

    private long lostRecords;

    JournalStatCommand() {}

    @Override
    public Integer call() {
        try (Journal journal = JournalFile.open(directory, rank -> true)) {
            final Table table;
            if (by == By.PATTERN) {
                final PatternStatistic statistic = new PatternStatistic();
                read(journal, statistic::add);
                table = statistic.table();
            } else {
                final TrafficStatistic statistic = new TrafficStatistic(by);
                read(journal, statistic::add);
                table = statistic.table();
            }
            final Report report = new Report("segno-journal-stat-1", "").add(table);
            if (table.size() == 0) {
                report.note("nothing recorded");
            }
            if (by != By.RANK && lostRecords != 0) {
                report.note("something is missing: 'segno journal stat --by rank' counts it");
            }
            report.print(spec.commandLine().getOut(), format);
            return JournalFile.reportEnds(journal, Console.of(spec));
        }
    }

    private void read(Journal journal, Consumer<JournalRecord> statistic) {
        JournalFile.checked(() -> {
            for (JournalRecord record = journal.next(); record != null; record = journal.next()) {
                statistic.accept(record);
                lostRecords += record.kind() == RecordKind.LOST ? record.lostRecords() : 0;
            }
            return journal;
        });
    }
}
