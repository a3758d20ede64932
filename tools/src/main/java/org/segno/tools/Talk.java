package org.segno.tools;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * What a command tells its user on standard error; standard output is for data alone.
 *
 * <p>May be used by any thread: each message is one write. Always UTF-8, because a container without a locale still
 * stands in a terminal that reads it.
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
     * Talk on standard error.
     *
     * @param verbosity below zero: problems only; zero: messages too; above: details too.
     * @param colored whether problems are red.
     */
    public static Talk standardError(int verbosity, boolean colored) {
        final FileOutputStream standardError = new FileOutputStream(FileDescriptor.err);
        return new Talk(new PrintStream(standardError, false, StandardCharsets.UTF_8), verbosity, colored);
    }

    /** Talk on {@code stream}, without colour. */
    public static Talk on(PrintStream stream, int verbosity) {
        return new Talk(stream, verbosity, false);
    }

    /** A message, unless {@code -q}. */
    public void say(String message) {
        if (verbosity >= 0) {
            write(PREFIX + message);
        }
    }

    /** A detail, with {@code -v} only. */
    public void detail(String message) {
        if (verbosity > 0) {
            write(PREFIX + message);
        }
    }

    /** A problem: always said. */
    public void problem(String message) {
        write(colored ? RED + PREFIX + PLAIN + message : PREFIX + message);
    }

    private void write(String line) {
        // One write for the whole line: ranks write to the same stream.
        stream.writeBytes((line + '\n').getBytes(StandardCharsets.UTF_8));
        stream.flush();
    }
}
