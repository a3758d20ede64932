package org.segno.collective;

import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.status.Deadline;

/**
 * Rounds of a collective that another member has skipped: it calls something new, for which it waits for this member,
 * which waits for that member in a round that was recorded. Neither could continue before its deadline. The number of
 * rounds in the other's proposal shows that.
 *
 * <p>A wait of this member then throws an exception, and declines the new call, which fails at all members that take
 * part. The round stays in progress: it becomes complete if the other member starts it after all. Nothing is compared
 * once posted work, such as a handler of rounds, may have started rounds, or one has failed. Used by the one thread
 * that holds the contexts.
 */
final class SkippedRounds {
    /** Time in which the other member may still withdraw what it calls, at its deadline. */
    private static final long GRACE_MS = 1_000;

    private static final int NOBODY = -1;

    private final Agreement agreement;
    private final Preparation preparation;

    /** Round of the wait that has found such a proposal; 0 for none. */
    private long seen;

    private long graceEndNs;

    SkippedRounds(Agreement agreement, Preparation preparation) {
        this.agreement = agreement;
        this.preparation = preparation;
    }

    /**
     * Returns true while no member is known to have skipped a round, or one before it.
     *
     * @param last number of the round among all that this member has started in the geometry
     * @throws IllegalStateException if one has; the message names the member and the argument
     */
    boolean isNone(long last) {
        final int member = agreement.isCalled() ? agreement.skipping(last) : NOBODY;
        if (member == NOBODY) {
            seen = 0;
            return true;
        }
        if (seen != last) {
            seen = last;
            graceEndNs = Deadline.in(GRACE_MS, TimeUnit.MILLISECONDS);
        } else if (Deadline.reached(graceEndNs)) {
            seen = 0;
            throw decline(member, last);
        }
        return true;
    }

    private IllegalStateException decline(int member, long last) {
        final Call call = preparation.call();
        final DirectBuffer early = agreement.early(member);
        final UnsafeBuffer own = new UnsafeBuffer(new byte[Proposal.LENGTH]);
        Proposal.call(own, call, preparation.parts().get(0));
        final boolean isSame = Proposal.stepOf(early) == Proposal.stepOf(own);
        final String difference = Proposal.isWhole(early) ? Proposal.difference(early, own) : null;
        final String other = agreement.describe(member) + " "
                + (difference == null ? Proposal.describe(early) + (isSame ? " anew" : "") : difference);
        agreement.decline("it waits in round " + last + ", a recorded " + call.kind() + "; " + other);
        return new IllegalStateException(other + "; this member waits in round " + last + ", a recorded " + call
                + ": all members call the same collectives in the same order, and a call is new at all of them or at"
                + " none");
    }
}
