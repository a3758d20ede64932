package org.segno.engine.job;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/**
 * Log of warnings of one kind that another process can cause without limit.
 *
 * <p>It logs the first few warnings, then only those whose number is a power of two, with that number. A million
 * warnings thus make 24 lines. Used by one thread only.
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

    /** Counts a warning, and logs it if it is one of the first or its number is a power of two. */
    void warn(String text) {
        count++;
        try {
            log(text);
        } catch (LinkageError ignored) {
            // At the limit of open files, the JDK cannot load the classes of its logging. The hub must continue.
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
