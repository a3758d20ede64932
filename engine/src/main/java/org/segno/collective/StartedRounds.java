package org.segno.collective;

import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Deadline;

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

    /** Limit of the question, for an engine with a thread of its own that has no core. */
    private static final long ANSWER_MS = 100;

    private static final long NO_ANSWER = -1;

    private final GeometryResources resources;
    private final int[] ranks;
    private final Window window;
    private final AtomicBuffer own;
    private final AtomicBuffer answers;
    private final long answersOffset;
    private Target[] pairs = {};
    private long count;

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
        return (long) members * Long.BYTES;
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
        final InjectionCounter arrived = counter();
        if (arrived == null) {
            return "";
        }
        try {
            ask(beside, self, arrived);
        } finally {
            resources.client().close(arrived);
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

    private @Nullable InjectionCounter counter() {
        try {
            return resources.client().injectionCounter();
        } catch (final IllegalStateException e) {
            // None is left.
            return null;
        }
    }

    private void ask(int[] beside, int self, InjectionCounter arrived) {
        final Context context = resources.context();
        final long deadlineNs = Deadline.in(ANSWER_MS, TimeUnit.MILLISECONDS);
        arrived.expect(beside.length * (long) Long.BYTES);
        for (final int member : beside) {
            answers.putLong(member * Long.BYTES, NO_ANSWER);
            while (member != self && !asked(context, member, arrived) && !Deadline.reached(deadlineNs)) {
                context.advance();
            }
        }
        while (arrived.valueAcquire() > Long.BYTES && !Deadline.reached(deadlineNs)) {
            context.advance();
        }
    }

    private boolean asked(Context context, int member, InjectionCounter arrived) {
        final long offset = (long) member * Proposal.LENGTH + OFFSET;
        final long answer = answersOffset + (long) member * Long.BYTES;
        return context.get(pairs[member].ofRound(0), offset, window, answer, Long.BYTES, arrived) >= 0;
    }
}
