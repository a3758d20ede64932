package org.segno.tools.run.process;

import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;

/**
 * An event that the launcher must handle. All events pass through one queue, so that a single thread makes every
 * decision.
 *
 * @param kind the kind of event
 * @param subject the rank, or for {@link Kind#END} the number of the signal
 * @param status the rank's exit status for {@link Kind#EXITED}, the exit status of the whole job for {@link
 *     Kind#OUTPUT_LOST} and {@link Kind#HUB_FAILED}, otherwise 0
 * @param atNs the time of the event, as {@link System#nanoTime()}
 * @param reason the message for {@link Kind#OUTPUT_LOST} and {@link Kind#HUB_FAILED}, otherwise empty
 */
public record Event(Kind kind, int subject, int status, long atNs, String reason) {
    public enum Kind {
        /** A rank's process has ended. */
        EXITED,
        /** A rank has joined the job. */
        JOINED,
        /** A rank's connection to the hub ended without goodbye. Queued before any rank can fail because of it. */
        DEAD,
        /** A rank that is a thread has failed; its process continues for a moment. */
        FAILED,
        /** The launcher has received a signal to end. */
        END,
        /** The launcher has received the signal that requests the ranks' thread dumps. */
        DUMP,
        /** The ranks' output can no longer be written. */
        OUTPUT_LOST,
        /** The launcher's hub has failed, which also ends the job. */
        HUB_FAILED
    }

    public static Event of(Kind kind, int subject) {
        return new Event(kind, subject, 0, System.nanoTime(), "");
    }

    public static Event outputLost(CommandException loss) {
        return new Event(Kind.OUTPUT_LOST, 0, loss.exitCode(), System.nanoTime(), String.valueOf(loss.getMessage()));
    }

    public static Event hubFailed(Throwable cause) {
        final String reason = "the hub of the job has failed in this launcher: " + cause;
        return new Event(Kind.HUB_FAILED, 0, ExitCode.BUG, System.nanoTime(), reason);
    }

    static Event exited(int rank, int status) {
        return new Event(Kind.EXITED, rank, status, System.nanoTime(), "");
    }
}
