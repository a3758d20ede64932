package org.segno.multisend;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.geometry.Endpoint;
import org.segno.memory.ReceptionCounter;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternAccess;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.Status;

/**
 * One pattern with operations in several contexts, so that the engine of each carries out a part. It has a section in
 * every context. The sections are recorded together and started together, and the pattern is complete when all of them
 * are. Used by one thread at a time, which must hold all of the contexts.
 *
 * <p>There is no order between operations of different contexts. Operations that depend on one another must go through
 * the same context, or wait for a counter.
 */
public final class JointPattern implements AutoCloseable {
    /** Passes over all contexts before a wait checks each of them for failures. */
    private static final int CLOSE_LOOKS = 1000;

    /** Limit of the wait for one context, in microseconds, while the others do not advance. */
    private static final long SLICE_US = 200;

    /** Number of changes before the first one: with it, there is nothing to check. */
    private static final long UNCHECKED = 0;

    private final Context[] contexts;
    private final Pattern[] patterns;
    private long generation;

    /** Number of changes of peers at which the last round was seen not to fail. */
    private long checkedChanges = UNCHECKED;

    /** Number of leading contexts in which the next round is started. */
    private int begun;

    private JointPattern(Context[] contexts, Pattern[] patterns) {
        this.contexts = contexts;
        this.patterns = patterns;
        this.generation = patterns[0].generation();
    }

    /** Returns false if the last round was already seen not to fail at this number of changes of peers. */
    boolean isUnchecked(long changes) {
        return checkedChanges != changes;
    }

    /** Records that the last round does not fail at this number of changes of peers. */
    void checked(long changes) {
        checkedChanges = changes;
    }

    /**
     * Records the operations and expectations of {@code body} through any of {@code contexts}, as
     * {@link Context#record} does for one. Each context has a part. Operations through other contexts are refused. A
     * separate recording in one of {@code contexts} is refused until this one has ended.
     *
     * @param id identifies the section in every context; a pattern of the same id is replaced, and must be at the same
     *     round in all contexts
     * @throws IllegalArgumentException if a context is given twice, none is given, or they do not belong to one client
     * @throws IllegalStateException if the body cannot be recorded or replayed; the message gives the reason.
     *     Descriptors that the body sent before are sent, and nothing is kept
     */
    public static JointPattern record(int id, Rounds rounds, Runnable body, Context... contexts) {
        Objects.requireNonNull(rounds, "rounds");
        Objects.requireNonNull(body, "body");
        requireAlike(id, contexts);
        requireComplete(id, contexts);
        return make((context, part) -> context.record(id, rounds, part), body, contexts);
    }

    /**
     * Records as {@link #record}, without sending. The contexts were checked before.
     *
     * @param purpose of the pattern, for messages
     */
    static JointPattern prepare(Rounds rounds, String purpose, Runnable body, Context... contexts) {
        final JointPattern prepared = make((context, part) -> context.prepare(rounds, part), body, contexts);
        for (final Pattern pattern : prepared.patterns) {
            PatternAccess.purpose(pattern, purpose);
        }
        return prepared;
    }

    /** Maker of the section of one context. */
    @FunctionalInterface
    private interface Maker {
        Pattern make(Context context, Runnable body);
    }

    private static JointPattern make(Maker maker, Runnable body, Context[] contexts) {
        final Pattern[] patterns = new Pattern[contexts.length];
        boolean recorded = false;
        try {
            open(maker, body, contexts, patterns, 0);
            recorded = true;
        } finally {
            for (int i = 0; i < patterns.length && !recorded; i++) {
                if (patterns[i] != null) {
                    patterns[i].close();
                }
            }
        }
        return new JointPattern(contexts.clone(), patterns);
    }

    /**
     * Returns the existing joint pattern of this id in all of {@code contexts}. {@link #record} created it, or it was
     * saved by an earlier job and loaded in this one: then its generation is 0, and its first replay is round 1. The
     * contexts must be those of its recording.
     *
     * @return null if none of them has a pattern of this id
     * @throws IllegalArgumentException as {@link #record}
     * @throws IllegalStateException if only some of them have one, or their rounds differ; the message describes the
     *     difference
     */
    public static @Nullable JointPattern find(int id, Context... contexts) {
        requireAlike(id, contexts);
        final Pattern[] patterns = new Pattern[contexts.length];
        int found = 0;
        for (int i = 0; i < contexts.length; i++) {
            final Pattern known = contexts[i].pattern(id);
            if (known != null) {
                patterns[found++] = known;
            }
        }
        if (found == 0) {
            return null;
        }
        if (found < contexts.length) {
            throw new IllegalStateException("pattern " + id + " is in " + found + " of " + contexts.length
                    + " contexts: use the contexts of its recording, or close it and record it again");
        }
        return new JointPattern(contexts.clone(), patterns);
    }

