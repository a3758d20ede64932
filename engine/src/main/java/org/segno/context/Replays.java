package org.segno.context;

import org.segno.engine.metrics.Metric;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternBuffer;

/** Starts of rounds of a context's patterns, which it counts. Used by the thread that holds the context. */
final class Replays {
    private final PatternBuffer patterns;
    private final SinkSelector sinks;
    private final PassRunner passes;
    private final NodeMetrics metrics;

    Replays(PatternBuffer patterns, SinkSelector sinks, PassRunner passes, NodeMetrics metrics) {
        this.patterns = patterns;
        this.sinks = sinks;
        this.passes = passes;
        this.metrics = metrics;
    }

    /** Starts a round as {@link Context#replay(Pattern, long)}. */
    long replay(Pattern pattern, long generation) {
        requirePossible(pattern);
        return counted(patterns.replay(pattern, generation));
    }

    /** Starts or queues the next round as {@link Context#queue}. */
    long queue(Pattern pattern) {
        requirePossible(pattern);
        return counted(patterns.queue(pattern));
    }

    /**
     * Starts the next round, outside a pass. Unless {@link #isOver} returns true, the caller awaits it at once: what
     * the round has sent over links leaves in the first pass.
     */
    long begin(Pattern pattern) {
        requirePossible(pattern);
        return counted(passes.begin(patterns, pattern));
    }

    /** Returns true if the round that {@link #begin} has started was executed at once, and has not failed. */
    boolean isOver(Pattern pattern) {
        // Where the caller runs the engine, only the start or a pass of another thread can have executed it.
        return passes.isInvoked() && pattern.isSound();
    }

    private void requirePossible(Pattern pattern) {
        if (sinks.isInHandler() || sinks.isRecording()) {
            throw new IllegalStateException("a replay is not possible in a handler or inside record: " + pattern);
        }
        sinks.requireOpen();
    }

    private long counted(long started) {
        if (started > 0) {
            metrics.add(Metric.REPLAYS, 1);
        }
        return started;
    }
}
