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
import org.jspecify.annotations.Nullable;
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

    /**
     * Creates the directory of results if needed, before a run that may take minutes.
     *
     * @throws IOException if no file can be created there; the message has the reason and the remedy
     */
    public static void prepare(Path directory) throws IOException {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw unusable(directory, e.toString(), e);
        }
        if (!Files.isWritable(directory)) {
            throw unusable(directory, "it is not writable", null);
        }
    }

    private static IOException unusable(Path directory, String reason, @Nullable IOException cause) {
        return new IOException(
                "cannot save results in " + directory + ": " + reason
                        + "; name another directory with --results=DIR, or none with --results=",
                cause);
    }

    /** Writes a report as JSON to a new file of a directory that {@link #prepare} has created. Returns the file. */
    public static Path write(Path directory, Report report) throws IOException {
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
