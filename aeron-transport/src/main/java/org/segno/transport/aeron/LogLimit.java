package org.segno.transport.aeron;

import java.util.concurrent.TimeUnit;

/** Limit of the lines that are logged in a second. */
final class LogLimit {
    /** Lines of each second. */
    static final int LINES = 10;

    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private boolean hasBegun;
    private long secondNs;
    private int lines;

    /** Returns true if another line may be logged at this time. */
    synchronized boolean admits(long nowNs) {
        if (!hasBegun || nowNs - secondNs >= SECOND_NS) {
            hasBegun = true;
            secondNs = nowNs;
            lines = 0;
        }
        if (lines == LINES) {
            return false;
        }
        lines++;
        return true;
    }
}
