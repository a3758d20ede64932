package org.segno.context;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.segno.memory.CounterPair;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternAccess;
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

    private Supplier<List<Context>> all = List::of;

    /** The open recording that was begun explicitly, or null. */
    private @Nullable Recorder explicit;

    Recordings(PatternBuffer patterns, SinkSelector sinks) {
        this.patterns = patterns;
        this.sinks = sinks;
    }

    /** Sets the supplier of all contexts of the node, the own one included. */
    void among(Supplier<List<Context>> contexts) {
        all = contexts;
    }

    /**
     * Records {@code body} and returns its pattern. What the body injects through a context that is not recorded is
     * refused.
     */
    Pattern record(int id, Rounds rounds, Runnable body, boolean sends) {
        Objects.requireNonNull(body, "body");
        final Recorder opened = begin(id, rounds, sends);
        boolean recorded = false;
        List<OutsideSink> refusals = List.of();
        try {
            refusals = excludeOthers();
            body.run();
            recorded = true;
        } finally {
            refusals.forEach(OutsideSink::end);
            if (!recorded) {
                abandon(opened);
            }
        }
        return end(opened);
    }

    private List<OutsideSink> excludeOthers() {
        final List<Context> contexts = all.get();
        if (contexts.size() == 1) {
            return List.of();
        }
        for (final Context context : contexts) {
            if (context.sinks() != sinks) {
                context.sinks().requireNoBatch(false);
            }
        }
        final List<OutsideSink> refusals = new ArrayList<>();
        for (final Context context : contexts) {
            final SinkSelector other = context.sinks();
            if (!other.isRecording() && !other.isExcluded()) {
                final OutsideSink refusal = new OutsideSink(other, context.toString(), this);
                refusals.add(refusal);
                other.exclude(refusal);
            }
        }
        return refusals;
    }

    /** Describes the contexts that the calling thread records. */
    String recorded() {
        final StringBuilder names = new StringBuilder();
        for (final Context context : all.get()) {
            if (context.sinks().isRecording() && context.patterns().isRecordingFree()) {
                names.append(names.length() == 0 ? "" : ", ").append(context);
            }
        }
        return names.toString();
    }

    /** Begins a recording, which {@link #end} or {@link #abandon(Recorder)} ends. */
    private Recorder begin(int id, Rounds rounds, boolean sends) {
        Objects.requireNonNull(rounds, "rounds");
        requireNoHandler();
        sinks.requireOpen();
        sinks.requireNoBatch(true);
        final Recorder opened = patterns.begin(id, rounds, sends);
        sinks.select();
        return opened;
    }

    /** Ends a recording and returns its pattern. */
    private Pattern end(Recorder opened) {
        requireOpen(opened);
        try {
            return patterns.end();
        } finally {
            sinks.select();
        }
    }

    /** Ends a recording without a pattern. Has no effect if it has ended already, with its node. */
    private void abandon(Recorder opened) {
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

    /** Expects bytes in the open recording, as {@link Recorder#expectCumulative} does. */
    void expectCumulative(CounterPair pair, long bytes) {
        Objects.requireNonNull(patterns.recorder()).expectCumulative(pair, bytes);
    }

    /** Expects bytes in the open recording, as {@link PatternAccess#expectUnarmed} does. */
    void expectUnarmed(CounterPair pair, long bytes) {
        PatternAccess.expectUnarmed(patterns, pair, bytes);
    }
}
