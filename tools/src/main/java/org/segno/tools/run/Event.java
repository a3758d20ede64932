package org.segno.tools.run;

import org.segno.tools.CommandException;

/**
 * Something that the launcher must look at. All of them go through one queue, so that one thread alone decides.
 *
 * @param kind what happened
 * @param subject a rank, or for {@link Kind#END} the number of the signal
 * @param status the exit status for {@link Kind#EXITED}, that of the whole job for {@link Kind#OUTPUT_LOST}, else 0
 * @param atNs when, as {@link System#nanoTime()}
 * @param reason what to tell for {@link Kind#OUTPUT_LOST}, else empty
 */
record Event(Kind kind, int subject, int status, long atNs, String reason) {
    enum Kind {
        /** A rank's process has ended. */
        EXITED,
        /** A rank has joined the job. */
        JOINED,
        /** A rank's lifeline to the hub ended without goodbye. Seen before any rank can fail because of it. */
        DEAD,
        /** A rank that is a thread has failed; its process goes on for a moment. */
        FAILED,
        /** The launcher was told by a signal to end. */
        END,
        /** The launcher was asked for the ranks' thread dumps. */
        DUMP,
        /** What ranks write cannot be handed on any more. */
        OUTPUT_LOST
    }

    static Event of(Kind kind, int subject) {
        return new Event(kind, subject, 0, System.nanoTime(), "");
    }

    static Event outputLost(CommandException loss) {
        return new Event(Kind.OUTPUT_LOST, 0, loss.exitCode(), System.nanoTime(), String.valueOf(loss.getMessage()));
    }

    static Event exited(int rank, int status) {
        return new Event(Kind.EXITED, rank, status, System.nanoTime(), "");
    }
}
