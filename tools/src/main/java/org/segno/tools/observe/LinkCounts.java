package org.segno.tools.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.segno.transport.aeron.DriverCounts;

/** Counts of the links over Aeron of a process, read from outside. */
final class LinkCounts {
    private static final Path PROCESSES = Path.of("/proc");

    private LinkCounts() {}

    /** Returns the names of the counts. */
    static List<String> names() {
        return DriverCounts.names();
    }

    /** Returns the counts by name, or nothing if the process has no links over Aeron or cannot be looked into. */
    static Optional<Map<String, Long>> of(long pid) {
        try (Stream<String> mappings =
                Files.lines(PROCESSES.resolve(Long.toString(pid)).resolve("maps"))) {
            final Optional<Path> file = mappings.filter(line -> line.endsWith("/" + DriverCounts.FILE))
                    .map(line -> Path.of(line.substring(line.indexOf('/'))))
                    .findFirst();
            return file.isEmpty() ? Optional.empty() : Optional.of(DriverCounts.read(file.get()));
        } catch (final IOException ignored) {
            // The process has ended, or belongs to another user.
            return Optional.empty();
        }
    }
}
