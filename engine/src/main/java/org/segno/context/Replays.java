package org.segno.context;

import org.segno.pattern.Pattern;
import org.segno.pattern.PatternAccess;
import org.segno.pattern.PatternBuffer;

/** Starts of rounds of a context's patterns. Used by the thread that holds the context. */
final class Replays {
    private final PatternBuffer patterns;
    private final SinkSelector sinks;
    private final PassRunner passes;

    Replays(PatternBuffer patterns, SinkSelector sinks, PassRunner passes) {
        this.patterns = patterns;
        this.sinks = sinks;
        this.passes = passes;
    }

    /**
     * Starts a round as {@link Context#replay(Pattern, long)}.
     *
     * @param isOpen false once the context was closed: its ring may have another use already
     */
    long replay(Pattern pattern, long generation, boolean isOpen) {
        if (isOpen && PatternAccess.start(pattern, patterns, generation)) {
            return generation;
        }
        requirePossible(pattern);
        return patterns.replay(pattern, generation);
    }

    /** Starts or queues the next round as {@link Context#queue}. */
    long queue(Pattern pattern) {
        requirePossible(pattern);
        return patterns.queue(pattern);
    }

    /**
     * Starts the next round as {@link Context#replay(Pattern)}, outside a pass. Unless {@link #isOver} returns true,
     * the caller awaits it at once: what the round has sent over links leaves in the first pass.
     */
    long begin(Pattern pattern) {
        requirePossible(pattern);
        return passes.begin(patterns, pattern);
    }

    /** Returns true if the round that {@link #begin} has started was executed at once, and has not failed. */
    boolean isOver(Pattern pattern) {
        // Where the caller runs the engine, only the start or a pass of another thread can have executed it.
        return passes.isInvoked() && pattern.isSound();
    }

    /** Throws an exception in a handler, inside record, and once the context is closed. */
    void requirePossible(Pattern pattern) {
        if (sinks.isOrdinary()) {
            return;
        }
        if (sinks.isInHandler() || sinks.isRecording()) {
            throw new IllegalStateException("a replay is not possible in a handler or inside record: " + pattern);
        }
        sinks.requireOpen();
    }
}
