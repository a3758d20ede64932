package org.segno.collective;

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
 * Numbers of the rounds that the members of a geometry have started. When a wait has reached its deadline, they show
 * which member has not started the round. A counter to which several members send shows only how many bytes are missing.
 *
 * <p>Each member writes its number to its own slot of its {@link Agreement}, which no other member writes, and others
 * read it there by a get. Only members on the same host are asked: their memory is mapped, so that they need not take
 * part, and may be stopped.
 */
final class StartedRounds {
    /** Offset of the number in the slot, behind the step of a proposal. */
    private static final int OFFSET = Long.BYTES;

    /**
     * Maximum time for reading the numbers. The engine's next pass reads them, unless the FIFO stands at a WAIT or the
     * engine's thread has no core.
     */
    private static final long ANSWER_MS = 500;

    /** In place of the number of a member that was not asked, or has not answered. */
    static final long NO_ANSWER = -1;

    private final GeometryResources resources;
    private final int[] ranks;
    private final Window window;
    private final AtomicBuffer answers;
    private final long answersOffset;
    private AtomicBuffer own;
    private Target[] pairs = {};
    private long count;
    private boolean areComparable = true;
    private boolean closed;

    /** Counts the bytes that are still to be read. Null until it is needed. */
    private @Nullable InjectionCounter arrived;

    /**
     * Uses two parts of the agreement's window.
     *
     * @param slotOffset of this member's own slot in its even set
     * @param answersOffset of a word for each member, into which its number is read
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

    /** Returns the length of the part of the window into which the numbers of all members are read. */
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

    /** Returns the number of the last one. */
    long count() {
        return count;
    }

    /** Records that a round has failed: from now on, members may refuse to start rounds that others have started. */
    void fail() {
        areComparable = false;
    }

    /** Returns true if all members start the same rounds. */
    boolean areComparable() {
        return areComparable;
    }

    /** Returns the number of rounds that a member has started, as the last question found it, or {@link #NO_ANSWER}. */
    long of(int member) {
        return answers.getLongAcquire(member * Long.BYTES);
    }

    /**
     * Reads the numbers of other members that have neither died nor left. Returns false if that was not possible: no
     * injection counter is free, this geometry or its node was closed, or the engine has not yet carried out what the
     * last call has injected.
     *
     * @param beside members on this host, itself included
     */
    boolean ask(int[] beside, int self) {
        final Context context = resources.context();
        if (closed) {
            return false;
        }
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
            // Some numbers may have been read.
            return true;
        } catch (final RefusedException e) {
            // A member has closed the geometry. What was refused is never counted down.
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
