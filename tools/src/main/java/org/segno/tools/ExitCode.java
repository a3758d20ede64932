package org.segno.tools;

/**
 * The exit codes of every {@code segno} command; {@code segno run} also hands through the status of the rank that
 * failed first.
 */
public final class ExitCode {
    /** Done. */
    public static final int DONE = 0;

    /** Done, and the answer is no: a check failed, a limit was exceeded, a demo did not converge. */
    public static final int ANSWER_IS_NO = 1;

    /** Wrong command line. */
    public static final int WRONG_COMMAND_LINE = 2;

    /** The environment or an input is not fit: no space, no permission, an input file missing or malformed. */
    public static final int NOT_FIT = 3;

    /** Nothing there: no such job, journal or pattern. */
    public static final int NOTHING_THERE = 4;

    /** A bug in segno; the text names the file with the details. */
    public static final int BUG = 70;

    /** {@code --timeout} reached, as {@code timeout(1)} says it. */
    public static final int TIMED_OUT = 124;

    /** The program is there and cannot be executed. */
    public static final int NOT_EXECUTABLE = 126;

    /** The program was not found. */
    public static final int NOT_FOUND = 127;

    /** Ended by signal n: this plus n, so 130 after Ctrl-C. */
    public static final int SIGNALLED = 128;

    /** Nobody reads the output any more: what signal PIPE does to others. */
    public static final int OUTPUT_UNREAD = SIGNALLED + 13;

    private ExitCode() {}
}
