package org.segno.tools.run;

import org.segno.tools.CommandException;
import org.segno.tools.ExitCode;

/**
 * Something that the launcher must look at. All of them go through one queue, so that one thread alone decides.
 *
 * @param kind what happened
 * @param subject a rank, or for {@link Kind#END} the number of the signal
 * @param status the exit status for {@link Kind#EXITED}, that of the whole job for {@link Kind#OUTPUT_LOST} and {@link
 *     Kind#HUB_FAILED}, else 0
 * @param atNs when, as {@link System#nanoTime()}
 * @param reason the message for {@link Kind#OUTPUT_LOST} and {@link Kind#HUB_FAILED}, else empty
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
        OUTPUT_LOST,
        /** The launcher's hub has failed, and the job with it. */
        HUB_FAILED
    }

    static Event of(Kind kind, int subject) {
        return new Event(kind, subject, 0, System.nanoTime(), "");
    }

    static Event outputLost(CommandException loss) {
        return new Event(Kind.OUTPUT_LOST, 0, loss.exitCode(), System.nanoTime(), String.valueOf(loss.getMessage()));
    }

    static Event hubFailed(Throwable cause) {
        final String reason = "the hub of the job, in this launcher, has failed: " + cause;
        return new Event(Kind.HUB_FAILED, 0, ExitCode.BUG, System.nanoTime(), reason);
    }

    static Event exited(int rank, int status) {
        return new Event(Kind.EXITED, rank, status, System.nanoTime(), "");
    }
}
