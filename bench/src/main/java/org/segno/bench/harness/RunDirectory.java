package org.segno.bench.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Temporary directory of a run, in memory if /dev/shm exists. */
public final class RunDirectory {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final String PREFIX = "segno-bench-";

    private RunDirectory() {}

    /** Makes an empty one. */
    public static Path make() throws IOException {
        return Files.isWritable(MEMORY) ? Files.createTempDirectory(MEMORY, PREFIX) : Files.createTempDirectory(PREFIX);
    }

    /** Deletes a directory and its contents. Files that are already gone are not an error. */
    public static void delete(Path directory) throws IOException {
        final List<Path> deepestFirst;
        try (Stream<Path> paths = Files.walk(directory)) {
            deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
        } catch (NoSuchFileException | UncheckedIOException e) {
            if (Files.exists(directory)) {
                throw e;
            }
            return;
        }
        for (final Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
