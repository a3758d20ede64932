package org.segno.collective;

import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Rmw;
import org.segno.status.Deadline;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * Collectives of a geometry of which a round has failed at one member, for example because its user operator has thrown
 * an exception. That member sends nothing more for it, so it notifies all others: they would wait until their deadlines.
 *
 * <p>The word of a notice lies in each member's own slot of its {@link Agreement}, behind the number of
 * {@link StartedRounds}. The failing member changes it by an atomic operation, which counts no counter. The last
 * notice replaces earlier ones.
 *
 * <pre>
 *  bits   meaning
 *  0- 7   code of the refusal, negated
 *  8-31   member at which the round has failed
 * 32-63   number of the collective in the order of recordings, from 1
 * </pre>
 */
final class FailedRounds {
    /** Offset of the word in the slot. */
    static final int OFFSET = 2 * Long.BYTES;

    private static final int MEMBER_SHIFT = 8;
    private static final int CODE_MASK = (1 << MEMBER_SHIFT) - 1;
    private static final int MEMBER_MASK = (1 << (Integer.SIZE - MEMBER_SHIFT)) - 1;

    /** Time after a notice in which data that are on their way may still complete the round here. */
    private static final long GRACE_MS = 50;

    /** Passes in which a full FIFO may become free for a notice. */
    private static final int ATTEMPTS = 1000;

    private final GeometryResources resources;
    private final int[] ranks;
    private final int self;
    private final Rmw change = new Rmw();
    private AtomicBuffer own;
    private Target[] pairs = {};
    private long seen;
    private long graceEndNs;

    /** Uses a word in this member's own slot, which begins at {@code slotOffset} of the agreement's window. */
    FailedRounds(GeometryResources resources, int[] ranks, int self, Window window, long slotOffset) {
        this.resources = resources;
        this.ranks = ranks;
        this.self = self;
        this.own = window.buffer(slotOffset + OFFSET, Long.BYTES);
        own.putLongRelease(0, 0);
    }

    /** Sets the agreements' pairs of the other members. */
    void connect(Target[] others) {
        pairs = others;
    }

    /**
     * Notifies the other members that a round of a collective has failed here, except for those that have died or left.
     * Returns false if that was not possible: within a handler, or after the close of the geometry or its node.
     *
     * @param collective its number in the order of recordings
     * @param code of the refusal
     */
    boolean notifyOthers(long collective, int code) {
        final Context context = resources.context();
        change.swap(collective << Integer.SIZE | (long) self << MEMBER_SHIFT | (-code & CODE_MASK));
        try {
            for (int distance = 1; distance < pairs.length; distance++) {
                final int member = (self + distance) % pairs.length;
                if (context.failure(ranks[member]) == null) {
                    notify(context, member);
                }
            }
            ContextAccess.runEngine(context);
            return pairs.length != 0;
        } catch (final IllegalStateException | SegnoException e) {
            return false;
        }
    }

    private void notify(Context context, int member) {
        final Target even = pairs[member].ofRound(0);
        final long offset = (long) member * Proposal.LENGTH + OFFSET;
        for (int attempt = 0;
                attempt < ATTEMPTS && context.rmw(even, offset, change) == Status.BACK_PRESSURED;
                attempt++) {
            ContextAccess.runEngine(context);
        }
    }

    /**
     * Returns the failure of a collective at another member, or null.
     *
     * @param collective its number in the order of recordings
     * @param name of the collective, for the message
     * @param isDeadline true for a wait that ends now; otherwise the failure is returned after a grace period
     */
    @Nullable
    SegnoException failure(long collective, Object name, boolean isDeadline) {
        final long word = own.getLongAcquire(0);
        if (word >>> Integer.SIZE != collective) {
            return null;
        }
        if (word != seen) {
            seen = word;
            graceEndNs = Deadline.in(GRACE_MS, TimeUnit.MILLISECONDS);
        }
        final int member = (int) (word >>> MEMBER_SHIFT) & MEMBER_MASK;
        if (member >= ranks.length || !(isDeadline || Deadline.reached(graceEndNs))) {
            return null;
        }
        return new RefusedException(
                ranks[member],
                "member " + member + " (rank " + ranks[member] + ") has failed: " + Refusal.reason(-(word & CODE_MASK))
                        + "; in " + name);
    }

    /** Uses the window no more. */
    void close() {
        pairs = new Target[0];
        own = new UnsafeBuffer(new byte[Long.BYTES]);
    }
}
