package org.segno.tools;

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

    /** The status that the process ends with. */
    public int exitCode() {
        return exitCode;
    }
}
