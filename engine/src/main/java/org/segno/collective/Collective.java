package org.segno.collective;

import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.segno.context.Context;
import org.segno.pattern.Pattern;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * A collective of one geometry that is recorded at all of its members. Each round is one entry in a ring, and the
 * engine carries it out; the members start their rounds in the same order. Used by the one thread that holds the
 * context.
 *
 * <p>The contribution and the result of a round belong to the engine from its start until it is complete here. A round
 * may be complete here before it is complete elsewhere. Other members may be one round ahead or behind.
 */
public final class Collective implements AutoCloseable {
    private final Geometry geometry;
    private final Context context;
    private final Call call;
    private final Algorithm algorithm;
    private final CollectiveMemory memory;
    private final Pattern pattern;
    private boolean failed;
    private boolean closed;

    Collective(Geometry geometry, Call call, Algorithm algorithm, CollectiveMemory memory, Pattern pattern) {
        this.geometry = geometry;
        this.context = geometry.context();
        this.call = call;
        this.algorithm = algorithm;
        this.memory = memory;
        this.pattern = pattern;
    }

    /**
     * Starts the next round. Never blocks.
     *
     * @return its number, from 1; {@link Status#BUSY} while the last round is in progress, {@link
     *     Status#BACK_PRESSURED} while there is no room: advance then
     * @throws org.segno.status.PeerFailedException if a member is known to have died
     */
    public long start() {
        return context.replay(pattern);
    }

    /**
     * Starts the next round, or queues it while the last one is in progress. The engine begins it without the
     * application; it then reads the contribution that is in memory, and its result replaces that of the
     * last round.
     *
     * @return as {@link #start}; {@link Status#BUSY} while two rounds are in progress
     * @throws IllegalStateException for a barrier, which a member cannot enter before it has left the last one
     */
    public long queue() {
        if (call.kind() == CollectiveKind.BARRIER) {
            throw new IllegalStateException("a barrier cannot be queued: await the last round of " + this);
        }
        return context.queue(pattern);
    }

    /** Returns the round that was started or queued last, or 0. */
    public long round() {
        return pattern.generation();
    }

    /** Returns true when the round that was started last is complete here. The context must be advanced meanwhile. */
    public boolean isComplete() {
        return pattern.isComplete();
    }

    /**
     * Advances the context once, and returns {@link #isComplete}.
     *
     * @throws SegnoException as {@link #await}, if the round cannot complete any more
     */
    public boolean test() {
        context.advance();
        return pattern.isComplete() || isMetOrFails();
    }

    private boolean isMetOrFails() {
        try {
            pattern.requireAlive();
            return pattern.errorAcquire() != 0 && isMetNow();
        } catch (final PeerFailedException e) {
            // Data that arrived before the death may still complete the round.
            return isMetNow();
        }
    }

    private boolean isMetNow() {
        try {
            await(Deadline.in(0, TimeUnit.NANOSECONDS));
            return true;
        } catch (final DeadlineException e) {
            return false;
        }
    }

    /**
     * Waits until the round that was started last is complete here. Returns at once if there is none.
     *
     * @throws org.segno.status.SegnoException as the waits of a context
     */
    public void await(long deadlineNs) {
        final long round = pattern.generation();
        if (round != 0) {
            await(round, deadlineNs);
        }
    }

    private void await(long round, long deadlineNs) {
        try {
            context.await(pattern, round, deadlineNs);
        } catch (final DeadlineException e) {
            throw e;
        } catch (final SegnoException e) {
            failed = true;
            throw e;
        }
    }

    /**
     * Starts the next round, as soon as the last one is complete, and waits for it.
     *
     * @throws org.segno.status.SegnoException as {@link #start} and {@link #await}
     */
    public void run(long deadlineNs) {
        long round = start();
        while (round < 0) {
            if (Deadline.reached(deadlineNs)) {
                throw new DeadlineException(
                        "the deadline passed while " + this + " could not start: " + Status.name(round));
            }
            context.advance();
            round = start();
        }
        await(round, deadlineNs);
    }

    /**
     * Returns the memory of this member's contribution, for a call without windows. For a broadcast it is that of the
     * result, too.
     */
    public AtomicBuffer input() {
        final long bytes = call.sourceBytes(geometry.self(), geometry.size());
        return memory.source().buffer(memory.source(0), (int) bytes);
    }

    /** Returns the memory of this member's result, for a call without windows. */
    public AtomicBuffer output() {
        final long bytes = call.targetBytes(geometry.self(), geometry.size());
        return memory.target().buffer(memory.target(0), (int) bytes);
    }

    /** Copies this member's contribution from a buffer. */
    void copyIn(DirectBuffer from, int index) {
        final int bytes = (int) call.sourceBytes(geometry.self(), geometry.size());
        if (bytes != 0) {
            memory.source().putBytes(memory.source(0), from, index, bytes);
        }
    }

    /** Copies this member's result to a buffer. */
    void copyOut(MutableDirectBuffer to, int index) {
        final int bytes = (int) call.targetBytes(geometry.self(), geometry.size());
        if (bytes != 0) {
            memory.target().getBytes(memory.target(0), to, index, bytes);
        }
    }

    /** Returns the name of the algorithm that carries it out. */
    public String algorithm() {
        return algorithm.name();
    }

    /** Returns the number of descriptors of a round at this member. */
    public int descriptors() {
        return pattern.descriptors();
    }

    /**
     * Closes it at this member, after its last round is complete here, or has failed with a member; all members close
     * it before they create another one in its place. Idempotent.
     *
     * @throws IllegalStateException if the last round is in progress: await it first
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        requireCloseable();
        closed = true;
        pattern.close();
        memory.close();
    }

    /** Checks that no round is in progress. One that cannot complete any more, because a member has died, is not. */
    void requireCloseable() {
        final boolean isExecuted = pattern.executedAcquire() >= pattern.generation();
        if (!closed && !failed && !isExecuted) {
            throw new IllegalStateException(this + " is in progress: await it before closing it");
        }
    }

    @Override
    public String toString() {
        return call + " by " + algorithm.name() + " of " + geometry + ", round " + pattern.generation();
    }
}