    /** Nests the recordings, so that the body runs when all are open. */
    private static void open(Maker maker, Runnable body, Context[] contexts, Pattern[] patterns, int opened) {
        if (opened == contexts.length) {
            body.run();
            return;
        }
        patterns[opened] = maker.make(contexts[opened], () -> open(maker, body, contexts, patterns, opened + 1));
    }

    /** Checks that the contexts can have parts of one pattern. */
    static void requireContexts(Context[] contexts) {
        if (contexts.length == 0) {
            throw new IllegalArgumentException("a joint pattern needs at least one context: contexts=[]");
        }
        for (int i = 0; i < contexts.length; i++) {
            Objects.requireNonNull(contexts[i], "an element of contexts");
            for (int j = 0; j < i; j++) {
                if (contexts[i] == contexts[j]) {
                    throw new IllegalArgumentException("a context can have only one section of a joint pattern:"
                            + " pass each context once, twice given: " + contexts[i]);
                }
            }
            ContextAccess.requireSameClient(contexts[0], contexts[i]);
        }
    }

    private static void requireAlike(int id, Context[] contexts) {
        requireContexts(contexts);
        for (int i = 0; i < contexts.length; i++) {
            if (lastRound(id, contexts[i]) != lastRound(id, contexts[0])) {
                throw new IllegalStateException("pattern " + id + " is at round " + lastRound(id, contexts[i])
                        + " in one context and at " + lastRound(id, contexts[0])
                        + " in another: close it, or choose another id");
            }
        }
    }

    /** Checks this before all recordings: those that had begun would count the round of a failed one. */
    private static void requireComplete(int id, Context[] contexts) {
        for (final Context context : contexts) {
            final Pattern known = context.pattern(id);
            if (known != null && !known.isComplete()) {
                throw new IllegalStateException(
                        known + " is still running: await the joint pattern before recording its id again");
            }
        }
    }

    private static long lastRound(int id, Context context) {
        final Pattern known = context.pattern(id);
        return known == null ? 0 : known.generation();
    }

    /** Returns the part of the context of an index. */
    Pattern part(int index) {
        return patterns[index];
    }

    /** Returns the round that was last started in all contexts. */
    public long generation() {
        return generation;
    }

    /** Returns true if the round that was started last is complete. */
    public boolean isComplete() {
        for (final Pattern pattern : patterns) {
            // A part that has begun the next round: it did so after this one, or waits behind it in the engine.
            final boolean isPartComplete =
                    pattern.generation() == generation ? pattern.isComplete() : pattern.executedAcquire() >= generation;
            if (!isPartComplete) {
                return false;
            }
        }
        return true;
    }

    /** Returns true if the next round was started in some of the contexts, and not yet in the others. */
    boolean isPartlyStarted() {
        return begun != 0;
    }

    /**
     * Starts the next round in all contexts.
     *
     * @return its generation; {@link Status#BUSY} while the last round is incomplete; {@link Status#BACK_PRESSURED}
     *     while a context has no room: advance all, and call again
     * @throws IllegalStateException if one of the contexts has started a round separately; the message names it. Rounds
     *     must be started here only
     * @throws org.segno.status.PeerFailedException if a rank that it needs is known to have died; this takes precedence
     *     over BUSY, because the last round will then never be complete
     * @throws org.segno.status.SegnoException as {@link Context#replay}
     */
    public long replay() {
        requirePossible();
        if (begun == 0 && !isStartable()) {
            return Status.BUSY;
        }
        final long next = generation + 1;
        if (begun == 0 && contexts.length > 1 && !isRoom(next)) {
            return Status.BACK_PRESSURED;
        }
        while (begun < contexts.length) {
            final long status = contexts[begun].replay(patterns[begun], next);
            if (status < 0) {
                return status;
            }
            begun++;
        }
        begun = 0;
        generation = next;
        checkedChanges = UNCHECKED;
        return next;
    }

