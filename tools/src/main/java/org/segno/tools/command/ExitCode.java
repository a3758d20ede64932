package org.segno.tools.command;

/**
 * Exit codes of every {@code segno} command. {@code segno run} also returns the status of the rank that failed first.
 */
public final class ExitCode {
    /** The command succeeded. */
    public static final int DONE = 0;

    /** The command completed with a negative result: a check failed, a limit was exceeded, a demo did not converge. */
    public static final int NEGATIVE_RESULT = 1;

    /** The command line is wrong. */
    public static final int WRONG_COMMAND_LINE = 2;

    /** The environment or an input is not fit: no space, no permission, an input file missing or malformed. */
    public static final int NOT_FIT = 3;

    /** The job or pattern does not exist. */
    public static final int NOTHING_THERE = 4;

    /** A bug in segno occurred. The message names the file with the details. */
    public static final int BUG = 70;

    /** {@code --timeout} expired; the code is that of {@code timeout(1)}. */
    public static final int TIMED_OUT = 124;

    /** The program exists but cannot be executed. */
    public static final int NOT_EXECUTABLE = 126;

    /** The program was not found. */
    public static final int NOT_FOUND = 127;

    /** Base of the codes for an end by a signal: signal n gives this plus n, so Ctrl-C gives 130. */
    public static final int SIGNALLED = 128;

    /** The output has no reader any more. The code is that of a process ended by signal PIPE. */
    public static final int OUTPUT_UNREAD = SIGNALLED + 13;

    private ExitCode() {}
}
