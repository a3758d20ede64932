package org.segno.tools.command;

import org.segno.tools.output.Quantity;

/**
 * Exception that ends a command with an exit code and a message for the user. No stack trace is printed, because it is
 * not a bug in segno.
 */
public final class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    /**
     * Creates an exception.
     *
     * @param exitCode one of {@link ExitCode}
     * @param message the thing that is wrong, its value and the remedy
     */
    public CommandException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** Returns the exception for a JVM that has run out of heap, with the remedy for the user. */
    public static CommandException outOfMemory(OutOfMemoryError error) {
        return new CommandException(
                ExitCode.NOT_FIT,
                "out of memory (" + error.getMessage() + "): a JVM has "
                        + Quantity.ofBytes(Runtime.getRuntime().maxMemory())
                        + " of heap here; increase it (JAVA_TOOL_OPTIONS=-Xmx…) or choose a smaller problem");
    }

    /** Returns the status that the process ends with. */
    public int exitCode() {
        return exitCode;
    }
}