    /**
     * Starts the next round in all contexts, or queues it where the last one is in progress, as
     * {@link Context#queue}.
     *
     * @return its generation; {@link Status#BUSY} while two rounds are in progress; {@link Status#BACK_PRESSURED} while
     *     a context has no room. In that case the contexts before it may have started already, and the sources belong
     *     to their engines: advance all and call again, which continues with the others
     * @throws IllegalStateException as {@link #replay} and {@link Context#queue}
     */
    public long queue() {
        requirePossible();
        if (begun == 0) {
            requireTogether();
            for (final Pattern pattern : patterns) {
                if (pattern.executedAcquire() < generation - 1) {
                    return Status.BUSY;
                }
            }
        }
        while (begun < contexts.length) {
            final long status = contexts[begun].queue(patterns[begun]);
            if (status < 0) {
                return status;
            }
            begun++;
        }
        begun = 0;
        generation++;
        checkedChanges = UNCHECKED;
        return generation;
    }

    /** Checks that no context is in a handler or a recording: only those before it would start the round. */
    private void requirePossible() {
        for (int i = 0; i < contexts.length; i++) {
            ContextAccess.requireMayStart(contexts[i], patterns[i]);
        }
    }

    /** Returns true if all contexts have room: a round that only some of them start would be sent in part. */
    private boolean isRoom(long next) {
        for (int i = 0; i < contexts.length; i++) {
            if (!ContextAccess.mayReplay(contexts[i], patterns[i], next)) {
                return false;
            }
        }
        return true;
    }

    private boolean isStartable() {
        requireTogether();
        boolean complete = true;
        for (final Pattern pattern : patterns) {
            complete &= pattern.isComplete();
        }
        return complete;
    }

    /** Checks that all parts are at the same round, and that no rank that they need has died. */
    private void requireTogether() {
        for (int i = 0; i < patterns.length; i++) {
            if (patterns[i].generation() != generation) {
                throw new IllegalStateException(this + " is at round " + generation + ", its part in context "
                        + Endpoint.context(contexts[i].endpoint()) + " at " + patterns[i].generation()
                        + ": that part was started separately, or as a joint pattern of fewer contexts; close all, and"
                        + " record the pattern for all contexts again");
            }
            patterns[i].requireAlive();
        }
    }

    /**
     * Waits until a round is executed in all contexts and everything that it expects has arrived. Advances all of them.
     * Throws as {@link Context#await(Pattern, long, long)}.
     */
    public void await(long round, long deadlineNs) {
        for (int look = 0; look < CLOSE_LOOKS && !isComplete(); look++) {
            for (final Context context : contexts) {
                context.advance();
            }
        }
        int complete = 0;
        while (complete < contexts.length) {
            complete = 0;
            for (int i = 0; i < contexts.length; i++) {
                complete += isComplete(i, round, deadlineNs) ? 1 : 0;
            }
        }
    }

    /** Waits for one context, for a short time only, because its data may have to arrive through another context. */
    private boolean isComplete(int context, long round, long deadlineNs) {
        final long sliceNs = Deadline.in(SLICE_US, TimeUnit.MICROSECONDS);
        try {
            contexts[context].await(patterns[context], round, deadlineNs - sliceNs < 0 ? deadlineNs : sliceNs);
            return true;
        } catch (final DeadlineException e) {
            if (Deadline.reached(deadlineNs)) {
                throw e;
            }
            return false;
        }
    }

    /** Returns true if a descriptor of the pattern was refused in any context. */
    boolean hasError() {
        for (final Pattern pattern : patterns) {
            if (pattern.errorAcquire() != 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns true if a counter of the last round forbids underflow and was counted below zero. */
    boolean hasUnderflow() {
        for (final Pattern pattern : patterns) {
            final ReceptionCounter incomplete = PatternAccess.incomplete(pattern, pattern.generation());
            if (incomplete != null && incomplete.errorAcquire() != 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns true if the round that was started last is complete. Advances each context, and throws as {@link #await}
     * if the round has failed in any of them.
     */
    boolean isCompleteOrFails() {
        int complete = 0;
        for (int i = 0; i < contexts.length; i++) {
            try {
                contexts[i].await(patterns[i], patterns[i].generation(), Deadline.in(0, TimeUnit.NANOSECONDS));
                complete++;
            } catch (final DeadlineException e) {
                // The other contexts are checked as well: one of them may have failed.
                Thread.onSpinWait();
            }
        }
        return complete == contexts.length;
    }

    /** Ends replays in all contexts; queued rounds finish. Idempotent. */
    @Override
    public void close() {
        for (final Pattern pattern : patterns) {
            pattern.close();
        }
    }

    @Override
    public String toString() {
        return patterns[0] + " in " + contexts.length + " contexts";
    }
}
