package org.segno.collective;

import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.multisend.JointPattern;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternAccess;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * A collective of one geometry that is recorded at all of its members. Each round is one entry in a ring, and the
 * engine carries it out; the members start their rounds in the same order. Used by the one thread that holds the
 * contexts.
 *
 * <p>The contribution and the result of a round belong to the engine from its start until it is complete here. A round
 * may be complete here before it is complete elsewhere. Other members may be one round ahead or behind. After a failure
 * the contribution must stay as it is until this member has called {@link Geometry#survivors} or closed the collective:
 * a slower member may still be reading it, and complete the round with it.
 *
 * <p>A member at which a round was refused notifies the others as soon as a method of this class reports that there.
 * Their waits end with the same reason, some milliseconds later, if the round does not become complete meanwhile. No
 * later round that needs anything of that member becomes complete: all members close the collective, and may prepare
 * another one.
 */
public final class Collective implements AutoCloseable {
    /** Limit of the wait for all members if each round is checked. */
    private static final long CHECK_LIMIT_S = 60;

    private final Geometry geometry;
    private final Preparation preparation;
    private final CallBuffers buffers;
    private final Context[] contexts;
    private final RoundPatterns patterns;

    /** The first context. */
    private final Context context;

    /** The pattern in {@link #context} if there are no others; otherwise null. */
    private final @Nullable Pattern single;

    private final StartedRounds started;

    private @Nullable RoundCallback callback;

    /** Number of the last round among all that this member has started in the geometry. */
    private long startedAs;

    /** Last round that was seen complete, at the latest when the last one was started or queued; 0 for none. */
    private long completeBefore;

    private final long number;
    private final boolean checksRounds;

    private final CollectiveFailure failures;

    /** Last round that all members have agreed on. */
    private long agreedRound;

    /** The round that {@link #runOrContinue} has started, until a wait reports that it is complete; otherwise 0. */
    private long lateRound;

    private boolean failed;
    private boolean closed;

    Collective(Geometry geometry, Preparation preparation, JointPattern joint, long number, boolean checksRounds) {
        this.geometry = geometry;
        this.number = number;
        this.checksRounds = checksRounds;
        this.preparation = preparation;
        this.buffers = new CallBuffers(
                preparation.call(),
                geometry.self(),
                geometry.size(),
                preparation.parts().get(0).memory());
        this.contexts = preparation.parts().stream().map(Part::context).toArray(Context[]::new);
        this.patterns = new RoundPatterns(contexts, joint);
        this.context = contexts[0];
        this.single = patterns.single();
        this.started = geometry.agreement().started();
        final SkippedRounds skipped = new SkippedRounds(geometry.agreement(), preparation);
        this.failures =
                new CollectiveFailure(geometry.agreement().failures(), number, patterns.all(), context.rank(), this);
        for (final Pattern pattern : patterns.all()) {
            PatternAccess.failureElsewhere(
                    pattern, round -> skipped.isNone(startedAs) ? failures.elsewhere(round, false) : null);
        }
    }

    /**
     * Starts the next round. Never blocks.
     *
     * @return its number, from 1; {@link Status#BUSY} while the last round is in progress, {@link
     *     Status#BACK_PRESSURED} while there is no room: advance then, and call again. With several contexts, the
     *     contribution belongs to the engines from the first call on
     * @throws org.segno.status.PeerFailedException if a member is known to have died that this round needs, or the one
     *     in progress
     * @throws org.segno.status.RefusedException if a round has failed at this member, for example because an operator
     *     has thrown, or the last one waits for another member at which one has failed
     */
    public long start() {
        return start(false);
    }

    private long start(boolean isAwaited) {
        if (checksRounds) {
            check(Deadline.in(CHECK_LIMIT_S, TimeUnit.SECONDS));
        }
        if (callback != null && !callback.isReady()) {
            return Status.BACK_PRESSURED;
        }
        final Pattern only = single;
        if (only == null) {
            requireNoError();
        }
        try {
            final long round =
                    only == null ? patterns.replay() : isAwaited ? ContextAccess.begin(context, only) : start(only);
            return started(round, true);
        } catch (final IllegalStateException | SegnoException e) {
            throw startReason(e);
        }
    }

    /** Needs no objects in most cases but the pattern's own. */
    private long start(Pattern only) {
        final long round = PatternAccess.start(only);
        return round != 0 ? round : context.replay(only);
    }

    /**
     * Returns the exception of a use after the close, the failure that has caused a refusal, or the given one. Uses
     * fail by themselves after the close, so that those of each round need no check before.
     */
    private RuntimeException reason(RuntimeException thrown) {
        if (closed) {
            return new IllegalStateException(this + " is closed", thrown);
        }
        final ClosedException ended = geometry.resources().closedReason();
        if (ended != null) {
            return ended;
        }
        if (thrown instanceof RefusedException) {
            failed(Deadline.in(0, TimeUnit.NANOSECONDS));
            final SegnoException cause = failures.of(round());
            return cause == null ? thrown : cause;
        }
        return thrown;
    }

    private RuntimeException startReason(RuntimeException thrown) {
        return reason(thrown instanceof PeerFailedException dead ? failures.dead(context, dead) : thrown);
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
        geometry.resources().requireOpen();
    }

    /** Checks that no round has failed at this member: the others may wait for what that round has not sent. */
    private void requireNoError() {
        if (!closed && patterns.hasError()) {
            final SegnoException reason = failure();
            if (reason != null) {
                throw reason(reason);
            }
        }
    }

    /** Waits until all members start the next round. An attempt that finds no room does not repeat it. */
    private void check(long deadlineNs) {
        if (agreedRound == round()) {
            // A member at which a round has failed would be awaited in vain.
            requireNoError();
            final SegnoException elsewhere = failures.beforeStart(round() + 1);
            if (elsewhere != null) {
                throw reason(elsewhere);
            }
            geometry.agreeOnRound(preparation, number, deadlineNs);
            agreedRound = round() + 1;
        }
    }

    private long started(long round, boolean lastIsComplete) {
        if (round > 0) {
            completeBefore = lastIsComplete ? round - 1 : round - 2;
            startedAs = started.next();
        } else if (round == Status.BUSY) {
            requirePossible();
        }
        return round;
    }

    /** Checks that the round in progress may become complete: otherwise the next one would be busy for ever. */
    private void requirePossible() {
        requireNoError();
        final SegnoException failure = failure();
        if (failure == null) {
            return;
        }
        if (ContextAccess.isInPass(context)) {
            throw reason(failure);
        }
        // Throws the reason, unless everything had arrived before.
        isMetNow();
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
        if (call().kind() == CollectiveKind.BARRIER) {
            throw new IllegalStateException("a barrier cannot be queued: await the last round of " + this);
        }
        if (checksRounds) {
            check(Deadline.in(CHECK_LIMIT_S, TimeUnit.SECONDS));
        }
        if (callback != null && !callback.isReady()) {
            return Status.BACK_PRESSURED;
        }
        requireOpen();
        requireNoError();
        final boolean lastIsComplete = isComplete();
        try {
            return started(patterns.queue(), lastIsComplete);
        } catch (final PeerFailedException | RefusedException e) {
            throw startReason(e);
        }
    }

    /**
     * Sets the handler that is called at the end of each later round, within {@code advance} of the geometry's first
     * context; null removes it. The rounds may be started or queued. {@link #test} and {@link #await} call it, too,
     * before they return that a round is over.
     *
     * @throws IllegalStateException if a round is in progress
     */
    public void onRound(@Nullable CollectiveHandler handler) {
        requireOpen();
        if (completeRound() != round()) {
            throw new IllegalStateException(this + " is in progress: await it before another handler is set");
        }
        RoundCallback calls = callback;
        if (calls == null) {
            calls = new RoundCallback(context, this);
            callback = calls;
        }
        calls.set(handler);
    }

    /** Returns the round that was started or queued last, or 0. */
    public long round() {
        return patterns.generation();
    }

    /**
     * Returns the last round that is known to be complete here, or 0. Once a round has failed, those that were in
     * progress then do not count, whichever failed, unless they were known to be complete.
     */
    long completeRound() {
        if (!patterns.hasError()) {
            final long complete = isComplete() ? round() : Math.min(round() - 1, patterns.executed());
            // Rounds that are given up count as executed.
            completeBefore = patterns.hasError() ? completeBefore : Math.max(completeBefore, complete);
        }
        return completeBefore;
    }

    /**
     * Returns the last round that all survivors of a death know to be complete, together with all of them: it is equal
     * at all. Later rounds may have replaced its results already, so an application that continues from a round must
     * have kept a copy of its results. It is the last round that was started here, or up to three before.
     *
     * @param survivors geometry of {@link Geometry#survivors}
     * @throws org.segno.status.SegnoException as {@link Geometry#run}
     */
    public long completeAtAll(Geometry survivors, long deadlineNs) {
        requireOpen();
        final UnsafeBuffer round = new UnsafeBuffer(new byte[Long.BYTES]);
        advance();
        round.putLong(0, completeRound());
        final Call least = Call.allreduce(Long.BYTES, Reduction.of(ElementType.LONG, Operator.MINIMUM));
        survivors.run(least, round, 0, round, 0, deadlineNs);
        return round.getLong(0);
    }

    /** Returns the reason why the round in progress may not become complete any more, or null. */
    @Nullable
    SegnoException failure() {
        for (final Pattern pattern : patterns.all()) {
            try {
                pattern.requireAlive();
            } catch (final PeerFailedException e) {
                return failures.dead(context, e);
            }
        }
        final SegnoException failure = failures.of(round());
        if (failure != null) {
            return failure;
        }
        return ContextAccess.peerChanges(context) == 0 ? null : geometry.departure();
    }

    /** Records that the round in progress has failed, so that the collective can be closed. */
    void failed(long deadlineNs) {
        failed = true;
        started.fail();
        failures.handle(context, completeBefore + 1, deadlineNs);
    }

    /**
     * Returns true when the round that was started last is complete here, never for one that has failed. The contexts
     * must be advanced meanwhile.
     */
    public boolean isComplete() {
        requireOpen();
        try {
            // The engine has executed a round that it gave up, too.
            return patterns.isComplete();
        } catch (final IllegalStateException | SegnoException e) {
            throw reason(e);
        }
    }

    /**
     * Advances the contexts once, and returns {@link #isComplete}. Polls need a limit of their own: a member that has
     * left the job or closed its client may have sent all that this round needs, so that its departure ends none.
     *
     * @throws SegnoException as {@link #await}, if the round cannot complete any more
     */
    public boolean test() {
        advance();
        final boolean isOver = isComplete() || (failure() != null && isMetNow());
        if (isOver) {
            report();
        }
        return isOver;
    }

    private void advance() {
        for (final Context context : contexts) {
            context.advance();
        }
    }

    private boolean isMetNow() {
        try {
            // Data that arrived before a death may still complete the round.
            if (round() != 0) {
                awaitRound(round(), Deadline.in(0, TimeUnit.NANOSECONDS));
            }
            return true;
        } catch (final DeadlineException e) {
            return false;
        }
    }

    /**
     * Waits until the round that was started last is complete here. Returns at once if there is none.
     *
     * @throws org.segno.status.SegnoException as the waits of a context. At the deadline the message names the members
     *     that have started fewer rounds of the geometry
     */
    public void await(long deadlineNs) {
        if (round() != 0) {
            await(round(), deadlineNs);
        }
    }

    private void await(long round, long deadlineNs) {
        try {
            awaitRound(round, deadlineNs);
        } catch (final DeadlineException e) {
            throw late(e, round);
        }
    }

    private SegnoException late(DeadlineException reason, long round) {
        final SegnoException elsewhere = failures.elsewhere(round, true);
        if (elsewhere != null) {
            failed(Deadline.in(0, TimeUnit.NANOSECONDS));
            return elsewhere;
        }
        return geometry.agreement().late(reason, geometry.hosts().beside(geometry.self()), startedAs);
    }

    private void awaitRound(long round, long deadlineNs) {
        requireOpen();
        try {
            patterns.await(round, deadlineNs);
        } catch (final DeadlineException e) {
            // The round may still complete.
            throw e;
        } catch (final SegnoException e) {
            failed(deadlineNs);
            throw reason(e);
        } catch (final IllegalStateException e) {
            throw reason(e);
        }
        report();
    }

    private void report() {
        lateRound = 0;
        if (callback != null) {
            callback.report();
        }
    }

    /**
     * Starts the next round, as soon as the last one is complete, and waits for it. A round that is complete at once
     * needs no pass of the context, as in {@link Context#run}.
     *
     * @throws DeadlineException at the deadline. If the round has started, {@link #await} continues the wait; another
     *     {@code run} starts one more round
     * @throws org.segno.status.SegnoException as {@link #start} and {@link #await}
     */
    public void run(long deadlineNs) {
        ContextAccess.requireOutsidePass(context);
        finish(begin(deadlineNs), deadlineNs);
    }

    private void finish(long round, long deadlineNs) {
        if (single != null && ContextAccess.isOver(context, single)) {
            report();
        } else {
            await(round, deadlineNs);
        }
    }

    /**
     * As {@link #run}. If the last call has started a round, and ended at its deadline, this one waits for that round
     * and starts none.
     */
    void runOrContinue(long deadlineNs) {
        ContextAccess.requireOutsidePass(context);
        if (isLate()) {
            await(lateRound, deadlineNs);
        } else {
            lateRound = begin(deadlineNs);
            finish(lateRound, deadlineNs);
        }
    }

    private boolean isLate() {
        return lateRound != 0 && lateRound == round();
    }

    private long begin(long deadlineNs) {
        if (checksRounds) {
            check(deadlineNs);
        }
        final long round = start(true);
        return round >= 0 ? round : startLater(deadlineNs);
    }

    private long startLater(long deadlineNs) {
        if (single != null && callback == null) {
            try {
                return started(ContextAccess.start(context, single, this, deadlineNs), true);
            } catch (final DeadlineException e) {
                throw late(CollectiveFailure.late(e.getMessage(), geometry.departure()), round());
            } catch (final PeerFailedException | RefusedException e) {
                throw startReason(e);
            }
        }
        long round = start();
        while (round < 0) {
            if (Deadline.reached(deadlineNs)) {
                throw CollectiveFailure.late(
                        "the deadline passed while waiting for " + this + ", which could not start: "
                                + Status.name(round),
                        geometry.departure());
            }
            if (round == Status.BUSY) {
                await(deadlineNs);
            } else {
                advance();
            }
            round = start();
        }
        return round;
    }

    /**
     * Returns the memory of this member's contribution, for a call without windows. For a broadcast it is that of the
     * result, too, at the root; the other members have none.
     */
    public AtomicBuffer input() {
        requireOpen();
        return buffers.input();
    }

    /** Returns the memory of this member's result, for a call without windows. */
    public AtomicBuffer output() {
        requireOpen();
        return buffers.output();
    }

    /** Copies this member's contribution from a buffer, unless the next {@link #runOrContinue} continues a round. */
    void copyIn(DirectBuffer from, int index, long deadlineNs) {
        if (isLate() || patterns.isPartlyStarted()) {
            return;
        }
        // The application may have started a round of this collective itself.
        if (!isComplete()) {
            await(deadlineNs);
        }
        buffers.copyIn(from, index);
    }

    /** Copies this member's result to a buffer. */
    void copyOut(MutableDirectBuffer to, int index) {
        buffers.copyOut(to, index);
    }

    Call call() {
        return preparation.call();
    }

    /** Returns its number in the order of recordings of the geometry; 0 if a round is in progress or has failed. */
    long closeable() {
        return failures.areNone() && !patterns.isPartlyStarted() ? number : 0;
    }

    /** Returns the name of the algorithm that carries it out. */
    public String algorithm() {
        return preparation.parts().get(0).algorithm().name();
    }

    /** Returns the number of parts at this member, each carried out by another context. */
    public int parts() {
        return contexts.length;
    }

    /** Returns the number of descriptors of a round at this member. */
    public int descriptors() {
        return patterns.descriptors();
    }

    /**
     * Closes it at this member, after its last round is complete here, or has failed with a member. Once a member has
     * left the job, a round in progress is given up. All members close it before they create another one in its place.
     * If {@link Geometry#collective} has recorded it, the next equal call records again. Idempotent. Without effect if
     * the client was closed, which has closed it.
     *
     * @throws IllegalStateException if the last round is in progress: await it first
     * @throws org.segno.status.ClosedException if the node has failed or was closed
     */
    @Override
    public void close() {
        if (closed || geometry.resources().closedReason() != null) {
            return;
        }
        requireCloseable();
        end(geometry.left());
    }

    /** Closes it. A round in progress is given up, unless {@code left}, the rank that is the reason, is below zero. */
    void end(int left) {
        closed = true;
        if (callback != null) {
            callback.set(null);
        }
        failures.close(left);
        patterns.close();
        preparation.close();
        geometry.remove(this);
    }

    /** Checks that no round is in progress that can still become complete. */
    void requireCloseable() {
        if (!closed && patterns.isPartlyStarted()) {
            throw new IllegalStateException(
                    this + " is started in some of its contexts only: start it until that succeeds, and await it");
        }
        final boolean isPossible = !failed || (failures.isBefore() && geometry.departure() == null);
        if (!closed && isPossible && failures.isInProgress() && geometry.left() < 0) {
            // The engine has ended, so that no round can be completed any more.
            ContextAccess.requireOpen(context);
            throw new IllegalStateException(this + " is in progress: await it before closing it");
        }
    }

    @Override
    public String toString() {
        return call() + " by " + algorithm() + " of " + geometry + ", round " + round();
    }
}
