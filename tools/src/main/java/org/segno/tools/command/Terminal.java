package org.segno.tools.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tests for a terminal on the standard streams. {@code System.console()} covers only input and output, and since JDK 22
 * not even those.
 */
public final class Terminal {
    private static final int STANDARD_INPUT = 0;
    private static final int STANDARD_OUTPUT = 1;
    private static final int STANDARD_ERROR = 2;

    private Terminal() {}

    /** Returns true if standard error is a terminal, so that progress lines and colour are useful. */
    public static boolean standardErrorIsTerminal() {
        return isTerminal(STANDARD_ERROR);
    }

    /** Returns true if standard input is a terminal, so that somebody can answer. */
    public static boolean standardInputIsTerminal() {
        return isTerminal(STANDARD_INPUT);
    }

    /** Returns true if standard output is a terminal. */
    public static boolean standardOutputIsTerminal() {
        return isTerminal(STANDARD_OUTPUT);
    }

    /** Returns true if standard output and standard error are the same terminal, pipe or file. */
    public static boolean outputAndErrorAreOne() {
        try {
            return Files.readSymbolicLink(descriptor(STANDARD_OUTPUT))
                    .equals(Files.readSymbolicLink(descriptor(STANDARD_ERROR)));
        } catch (final IOException ignored) {
            // One is closed, or there is no /proc.
            return false;
        }
    }

    private static Path descriptor(int stream) {
        return Path.of("/proc/self/fd/" + stream);
    }

    private static boolean isTerminal(int stream) {
        try {
            final String target = Files.readSymbolicLink(descriptor(stream)).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (final IOException ignored) {
            // The stream is closed, or there is no /proc. A progress line in a file is worse than none on a terminal.
            return false;
        }
    }
}
