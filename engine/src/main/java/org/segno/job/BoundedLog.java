package org.segno.job;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/**
 * Warnings of one kind that another process can cause as often as it likes: the first few are logged, then only those whose number is a
 * power of two, with that number. So a million of them make 24 lines.
 *
 * <p>One thread only.
 */
final class BoundedLog {
    static final int FIRST = 8;

    private final Logger logger;
    private final String subject;
    private long count;

    BoundedLog(Logger logger, String subject) {
        this.logger = logger;
        this.subject = subject;
    }

    /** Counts a warning, and logs it if it is one of the first or a power of two. */
    void warn(String text) {
        count++;
        try {
            log(text);
        } catch (LinkageError ignored) {
            // At the limit of open files, the JDK cannot load the classes of its logging. The hub must go on.
        }
    }

    private void log(String text) {
        if (count <= FIRST) {
            logger.log(Level.WARNING, subject + text);
        } else if (Long.bitCount(count) == 1) {
            logger.log(Level.WARNING, subject + text + " (" + count + " times so far)");
        }
    }
}
