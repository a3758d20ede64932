package org.segno.tools;

import org.segno.tools.output.Quantity;

/**
 * Ends a command with an exit code and a message for the user, who gets no stack trace: nothing is wrong with segno.
 */
public final class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    /**
     * Ends with {@code exitCode}, one of {@link ExitCode}; {@code message} names the thing, its value and the remedy.
     */
    public CommandException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** The JVM has run out of heap: the user has the remedy, not segno. */
    public static CommandException outOfMemory(OutOfMemoryError error) {
        return new CommandException(
                ExitCode.NOT_FIT,
                "out of memory (" + error.getMessage() + "): a JVM has "
                        + Quantity.ofBytes(Runtime.getRuntime().maxMemory())
                        + " of heap here; give it more (JAVA_TOOL_OPTIONS=-Xmx…) or a smaller problem");
    }

    /** The status that the process ends with. */
    public int exitCode() {
        return exitCode;
    }
}
