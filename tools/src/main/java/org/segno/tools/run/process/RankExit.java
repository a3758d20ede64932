package org.segno.tools.run.process;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one rank, and whether it counts as the rank's own failure. Only the supervising thread uses it. All
 * times are nanoseconds since the job's start.
 *
 * <p>A rank that ended after a signal from segno does not count, whatever its status, unless it had lost its connection
 * to the hub before. Ranks that fail because of a death detect the death only after the hub has. The hub's time
 * therefore orders cause before effect, even if the exits are observed in another order.
 */
public final class RankExit {
    static final int TERM = 15;
    static final int KILL = 9;

    private static final int RUNNING = -1;

    /** The status of a rank whose host was lost: the rank has ended or will, and its status stays unknown. */
    private static final int LOST = -2;

    private static final long NEVER = Long.MAX_VALUE;

    private final int rank;
    private int status = RUNNING;
    private long exitNs = NEVER;
    private long deadNs = NEVER;
    private long signalledNs = NEVER;
    private boolean killed;

    /** Creates the outcome of a rank that runs. */
    public RankExit(int rank) {
        this.rank = rank;
    }

    public void exited(int status, long atNs) {
        this.status = status;
        this.exitNs = atNs;
    }

    /** Records that the rank's host was lost. The rank then counts neither as running nor as failed. */
    public void lost(long atNs) {
        exited(LOST, atNs);
    }

    /** Records that the hub lost the rank without goodbye. */
    public void dead(long atNs) {
        deadNs = Math.min(deadNs, atNs);
    }

    /** Records that segno has sent TERM or KILL. */
    public void signalled(boolean kill, long atNs) {
        signalledNs = Math.min(signalledNs, atNs);
        killed |= kill;
    }

    public int rank() {
        return rank;
    }

    public boolean running() {
        return status == RUNNING;
    }

    public int status() {
        return status;
    }

    public long exitNs() {
        return exitNs;
    }

    public boolean killed() {
        return killed;
    }

    /** Returns the earliest time at which the rank's failure was observed. */
    long failureNs() {
        return Math.min(exitNs, deadNs);
    }

    /** Returns whether the rank has ended with a status other than 0 that no signal from segno caused. */
    boolean failed() {
        return status > 0 && failureNs() < signalledNs && !(exitNs >= signalledNs && endedAsSignalled());
    }

    private boolean endedAsSignalled() {
        return status == 128 + TERM || (killed && status == 128 + KILL);
    }

    /** Returns whether the rank may have failed: its connection is lost, but its process has not ended yet. */
    private boolean suspect() {
        return running() && deadNs < signalledNs;
    }

    /**
     * Returns the rank that failed first in time, or the lowest of those that failed at the same time. Returns null if
     * no rank failed, or if a rank that lost its connection earlier has not ended yet: the first is undecided.
     *
     * @param over true if the launcher waits for no further exit: ranks that have not ended do not count.
     */
    public static @Nullable RankExit firstToFail(Collection<RankExit> exits, boolean over) {
        RankExit first = null;
        for (final RankExit exit : exits) {
            if ((exit.failed() || (exit.suspect() && !over))
                    && (first == null || exit.failureNs() < first.failureNs())) {
                first = exit;
            }
        }
        return first == null || first.suspect() ? null : first;
    }

    /** Returns an exit status for the user: the number and, if a signal caused it, the signal's number and name. */
    public static String describe(int status) {
        return status > 128 && status < 160 ? status + " (" + signal(status - 128) + ")" : String.valueOf(status);
    }

    /** Returns a signal's number and, for common signals, its name. */
    public static String signal(int number) {
        final String name = switch (number) {
            case 1 -> "HUP";
            case 2 -> "INT";
            case 3 -> "QUIT";
            case 4 -> "ILL";
            case 6 -> "ABRT";
            case 7 -> "BUS";
            case 8 -> "FPE";
            case KILL -> "KILL";
            case 11 -> "SEGV";
            case 13 -> "PIPE";
            case TERM -> "TERM";
            default -> "";
        };
        return name.isEmpty() ? "signal " + number : "signal " + number + ", " + name;
    }
}
