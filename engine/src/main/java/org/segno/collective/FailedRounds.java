package org.segno.collective;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Rmw;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * Notices of collectives of a geometry of which a round has failed at one member, for example because its user operator
 * has thrown an exception. That member sends nothing more for it, so it notifies all others: they would wait until
 * their deadlines.
 *
 * <p>The words of notices lie in each member's {@link Agreement}, behind the number of {@link StartedRounds}. A
 * collective has one of {@value #WORDS} words, by its number. The failing member changes the word by an atomic
 * operation, which counts no counter.
 *
 * <pre>
 *  bits   meaning
 *  0- 6   code of the refusal, negated
 *  7-19   member at which the round has failed
 * 20-39   low bits of the number of the first round that may not become complete
 * 40-63   low bits of the number of the collective in the order of recordings, from 1
 * </pre>
 */
final class FailedRounds {
    /** Word of a collective without a notice. */
    static final long NONE = 0;

    /** Bytes of the number before the words. */
    private static final int OFFSET = Long.BYTES;

    private static final int WORDS = (Proposal.LENGTH - OFFSET) / Long.BYTES;
    private static final int MEMBER_SHIFT = 7;
    private static final int ROUND_SHIFT = 20;
    private static final int COLLECTIVE_SHIFT = 40;
    private static final int CODE_MASK = (1 << MEMBER_SHIFT) - 1;
    private static final int MEMBER_MASK = (1 << (ROUND_SHIFT - MEMBER_SHIFT)) - 1;
    private static final int ROUND_BITS = COLLECTIVE_SHIFT - ROUND_SHIFT;
    private static final int ROUND_MASK = (1 << ROUND_BITS) - 1;
    private static final int COLLECTIVE_MASK = (1 << (Long.SIZE - COLLECTIVE_SHIFT)) - 1;

    private final GeometryResources resources;
    private final Members members;
    private final int self;
    private final Rmw change = new Rmw();
    private AtomicBuffer own;
    private Target[] pairs = {};

    /** Those for which the FIFO had no room, until their collectives are closed. */
    private final List<Notices> deferred = new ArrayList<>();

    /** Uses words behind the number at {@code numberOffset} of the agreement's window. */
    FailedRounds(GeometryResources resources, Members members, int self, Window window, long numberOffset) {
        this.resources = resources;
        this.members = members;
        this.self = self;
        this.own = window.buffer(numberOffset + OFFSET, WORDS * Long.BYTES);
        own.setMemory(0, own.capacity(), (byte) 0);
    }

    /** Sets the agreements' pairs of the other members. */
    void connect(Target[] others) {
        pairs = others;
    }

    /**
     * Notifies the other members of a failure here, except for those that have died or left. Never blocks: members for
     * which the FIFO has no room now are notified by posted work of the context, once there is.
     *
     * @param collective its number in the order of recordings
     * @param round the first one that may not become complete
     * @param error as in an injection counter
     * @param isOwn false for a refusal by another member, which may be a consequence of a failure there: its notice
     *     replaces none but the one that is known here, of a later round
     * @return false if not all are notified, nor will be: the call is made in a handler, the queue of posted work is
     *     full, or the geometry or its node is closed
     */
    boolean notifyOthers(long collective, long round, long error, boolean isOwn) {
        final Context context = resources.context();
        final long word = (collective & COLLECTIVE_MASK) << COLLECTIVE_SHIFT
                | (round & ROUND_MASK) << ROUND_SHIFT
                | (long) self << MEMBER_SHIFT
                | (-InjectionCounter.code(error) & CODE_MASK);
        final Notices notices = new Notices(collective, word, isOwn);
        try {
            boolean areSent = pairs.length != 0 && notices.send(context);
            ContextAccess.runEngine(context);
            areSent = areSent || notices.send(context);
            return areSent || (pairs.length != 0 && isDeferred(context, notices));
        } catch (final IllegalStateException | SegnoException e) {
            return false;
        }
    }

    private boolean isDeferred(Context context, Notices notices) {
        if (context.post(() -> notices.poll(context)) < 0) {
            return false;
        }
        deferred.add(notices);
        return true;
    }

    /** Sends the deferred notices of a collective that is being closed, if the FIFO has room now. */
    void sendDeferred(long collective) {
        final Context context = resources.context();
        for (final Notices each : deferred) {
            if (each.collective == collective) {
                ContextAccess.runEngine(context);
                each.poll(context);
                ContextAccess.runEngine(context);
            }
        }
        deferred.removeIf(each -> each.collective == collective);
    }

    /** The notices of one failure, which are sent to one member after the other. */
    private final class Notices {
        private final long collective;
        private final long word;
        private final boolean replaces;

        /** Distance to the next member. */
        private int distance = 1;

        Notices(long collective, long word, boolean replaces) {
            this.collective = collective;
            this.word = word;
            this.replaces = replaces;
        }

        /** Sends them until the FIFO is full. Returns true if all are sent, or the geometry is closed. */
        boolean send(Context context) {
            final Target[] others = pairs;
            while (distance < others.length) {
                final int member = (self + distance) % others.length;
                if (context.failure(members.rank(member)) == null && !isSent(context, others[member].ofRound(0))) {
                    return false;
                }
                distance++;
            }
            return true;
        }

        private boolean isSent(Context context, Target even) {
            if (replaces) {
                change.swap(word);
            } else {
                change.compareAndSet(notice(collective), word);
            }
            final long offset = (long) members.size() * Proposal.LENGTH + OFFSET + at(collective);
            return context.rmw(even, offset, change) != Status.BACK_PRESSURED;
        }

        long poll(Context context) {
            try {
                return send(context) ? 0 : Status.AGAIN;
            } catch (final IllegalStateException | SegnoException e) {
                // The geometry, its client or its node was closed: nobody waits for it any more.
                return 0;
            }
        }
    }

    private static int at(long collective) {
        return (int) (collective % WORDS) * Long.BYTES;
    }

    /** Returns the notice of a collective of a number, or {@link #NONE}. */
    long notice(long collective) {
        final long word = own.getLongAcquire(at(collective));
        return word >>> COLLECTIVE_SHIFT == (collective & COLLECTIVE_MASK) && member(word) < members.size()
                ? word
                : NONE;
    }

    private static int member(long notice) {
        return (int) (notice >>> MEMBER_SHIFT) & MEMBER_MASK;
    }

    /** Returns true if a round may not become complete. Members are a few rounds apart at most. */
    static boolean isFailed(long notice, long round) {
        final int ahead = (int) (round - (notice >>> ROUND_SHIFT)) << (Integer.SIZE - ROUND_BITS);
        return notice != NONE && ahead >= 0;
    }

    /** Returns the rank of the member that has sent a notice. */
    int rank(long notice) {
        return members.rank(member(notice));
    }

    /** Returns the exception of a notice. */
    RefusedException exception(long notice, Object collective) {
        return new RefusedException(
                rank(notice),
                members.describe(member(notice)) + " has failed: " + Refusal.reason(-(notice & CODE_MASK)) + "; in "
                        + collective);
    }

    /** Uses the window no more. */
    void close() {
        pairs = new Target[0];
        own = new UnsafeBuffer(new byte[WORDS * Long.BYTES]);
    }
}
