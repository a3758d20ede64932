package org.segno.tools.run.process;

import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;

/**
 * An event that the launcher must handle. Hosts have the number of their channel. All events pass through one queue, so
 * that a single thread makes every decision.
 *
 * @param kind the kind of event
 * @param subject the rank, the host, or for {@link Kind#END} the number of the signal
 * @param status the rank's exit status for {@link Kind#EXITED}, the exit status of the whole job for the kinds with a
 *     reason, otherwise 0
 * @param atNs the time of the event, as {@link System#nanoTime()}
 * @param reason the message for {@link Kind#OUTPUT_LOST}, {@link Kind#HUB_FAILED} and {@link Kind#HOST_FAILED}; for
 *     {@link Kind#HOST_ENDED} empty if the agent has ended in order; otherwise empty
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
        HUB_FAILED,
        /** The agent of a host is ready to start its ranks. */
        HOST_READY,
        /** The agent of a host cannot start its ranks, or cannot go on. */
        HOST_FAILED,
        /** The channel to the agent of a host has ended. No event of the host follows. */
        HOST_ENDED
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

    public static Event hostFailed(int host, int exitCode, String reason) {
        return new Event(Kind.HOST_FAILED, host, exitCode, System.nanoTime(), reason);
    }

    public static Event hostEnded(int host, String reason) {
        return new Event(Kind.HOST_ENDED, host, ExitCode.NOT_FIT, System.nanoTime(), reason);
    }

    public static Event exited(int rank, int status) {
        return new Event(Kind.EXITED, rank, status, System.nanoTime(), "");
    }
}
