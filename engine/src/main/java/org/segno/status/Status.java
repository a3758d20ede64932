package org.segno.status;

/**
 * Results below zero of a call on the hot path, which are the reasons for a lack of progress.
 *
 * <p>Zero or more is progress: a position, a generation, a count. Below zero nothing has happened, and only the caller
 * retries.
 */
public final class Status {
    /** The ring, FIFO or lane has no room at present. The caller advances, then retries. */
    public static final long BACK_PRESSURED = -1;

    /**
     * The last round of this pattern is incomplete, or a disabled counter is not quiet. The caller awaits the round or
     * advances, then retries.
     */
    public static final long BUSY = -2;

    /**
     * Result of a handler when its send found no room: the message is to be delivered again. As the result of posted
     * work: the work is to run again.
     */
    public static final long AGAIN = -3;

    private Status() {}

    /**
     * Checks whether a result is progress.
     *
     * @param status result of a hot-path call
     * @return true for zero or more
     */
    public static boolean isProgress(long status) {
        return status >= 0;
    }

    /**
     * Returns the name of a result for messages and logs.
     *
     * @param status result of a hot-path call
     * @return the name of the constant, or the number itself if it has none
     */
    public static String name(long status) {
        if (status == BACK_PRESSURED) {
            return "BACK_PRESSURED";
        }
        if (status == BUSY) {
            return "BUSY";
        }
        if (status == AGAIN) {
            return "AGAIN";
        }
        return Long.toString(status);
    }
}
