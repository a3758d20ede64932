package org.segno.status;

/**
 * The reasons below zero with which a call on the hot path answers instead of progress.
 *
 * <p>Zero or more is progress: a position, a generation, a count. Below zero nothing has happened, and only the caller
 * tries again.
 */
public final class Status {
    /** The ring, FIFO or lane has no room now: advance, then try again. */
    public static final long BACK_PRESSURED = -1;

    /** The last round of this pattern is incomplete: await it, then try again. */
    public static final long BUSY = -2;

    /** A handler's answer: what it had to send found no room, the message is to be handed over again. Of posted work: run it again. */
    public static final long AGAIN = -3;

    private Status() {}

    /**
     * Says whether an answer is progress.
     *
     * @param answer what a hot-path call answered
     * @return true for zero or more
     */
    public static boolean isProgress(long answer) {
        return answer >= 0;
    }

    /**
     * Names an answer for messages and logs.
     *
     * @param answer what a hot-path call answered
     * @return the name of the constant, or the number itself where it has none
     */
    public static String name(long answer) {
        if (answer == BACK_PRESSURED) {
            return "BACK_PRESSURED";
        }
        if (answer == BUSY) {
            return "BUSY";
        }
        if (answer == AGAIN) {
            return "AGAIN";
        }
        return Long.toString(answer);
    }
}
