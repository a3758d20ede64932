package org.segno.tools.command;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Console of a command: its messages to the user, written to standard error. Standard output is for data alone.
 *
 * <p>May be used by any thread: each message is one write. The encoding is always UTF-8, because a container without a
 * locale still writes to a terminal that expects it.
 */
public final class Console {
    /** Beginning of each message. */
    public static final String PREFIX = "segno: ";

    private static final String RED = "\u001b[31m";
    private static final String PLAIN = "\u001b[0m";

    private final PrintStream stream;
    private final int verbosity;
    private final boolean colored;

    private Console(PrintStream stream, int verbosity, boolean colored) {
        this.stream = stream;
        this.verbosity = verbosity;
        this.colored = colored;
    }

    /** Root command of a command line, whose options configure the console of all its subcommands. */
    public interface Owner {
        /** Returns the console that the options configure. */
        Console console();
    }

    /**
     * Returns the console of the command that {@code spec} describes. The root of its command line is an {@link Owner}.
     */
    public static Console of(CommandSpec spec) {
        return ((Owner) spec.root().userObject()).console();
    }

    /**
     * Returns a console on standard error.
     *
     * @param verbosity below zero: problems only; zero: messages too; above: details too
     * @param colored true to print problems in red
     */
    public static Console standardError(int verbosity, boolean colored) {
        final FileOutputStream standardError = new FileOutputStream(FileDescriptor.err);
        return new Console(new PrintStream(standardError, false, StandardCharsets.UTF_8), verbosity, colored);
    }

    /** Returns a console on {@code stream}, without colour. */
    public static Console on(PrintStream stream, int verbosity) {
        return new Console(stream, verbosity, false);
    }

    /** Prints a message, unless {@code -q} is set. */
    public void message(String message) {
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
