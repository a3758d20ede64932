package org.segno.collective;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.InjectionCounter;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternAccess;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.SegnoException;

/**
 * Failure of a collective as one member sees it: a refusal here, or the notice of another member
 * ({@link FailedRounds}). A death is none. Used by the one thread that holds the contexts.
 */
final class CollectiveFailure {
    /** Time after a notice in which data that are on their way may still complete the round here. */
    private static final long GRACE_MS = 100;

    /** Maximum time in which a notice may follow the refusal by a member that has closed the collective. */
    private static final long NOTICE_MS = 1_000;

    private static final int NO_RANK = -1;

    private final FailedRounds notices;
    private final long number;
    private final Pattern[] patterns;
    private final int rank;
    private final Object collective;

    /** Error word of the first refusal here, which giving up a round replaces in the state of its pattern. */
    private long refusal;

    /** True once the other members were notified of it. */
    private boolean notified;

    /** True once a notice that explains a refusal was awaited. */
    private boolean awaited;

    /** Notice that was seen last, and the end of its grace period. */
    private long seen;

    private long graceEndNs;

    /**
     * Creates the failure of a collective that has not failed.
     *
     * @param number of the collective in the order of recordings
     * @param patterns of its parts here
     * @param rank of this member
     * @param collective for messages
     */
    CollectiveFailure(FailedRounds notices, long number, Pattern[] patterns, int rank, Object collective) {
        this.notices = notices;
        this.number = number;
        this.patterns = patterns;
        this.rank = rank;
        this.collective = collective;
    }

    /** Returns the failure because of which a round, here or elsewhere, may not become complete; or null. */
    @Nullable
    SegnoException of(long round) {
        final long error = refusal();
        // A peer refuses what is sent to a collective that it has closed because of a failure.
        final SegnoException cause = isOwn(error) ? null : elsewhere(round, error != 0);
        return cause != null || error == 0 ? cause : PatternAccess.failure(error, collective);
    }

    /**
     * Waits for the notice of a member that refuses because it has closed the collective: a failure may have caused the
     * close. Not beyond the deadline of the caller, and without effect where nothing can wait.
     */
    private void awaitNotice(Context context, long deadlineNs) {
        final long error = refusal();
        final boolean isUnexplained = isFirst(error)
                && isOfCounter(InjectionCounter.code(error))
                && notices.notice(number) == FailedRounds.NONE;
        if (awaited || !isUnexplained || Deadline.reached(deadlineNs) || ContextAccess.isInPass(context)) {
            return;
        }
        awaited = true;
        final long patienceNs = Deadline.in(NOTICE_MS, TimeUnit.MILLISECONDS);
        try {
            context.await(
                    () -> notices.notice(number) != FailedRounds.NONE,
                    deadlineNs - patienceNs < 0 ? deadlineNs : patienceNs);
        } catch (final IllegalStateException | SegnoException e) {
            // The refusal is the reason then.
        }
    }

    /** Returns the exception of a pattern that needs a dead rank, with the remedy for a collective. */
    PeerFailedException dead(Context context, PeerFailedException ofPattern) {
        final SegnoException loss = context.failure(ofPattern.rank());
        return new PeerFailedException(
                ofPattern.rank(),
                (loss == null ? ofPattern : loss).getMessage() + "; " + collective
                        + " needs this rank: close it, and prepare it in a geometry of Geometry.survivors");
    }

    /** Returns the exception of a start that was not possible until its deadline, maybe because a member has left. */
    static DeadlineException late(@Nullable String message, @Nullable SegnoException departure) {
        return new DeadlineException(message + (departure == null ? "" : "; " + departure.getMessage()));
    }

    /**
     * Returns the failure at another member because of which a round may not become complete, or null. Null, too, while
     * an earlier round is in progress that did not fail: others may still need what it sends.
     *
     * @param isLast true to disregard the grace period
     */
    @Nullable
    SegnoException elsewhere(long round, boolean isLast) {
        final long notice = notices.notice(number);
        if (!FailedRounds.isFailed(notice, round) || !isReached(notice)) {
            return null;
        }
        if (notice != seen) {
            seen = notice;
            graceEndNs = Deadline.in(GRACE_MS, TimeUnit.MILLISECONDS);
        }
        return isLast || Deadline.reached(graceEndNs) ? notices.exception(notice, collective) : null;
    }

