package org.segno.tools;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Messages from a command to its user, written to standard error. Standard output is for data alone.
 *
 * <p>May be used by any thread: each message is one write. The encoding is always UTF-8, because a container without a
 * locale still writes to a terminal that expects it.
 */
public final class Talk {
    private static final String PREFIX = "segno: ";
    private static final String RED = "\u001b[31m";
    private static final String PLAIN = "\u001b[0m";

    private final PrintStream stream;
    private final int verbosity;
    private final boolean colored;

    private Talk(PrintStream stream, int verbosity, boolean colored) {
        this.stream = stream;
        this.verbosity = verbosity;
        this.colored = colored;
    }

    /**
     * Returns the messages on standard error.
     *
     * @param verbosity below zero: problems only; zero: messages too; above: details too
     * @param colored true to print problems in red
     */
    public static Talk standardError(int verbosity, boolean colored) {
        final FileOutputStream standardError = new FileOutputStream(FileDescriptor.err);
        return new Talk(new PrintStream(standardError, false, StandardCharsets.UTF_8), verbosity, colored);
    }

    /** Returns messages on {@code stream}, without colour. */
    public static Talk on(PrintStream stream, int verbosity) {
        return new Talk(stream, verbosity, false);
    }

    /** Prints a message, unless {@code -q} is set. */
    public void say(String message) {
        if (verbosity >= 0) {
            write(PREFIX + message);
        }
    }

    /** Prints a detail, with {@code -v} only. */
    public void detail(String message) {
        if (verbosity > 0) {
            write(PREFIX + message);
        }
    }

    /** Prints a problem, at every verbosity. */
    public void problem(String message) {
        write(colored ? RED + PREFIX + PLAIN + message : PREFIX + message);
    }

    private void write(String line) {
        // One write for the whole line: ranks write to the same stream.
        stream.writeBytes((line + '\n').getBytes(StandardCharsets.UTF_8));
        stream.flush();
    }
}
