package org.segno.multisend;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.Status;

/**
 * One pattern whose operations go through several contexts, so that the engine of each carries out a part: a section in every context,
 * recorded together, started together, complete when all are. Used by one thread at a time, which holds all of the contexts.
 *
 * <p>Nothing orders what goes through one context with what goes through another; what must be complete before something else is sent goes
 * through the same one, or the something waits for a counter.
 */
public final class JointPattern implements AutoCloseable {
    /** Passes over all contexts before a wait looks at each by itself for what may have failed. */
    private static final int CLOSE_LOOKS = 1000;

    /** How long one context is looked at while the others stand still. */
    private static final long SLICE_US = 200;

    private final Context[] contexts;
    private final Pattern[] patterns;
    private long generation;

    /** Contexts, from the first on, in which the next round is started. */
    private int begun;

    private JointPattern(Context[] contexts, Pattern[] patterns) {
        this.contexts = contexts;
        this.patterns = patterns;
        this.generation = patterns[0].generation();
    }

    /**
     * Records what {@code body} injects and expects through any of {@code contexts}, each of which has a part in it, as
     * {@link Context#record} does for one. A recording in one of them by itself is refused until this one has ended.
     *
     * @param id names the section in every context; a known one is recorded anew, at the same round in all
     * @throws IllegalArgumentException if a context is named twice, none is, or they are not of one client
     * @throws IllegalStateException if it cannot be recorded or replayed; says why. What the body sent before is sent, nothing is kept
     */
    public static JointPattern record(int id, Rounds rounds, Runnable body, Context... contexts) {
        requireAlike(id, contexts);
        final Pattern[] patterns = new Pattern[contexts.length];
        boolean recorded = false;
        try {
            open(id, rounds, body, contexts, patterns, 0);
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
     * The joint pattern of this id that all of {@code contexts} have already: one that {@link #record} made, or that a job before had saved
     * and this one has loaded. The contexts are those that it was recorded with.
     *
     * @return null if none of them has a pattern of this id
     * @throws IllegalArgumentException as {@link #record}
     * @throws IllegalStateException if only some of them have one, or their rounds differ; says how
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
                    + " contexts: name those that it was recorded with, or close it and record it anew");
        }
        return new JointPattern(contexts.clone(), patterns);
    }

    /** Opens the recordings one within the other, so that the body runs when all are open. */
    private static void open(int id, Rounds rounds, Runnable body, Context[] contexts, Pattern[] patterns, int opened) {
        if (opened == contexts.length) {
            body.run();
            return;
        }
        patterns[opened] =
                contexts[opened].record(id, rounds, () -> open(id, rounds, body, contexts, patterns, opened + 1));
    }

    private static void requireAlike(int id, Context[] contexts) {
        if (contexts.length == 0) {
            throw new IllegalArgumentException("a joint pattern has contexts: name at least one");
        }
        for (int i = 0; i < contexts.length; i++) {
            for (int j = 0; j < i; j++) {
                if (contexts[i] == contexts[j]) {
                    throw new IllegalArgumentException(
                            "a context has one section of a joint pattern: name it once, id=" + id);
                }
            }
            contexts[0].requireSameClient(contexts[i]);
            if (lastRound(id, contexts[i]) != lastRound(id, contexts[0])) {
                throw new IllegalStateException("pattern " + id + " is at round " + lastRound(id, contexts[i])
                        + " in one context and at " + lastRound(id, contexts[0])
                        + " in another, and goes on at one in all: close it, or take another id");
            }
        }
    }

    private static long lastRound(int id, Context context) {
        final Pattern known = context.pattern(id);
        return known == null ? 0 : known.generation();
    }

    /** The round that was started last in all contexts. */
    public long generation() {
        return generation;
    }

    /** True if the round that was started last is complete. */
    public boolean isComplete() {
        for (final Pattern pattern : patterns) {
            if (!pattern.isComplete()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Starts the next round in all contexts.
     *
     * @return its generation; {@link Status#BUSY} while the last round is incomplete; {@link Status#BACK_PRESSURED} while a context has no
     *     room: those before it have started already, advance all and call again, which goes on with the others
     * @throws IllegalStateException if one of the contexts has started a round by itself: names it. Rounds are started here alone
     * @throws org.segno.status.PeerFailedException if a rank that it needs has died, once that is known: also where the last round,
     *     which will never be complete then, would make it BUSY
     * @throws org.segno.status.SegnoException as {@link Context#replay}
     */
    public long replay() {
        if (begun == 0 && !isStartable()) {
            return Status.BUSY;
        }
        final long next = generation + 1;
        while (begun < contexts.length) {
            final long answer = contexts[begun].replay(patterns[begun], next);
            if (answer < 0) {
                return answer;
            }
            begun++;
        }
        begun = 0;
        generation = next;
        return next;
    }

    private boolean isStartable() {
        boolean complete = true;
        for (int i = 0; i < patterns.length; i++) {
            if (patterns[i].generation() != generation) {
                throw new IllegalStateException(this + " is at round " + generation + ", its part in context "
                        + Endpoint.context(contexts[i].endpoint()) + " at " + patterns[i].generation()
                        + ": that was started by itself, or as a joint pattern of fewer contexts; close all, and record"
                        + " anew what all contexts start together");
            }
            patterns[i].requireAlive();
            complete &= patterns[i].isComplete();
        }
        return complete;
    }

    /**
     * Waits until a round is executed in all contexts and everything that it expects has come; advances all of them. Throws as
     * {@link Context#await(Pattern, long, long)}.
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

    /** What one context waits for may have to come through another: none is looked at for long. */
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

    /** Takes no more replays, in any context; rounds that are queued finish. May be called twice. */
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
