package org.segno.context;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternBuffer;
import org.segno.pattern.Recorder;
import org.segno.pattern.Rounds;

/**
 * Recordings of a context, at most one at a time: of a body, or from an explicit begin to an explicit end. Used by the
 * thread that holds the context.
 */
final class Recordings {
    private final PatternBuffer patterns;
    private final SinkSelector sinks;

    /** The open recording that was begun explicitly, or null. */
    private @Nullable Recorder explicit;

    Recordings(PatternBuffer patterns, SinkSelector sinks) {
        this.patterns = patterns;
        this.sinks = sinks;
    }

    /** Begins a recording, which {@link #end} or {@link #abandon(Recorder)} ends. */
    Recorder begin(int id, Rounds rounds, boolean sends) {
        Objects.requireNonNull(rounds, "rounds");
        requireNoHandler();
        sinks.requireOpen();
        final Recorder opened = patterns.begin(id, rounds, sends);
        sinks.select();
        return opened;
    }

    /** Ends a recording and returns its pattern. */
    Pattern end(Recorder opened) {
        requireOpen(opened);
        try {
            return patterns.end();
        } finally {
            sinks.select();
        }
    }

    /** Ends a recording without a pattern. Has no effect if it has ended already, with its node. */
    void abandon(Recorder opened) {
        if (patterns.recorder() == opened) {
            patterns.abandon();
            sinks.select();
        }
    }

    /** Begins a recording, which {@link #close} or {@link #abandon()} ends. */
    void open(int id, Rounds rounds) {
        explicit = begin(id, rounds, true);
    }

    /** Ends the recording that was begun explicitly and returns its pattern. */
    Pattern close() {
        final Recorder opened = requireExplicit("recordEnd");
        if (sinks.closedReason() != null || opened.hasFailed()) {
            abandon();
            sinks.requireOpen();
            throw new IllegalStateException("the recording was abandoned, because an operation since recordBegin was"
                    + " refused: correct it, and record again");
        }
        explicit = null;
        return end(opened);
    }

    /** Ends the recording that was begun explicitly without a pattern. */
    void abandon() {
        final Recorder opened = requireExplicit("recordAbandon");
        explicit = null;
        abandon(opened);
    }

    /** Abandons the open recording unless another living thread began it. */
    void abandonFree() {
        final Recorder opened = patterns.recorder();
        if (opened != null && patterns.isRecordingFree()) {
            explicit = null;
            abandon(opened);
        }
    }

    private Recorder requireExplicit(String call) {
        requireNoHandler();
        final Recorder opened = explicit;
        if (opened == null) {
            sinks.requireOpen();
            throw new IllegalStateException(call + " without recordBegin: begin a recording first");
        }
        return opened;
    }

    private void requireNoHandler() {
        if (sinks.isInHandler()) {
            throw new IllegalStateException("a handler cannot record a pattern: record it outside handlers");
        }
    }

    private void requireOpen(Recorder opened) {
        if (patterns.recorder() != opened) {
            sinks.requireOpen();
            throw new IllegalStateException("the recording has ended already: end it once");
        }
    }
}