    /** Returns the failure at another member because of which a round cannot be started, or null. */
    @Nullable
    SegnoException beforeStart(long round) {
        final long notice = notices.notice(number);
        return FailedRounds.isFailed(notice, round) ? notices.exception(notice, collective) : null;
    }

    /** Returns true if a round is in progress that is before the first failed one, so that it can become complete. */
    boolean isBefore() {
        final long notice = notices.notice(number);
        return refusal() == 0 && notice != FailedRounds.NONE && !isReached(notice);
    }

    /** Returns true if all rounds before the first failed one are executed here. */
    private boolean isReached(long notice) {
        for (final Pattern pattern : patterns) {
            if (!FailedRounds.isFailed(notice, pattern.executedAcquire() + 1)) {
                return false;
            }
        }
        return true;
    }

    private long refusal() {
        for (int i = 0; i < patterns.length && !isFirst(refusal); i++) {
            final long error = patterns[i].errorAcquire();
            refusal = isFirst(error) || refusal == 0 ? error : refusal;
        }
        return refusal;
    }

    /** Returns true for an error word that is not a consequence of giving up. */
    private static boolean isFirst(long error) {
        return error != 0 && InjectionCounter.code(error) != Refusal.ROUND_FAILED.code();
    }

    /** Returns true for a refusal by this member itself, or because of a death. */
    private boolean isOwn(long error) {
        final long code = InjectionCounter.code(error);
        return isFirst(error)
                && ((InjectionCounter.rank(error) == rank && !isOfCounter(code)) || Refusal.loss(code, rank) != null);
    }

    /** Returns true for a refusal by the owner of a counter: if that is this rank, by another member of it. */
    private static boolean isOfCounter(long code) {
        return switch (Refusal.of(code)) {
            case NO_SUCH_COUNTER, COUNTER_DISABLED, STALE_COUNTER -> true;
            default -> false;
        };
    }

    /**
     * Notifies the other members of a refusal here, and ends the rounds in progress that may not become complete.
     *
     * @param firstRound the first round that this member has not seen complete
     * @param deadlineNs of the caller, until which it may wait for the notice of another member
     */
    void handle(Context context, long firstRound, long deadlineNs) {
        awaitNotice(context, deadlineNs);
        final long error = refusal();
        final long notice = notices.notice(number);
        if (isFirst(error) && Refusal.loss(InjectionCounter.code(error), rank) == null) {
            giveUp(rank, firstRound);
            // A notice of a later round is replaced: this member sends nothing more for an earlier one, either.
            if (!notified && !FailedRounds.isFailed(notice, firstRound)) {
                notified = notices.notifyOthers(number, firstRound, error, isOwn(error));
            }
        }
        end(NO_RANK);
    }

    /**
     * Ends the rounds in progress, because the collective is being closed. Notices that had no room precede the end of
     * its counters, if there is room now.
     *
     * @param left rank of a member that has left; below zero for none
     */
    void close(int left) {
        end(left);
        notices.sendDeferred(number);
    }

    /** Returns true if no round is in progress, and none is known to have failed. */
    boolean areNone() {
        return refusal() == 0 && notices.notice(number) == FailedRounds.NONE && !isInProgress();
    }

    /** Returns true if the engine has not executed all rounds. */
    boolean isInProgress() {
        for (final Pattern pattern : patterns) {
            if (pattern.executedAcquire() < pattern.generation()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Ends the rounds in progress that are not before the first one that has failed elsewhere.
     *
     * @param left rank of a member that has left, because of which all rounds in progress end; below zero for none
     */
    private void end(int left) {
        final long notice = notices.notice(number);
        for (final Pattern pattern : patterns) {
            if (FailedRounds.isFailed(notice, pattern.executedAcquire() + 1)) {
                giveUp(pattern, notices.rank(notice));
            } else if (left >= 0) {
                giveUp(pattern, left);
            }
        }
    }

    private void giveUp(int failed, long firstRound) {
        for (final Pattern pattern : patterns) {
            if (pattern.executedAcquire() + 1 >= firstRound) {
                giveUp(pattern, failed);
            }
        }
    }

    private static void giveUp(Pattern pattern, int failed) {
        if (pattern.executedAcquire() < pattern.generation()) {
            PatternAccess.giveUp(pattern, failed);
        }
    }
}
