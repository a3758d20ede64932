package org.segno.collective;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.multisend.JointPattern;
import org.segno.multisend.MultisendAccess;
import org.segno.pattern.Pattern;

/**
 * The patterns of a collective at one member, one in each of its contexts. They are started together; a single one,
 * which most collectives have, is started without the steps that several need. Used by the thread that holds the
 * contexts.
 */
final class RoundPatterns {
    /** The first context. */
    private final Context context;

    private final Pattern[] patterns;
    private final JointPattern joint;

    /** The pattern in {@link #context} if there are no others; otherwise null. */
    private final @Nullable Pattern single;

    RoundPatterns(Context[] contexts, JointPattern joint) {
        this.context = contexts[0];
        this.joint = joint;
        this.patterns = IntStream.range(0, contexts.length)
                .mapToObj(part -> MultisendAccess.part(joint, part))
                .toArray(Pattern[]::new);
        this.single = patterns.length == 1 ? patterns[0] : null;
    }

    Pattern[] all() {
        return patterns;
    }

    /** Returns the only pattern, or null. */
    @Nullable
    Pattern single() {
        return single;
    }

    /** Starts the next round of several, as {@link JointPattern#replay}. */
    long replay() {
        return joint.replay();
    }

    /** Starts or queues the next round, as {@link Context#queue}. */
    long queue() {
        final Pattern only = single;
        return only != null ? context.queue(only) : joint.queue();
    }

    /** Returns the round that was started or queued last. */
    long generation() {
        final Pattern only = single;
        return only != null ? only.generation() : joint.generation();
    }

    /** Returns true if the round that was started last was executed completely, and no round has failed. */
    boolean isComplete() {
        final Pattern only = single;
        return (only != null ? only.isComplete() : joint.isComplete()) && !hasError();
    }

    /** Returns the last round that the engines have executed. */
    long executed() {
        return Arrays.stream(patterns).mapToLong(Pattern::executedAcquire).min().orElseThrow();
    }

    boolean hasError() {
        final Pattern only = single;
        if (only != null) {
            return only.errorAcquire() != 0;
        }
        for (final Pattern pattern : patterns) {
            if (pattern.errorAcquire() != 0) {
                return true;
            }
        }
        return false;
    }

    void await(long round, long deadlineNs) {
        final Pattern only = single;
        if (only != null) {
            context.await(only, round, deadlineNs);
        } else {
            joint.await(round, deadlineNs);
        }
    }

    /** Returns true if a start has begun in some of the contexts only. */
    boolean isPartlyStarted() {
        return MultisendAccess.isPartlyStarted(joint);
    }

    /** Returns the number of descriptors of a round. */
    int descriptors() {
        return Arrays.stream(patterns).mapToInt(Pattern::descriptors).sum();
    }

    void close() {
        joint.close();
    }
}
