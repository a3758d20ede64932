package org.segno.bench.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.segno.tools.command.Version;
import org.segno.tools.output.Format;
import org.segno.tools.output.Report;

/**
 * Files with the results of runs, named by the start of the process and the commit:
 * {@code 20261122-234501-1a2b3c4.json}.
 */
public final class ResultFiles {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private ResultFiles() {}

    /** Writes a report as JSON to a new file of a directory, which is created if needed. Returns the file. */
    public static Path write(Path directory, Report report) throws IOException {
        Files.createDirectories(directory);
        final Instant start = ProcessHandle.current().info().startInstant().orElse(Instant.EPOCH);
        final String commit = Version.commit().replace("+", "-changed").replaceAll("[^\\w-]", "");
        final Path file = directory.resolve(TIME.format(start) + "-" + commit + ".json");
        try (PrintWriter out =
                new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8, StandardOpenOption.CREATE_NEW))) {
            report.print(out, Format.JSON);
            if (out.checkError()) {
                throw new IOException("cannot write " + file);
            }
        }
        return file;
    }
}
