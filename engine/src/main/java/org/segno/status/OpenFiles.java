package org.segno.status;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The limit of open files of this process, for the messages of failures that it causes.
 *
 * <p>The limit is read when the class is loaded, because a process at its limit cannot open the file that contains it.
 * {@link #load} is therefore called before the first job directory is created or joined. Any thread may call any
 * method.
 */
public final class OpenFiles {
    private static final Pattern LIMIT = Pattern.compile("Max open files\\s+(\\d{1,18}|unlimited)\\s");
    private static final String UNKNOWN = "unknown";
    private static final String LIMIT_TEXT = readLimit();

    private OpenFiles() {}

    /** Reads the limit, once. */
    public static void load() {
        assert !LIMIT_TEXT.isEmpty();
    }

    /**
     * Returns the number of files that this process may have open.
     *
     * @return the limit; {@link Long#MAX_VALUE} if there is none or it is unknown
     */
    public static long limit() {
        return Character.isDigit(LIMIT_TEXT.charAt(0)) ? Long.parseLong(LIMIT_TEXT) : Long.MAX_VALUE;
    }

    /**
     * Returns whether the limit of open files caused a failure.
     *
     * @param failure an exception or an error of the class loader; its causes are checked too
     * @return true if a message contains the system's English text, or, for texts in other languages, if this process
     *     cannot open a file now
     */
    public static boolean isExhaustedBy(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (String.valueOf(cause.getMessage()).contains("Too many open files")) {
                return true;
            }
        }
        return isExhausted();
    }

    /**
     * Returns the remedy for a failure: a higher limit if the limit of open files caused it.
     *
     * @param failure the thrown exception or error
     * @param otherwise the remedy for all other failures
     * @return the remedy, to be appended after a semicolon
     */
    public static String remedy(Throwable failure, String otherwise) {
        return isExhaustedBy(failure) ? remedy() : otherwise;
    }

    /**
     * Returns the remedy for a process that cannot open any more files.
     *
     * @return the remedy with the limit, to be appended after a semicolon
     */
    public static String remedy() {
        return "this process may have " + LIMIT_TEXT + " files open: raise that limit (ulimit -n)";
    }

    private static boolean isExhausted() {
        try (FileInputStream probe = new FileInputStream("/dev/null")) {
            return !probe.getFD().valid();
        } catch (final IOException ignored) {
            return true;
        }
    }

    private static String readLimit() {
        try {
            final Matcher line = LIMIT.matcher(Files.readString(Path.of("/proc/self/limits")));
            return line.find() ? line.group(1) : UNKNOWN;
        } catch (final IOException ignored) {
            return UNKNOWN;
        }
    }
}
