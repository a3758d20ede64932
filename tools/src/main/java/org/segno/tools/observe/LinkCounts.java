package org.segno.tools.observe;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.segno.engine.memory.ObservedNode;
import org.segno.transport.aeron.DriverCounts;

/** Counters of the links over Aeron of a rank's process, read from outside. */
public final class LinkCounts {
    private LinkCounts() {}

    /** Returns the names of the counts. */
    static List<String> names() {
        return DriverCounts.names();
    }

    /** Returns the counts by name, or nothing if the process has no links over Aeron or cannot be looked into. */
    static Optional<Map<String, Long>> of(ObservedRank rank) {
        final Optional<Path> file = file(rank);
        try {
            return file.isEmpty() ? Optional.empty() : Optional.of(DriverCounts.read(file.get()));
        } catch (final IOException ignored) {
            // The process has ended meanwhile, or has another version of Aeron.
            return Optional.empty();
        }
    }

    /**
     * Returns the counters file of the driver of a rank's process: the one that it has mapped or, once it has ended,
     * the one that it has left in a directory that was kept. Returns nothing if there is none, or if the process
     * belongs to another user.
     */
    public static Optional<Path> file(ObservedRank rank) {
        return rank.process() == ProcessStanding.GONE
                ? left(rank)
                : mapped(rank.identity().pid());
    }

    private static Optional<Path> mapped(long pid) {
        return ProcessFiles.lines(pid, "maps").stream()
                .filter(line -> line.endsWith("/" + DriverCounts.FILE))
                .map(line -> Path.of(line.substring(line.indexOf('/'))))
                .findFirst();
    }

    private static Optional<Path> left(ObservedRank rank) {
        final Path directory = rank.file().toAbsolutePath().getParent();
        if (directory == null || !Files.isDirectory(directory)) {
            return Optional.empty();
        }
        try (DirectoryStream<Path> drivers = Files.newDirectoryStream(directory, DriverCounts.DIRECTORIES)) {
            for (final Path driver : drivers) {
                final Path file = driver.resolve(DriverCounts.FILE);
                if (ObservedNode.isFile(file) && isOf(file, rank.identity().pid())) {
                    return Optional.of(file);
                }
            }
        } catch (final IOException | DirectoryIteratorException ignored) {
            // The directory is being removed.
            return Optional.empty();
        }
        return Optional.empty();
    }

    private static boolean isOf(Path file, long pid) {
        try {
            return DriverCounts.pid(file) == pid;
        } catch (final IOException ignored) {
            // Incomplete: the process has ended while its driver started.
            return false;
        }
    }
}
