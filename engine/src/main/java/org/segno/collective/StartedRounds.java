package org.segno.collective;

import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;

/**
 * Number of the rounds that this member has started in its geometry, where others find it: when a wait has reached its
 * deadline, they read it to name who is missing. Counters cannot show that if several members send to one.
 *
 * <p>The number lies in this member's own slot of its {@link Agreement}, which no other member writes. Only members on
 * this host are asked: their memory is mapped, so that they need not take part, and may be stopped.
 */
final class StartedRounds {
    /** Offset of the number in the slot, behind the step of a proposal. */
    private static final int OFFSET = Long.BYTES;

    /** Number of members that a message names. */
    private static final int NAMED_MEMBERS = 8;

    /** Limit of a question, whose answers come with the next pass, unless a FIFO is held or an engine has no core. */
    private static final long ANSWER_MS = 500;

    private static final long NO_ANSWER = -1;

    private final GeometryResources resources;
    private final int[] ranks;
    private final Window window;
    private final AtomicBuffer answers;
    private final long answersOffset;
    private AtomicBuffer own;
    private Target[] pairs = {};
    private long count;
    private boolean closed;

    /** Counter of all questions, from the first one on. */
    private @Nullable InjectionCounter arrived;

    /**
     * Uses two parts of the agreement's window.
     *
     * @param slotOffset of this member's own slot in its even set
     * @param answersOffset of a word for each member
     */
    StartedRounds(GeometryResources resources, int[] ranks, Window window, long slotOffset, long answersOffset) {
        this.resources = resources;
        this.ranks = ranks;
        this.window = window;
        this.own = window.buffer(slotOffset + OFFSET, Long.BYTES);
        this.answersOffset = answersOffset;
        this.answers = window.buffer(answersOffset, ranks.length * Long.BYTES);
        own.putLongRelease(0, 0);
    }

    /** Returns the bytes of the words for answers. */
    static long bytes(int members) {
        return BitUtil.align((long) members * Long.BYTES, Proposal.LENGTH);
    }

    /** Sets the agreements' pairs of the other members. */
    void connect(Target[] others) {
        pairs = others;
    }

    /** Counts a round that this member starts. Returns its number. */
    long next() {
        own.putLongRelease(0, ++count);
        return count;
    }

    /**
     * Describes the members that have started fewer rounds than this one, up to a round of it.
     *
     * @param beside members on this host, itself included
     * @param round number of the round, of {@link #next}
     * @return nothing if there is none, or they cannot be asked
     */
    String behind(int[] beside, int self, long round) {
        if (closed || !ask(beside, self)) {
            return "";
        }
        final StringJoiner named = new StringJoiner(", ");
        int behind = 0;
        for (final int member : beside) {
            final long started = answers.getLongAcquire(member * Long.BYTES);
            if (member != self && started != NO_ANSWER && started < round && ++behind <= NAMED_MEMBERS) {
                named.add("member " + member + " (rank " + ranks[member] + ") has started " + started + " of " + round
                        + " rounds here");
            }
        }
        return behind <= NAMED_MEMBERS ? named.toString() : named + ", and " + (behind - NAMED_MEMBERS) + " others";
    }

    /**
     * Asks members that are in the job. Returns false if nothing was asked: there is no injection counter, the node is
     * being closed, or the last question has no answer yet, because its FIFO is held. The caller reports its deadline.
     */
    private boolean ask(int[] beside, int self) {
        final Context context = resources.context();
        try {
            final InjectionCounter counter =
                    arrived == null ? resources.client().injectionCounter() : arrived;
            arrived = counter;
            if (counter.valueAcquire() > 0) {
                return false;
            }
            for (final int member : beside) {
                answers.putLong(member * Long.BYTES, NO_ANSWER);
                if (member != self && context.failure(ranks[member]) == null && isAsked(context, member, counter)) {
                    counter.expect(Long.BYTES);
                }
            }
            context.await(counter, Deadline.in(ANSWER_MS, TimeUnit.MILLISECONDS));
            return true;
        } catch (final DeadlineException e) {
            // Some may have answered.
            return true;
        } catch (final RefusedException e) {
            // A member has closed the geometry. The rest of its bytes is never counted.
            forget();
            return true;
        } catch (final SegnoException | IllegalStateException e) {
            return false;
        }
    }

    private boolean isAsked(Context context, int member, InjectionCounter counter) {
        final long offset = (long) member * Proposal.LENGTH + OFFSET;
        final long answer = answersOffset + (long) member * Long.BYTES;
        return context.get(pairs[member].ofRound(0), offset, window, answer, Long.BYTES, counter) >= 0;
    }

    private void forget() {
        final InjectionCounter counter = arrived;
        if (counter != null) {
            arrived = null;
            resources.client().close(counter);
        }
    }

    /** Uses the window no more. Rounds may still be counted. */
    void close() {
        closed = true;
        own = new UnsafeBuffer(new byte[Long.BYTES]);
        forget();
    }
}
