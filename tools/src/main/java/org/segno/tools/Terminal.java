package org.segno.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tells whether standard error is a terminal: {@code System.console()} only knows about input and output, and from JDK
 * 22 on not even that.
 */
public final class Terminal {
    private static final int STANDARD_ERROR = 2;

    private Terminal() {}

    /** True when standard error is a terminal, so that progress and colour make sense there. */
    public static boolean standardErrorIsTerminal() {
        final Path descriptor = Path.of("/proc/self/fd/" + STANDARD_ERROR);
        try {
            final String target = Files.readSymbolicLink(descriptor).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (final IOException ignored) {
            // Closed, or no /proc: nobody can tell, and a progress line in a file is worse than none on a terminal.
            return false;
        }
    }
}
