package org.segno.tools.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Files in which Linux describes a process. */
final class ProcessFiles {
    private ProcessFiles() {}

    /** Returns the lines of a file, or none if the process has ended, belongs to another user, or has no such file. */
    static List<String> lines(long pid, String file) {
        try {
            return Files.readAllLines(Path.of("/proc", Long.toString(pid), file));
        } catch (final IOException ignored) {
            return List.of();
        }
    }
}
