package org.segno.tools.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.segno.job.Platform;

/** How the process of a rank stands. */
enum ProcessStanding {
    /** It is there and scheduled when it has work. */
    RUNS,

    /** It is there and stopped by a signal or a debugger. */
    STOPPED,

    /** It has ended, or another process has its id. */
    GONE;

    /** Looks at a process that started at {@code startTime}, in clock ticks since the system started. */
    static ProcessStanding of(long pid, long startTime) {
        if (pid <= 0 || Platform.startTime(pid) != startTime) {
            return GONE;
        }
        try {
            final String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            return switch (stat.charAt(stat.lastIndexOf(')') + 2)) {
                case 'T', 't' -> STOPPED;
                case 'Z', 'X' -> GONE;
                default -> RUNS;
            };
        } catch (final IOException | IndexOutOfBoundsException ignored) {
            return GONE;
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
