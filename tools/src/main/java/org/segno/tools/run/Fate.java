package org.segno.tools.run;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * What became of one rank, and whether that counts as its own failure. Used by the supervising thread alone; all times
 * are nanoseconds since the job's start.
 *
 * <p>A rank that segno told to end does not count, whatever it ended with, unless it had lost its lifeline before:
 * ranks that fail because of a death see it only after the hub did, so the hub's time orders cause before effect even
 * when the exits are seen in another order.
 */
final class Fate {
    static final int TERM = 15;
    static final int KILL = 9;

    private static final int RUNNING = -1;
    private static final long NEVER = Long.MAX_VALUE;

    private final int rank;
    private int status = RUNNING;
    private long exitNs = NEVER;
    private long deadNs = NEVER;
    private long toldNs = NEVER;
    private boolean killed;

    Fate(int rank) {
        this.rank = rank;
    }

    void exited(int status, long atNs) {
        this.status = status;
        this.exitNs = atNs;
    }

    /** The hub lost the rank without goodbye. */
    void dead(long atNs) {
        deadNs = Math.min(deadNs, atNs);
    }

    /** Segno has sent TERM, or KILL. */
    void told(boolean kill, long atNs) {
        toldNs = Math.min(toldNs, atNs);
        killed |= kill;
    }

    int rank() {
        return rank;
    }

    boolean running() {
        return status == RUNNING;
    }

    int status() {
        return status;
    }

    long exitNs() {
        return exitNs;
    }

    boolean killed() {
        return killed;
    }

    /** When the rank began to fail, as far as anybody could see. */
    long failureNs() {
        return Math.min(exitNs, deadNs);
    }

    /** True when the rank has ended other than with 0, and not because segno said so. */
    boolean failed() {
        return status > 0 && failureNs() < toldNs && !(exitNs >= toldNs && endedAsTold());
    }

    private boolean endedAsTold() {
        return status == 128 + TERM || (killed && status == 128 + KILL);
    }

    /** True when the rank may yet turn out to have failed: its lifeline is gone and it has not ended. */
    private boolean suspect() {
        return running() && deadNs < toldNs;
    }

    /**
     * The rank that failed first in time, at equal times the lowest; null when none did, or when an earlier one that
     * lost its lifeline has not ended yet, so that it cannot be told.
     *
     * @param over nothing more is waited for: what has not ended does not count.
     */
    static @Nullable Fate firstToFail(Collection<Fate> fates, boolean over) {
        Fate first = null;
        for (final Fate fate : fates) {
            if ((fate.failed() || (fate.suspect() && !over))
                    && (first == null || fate.failureNs() < first.failureNs())) {
                first = fate;
            }
        }
        return first == null || first.suspect() ? null : first;
    }

    /** An exit status as the user knows it: a number, with the signal's name where it stands for one. */
    static String describe(int status) {
        return status > 128 && status < 160 ? status + " (" + signal(status - 128) + ")" : String.valueOf(status);
    }

    /** A signal's number and, for the usual ones, its name. */
    static String signal(int number) {
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
