package org.segno.tools.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.segno.engine.job.Platform;

/** State of a rank's process. */
enum ProcessStanding {
    /** The process exists and is scheduled when it has work. */
    RUNS,

    /** The process exists and is stopped by a signal or a debugger. */
    STOPPED,

    /** The process has ended, or another process has its id. */
    GONE;

    /** Returns the state of the process that started at {@code startTime}, in clock ticks since the system started. */
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
