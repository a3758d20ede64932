package org.segno.tools.journal.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.Console;
import org.segno.tools.command.ExitCode;
import org.segno.tools.journal.Journal;
import org.segno.tools.journal.JournalRecord;
import org.segno.tools.output.Format;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code segno journal export}: a journal in a format of other programs. */
@Command(
        name = "export",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        description = "Write a journal, or the lines that the options select, into a file of another format.",
        footer = {
            "",
            "json, ndjson, csv: the lines of 'segno journal cat'; chrome: trace events, which",
            "Perfetto opens; hgrm: times of replayed rounds by percentile, in microseconds.",
            "Exit code: 0; 1 when the journal is damaged, after everything before the",
            "damage; 3 for a journal of another version or byte order, or a file that cannot",
            "be written; 4 without a journal, or a pattern that --pattern names."
        })
final class ExportCommand implements Callable<Integer> {
    /** Formats of the file. */
    enum Target {
        JSON,
        NDJSON,
        CSV,
        CHROME,
        HGRM
    }

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "directory of the journal")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path directory;

    @Option(names = "-o", paramLabel = "F", required = true, description = "the file")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path file;

    @Option(
            names = "--to",
            paramLabel = "FORMAT",
            description = "json, ndjson, csv, chrome or hgrm; default by the end of the file's name")
    private @Nullable Target target;

    @Mixin
    private final LineFilter filter = new LineFilter();

    ExportCommand() {}

    @Override
    public Integer call() {
        final String unknown = filter.unknownKind();
        if (unknown != null) {
            throw new ParameterException(
                    spec.commandLine(), "--kind has no '" + unknown + "': use " + String.join(", ", JournalLine.KINDS));
        }
        if (file.toAbsolutePath()
                .normalize()
                .startsWith(directory.toAbsolutePath().normalize())) {
            throw new ParameterException(
                    spec.commandLine(), "-o must name a file outside the journal " + directory + ": " + file);
        }
        final Target format = target == null ? byName() : target;
        try (Journal journal = JournalFile.open(directory, filter.ranks()::test);
                PrintWriter out = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8))) {
            final long startNs = journal.startNs();
            final Predicate<JournalLine> wanted = filter.of(startNs);
            JournalFile.checked(() -> {
                export(journal, exporter(format, out, journal, startNs), wanted);
                return journal;
            });
            if (out.checkError()) {
                throw new IOException("no room, or the device has failed");
            }
            filter.requirePatterns(directory);
            final int exitCode = JournalFile.reportEnds(journal, Console.of(spec));
            Console.of(spec).message(file + " written");
            return exitCode;
        } catch (final IOException e) {
            throw new CommandException(ExitCode.NOT_FIT, file + " cannot be written: " + e);
        }
    }

    private Target byName() {
        final String name = file.getFileName().toString();
        final String suffix = name.substring(name.lastIndexOf('.') + 1).toUpperCase(Locale.ROOT);
        for (final Target each : Target.values()) {
            if (each.name().equals(suffix)) {
                return each;
            }
        }
        throw new ParameterException(
                spec.commandLine(),
                "--to is needed, because the name of the file does not end in .json, .ndjson, .csv, .chrome or .hgrm: "
                        + file);
    }

    private static LineExporter exporter(Target format, PrintWriter out, Journal journal, long startNs) {
        return switch (format) {
            case CHROME -> new ChromeExporter(out, journal.headers(), startNs);
            case HGRM -> new HistogramExporter(out);
            case JSON -> new LineExporter.OfLines(new LinePrinter(out, Format.JSON, true, startNs));
            case NDJSON -> new LineExporter.OfLines(new LinePrinter(out, Format.NDJSON, true, startNs));
            case CSV -> new LineExporter.OfLines(new LinePrinter(out, Format.CSV, true, startNs));
        };
    }

    private static void export(Journal journal, LineExporter exporter, Predicate<JournalLine> wanted) {
        exporter.begin();
        for (JournalRecord record = journal.next(); record != null; record = journal.next()) {
            final JournalRecord current = record;
            JournalLine.of(record, line -> {
                if (wanted.test(line)) {
                    exporter.add(current, line);
                }
            });
        }
        exporter.end();
    }
}
