package org.segno.context;

import org.segno.engine.fifo.DescriptorSink;

/**
 * Sink of a context while a thread runs the body of a recording of other contexts. What the body injects here would be
 * sent once and never replayed, so it is refused.
 *
 * <p>Another thread may use the context meanwhile, and the recording thread cannot know that. The sink therefore stays
 * selected until the next injection that it does not refuse, which selects the usual sink again on its own thread.
 */
final class OutsideSink implements DescriptorSink {
    private final SinkSelector sinks;
    private final String context;
    private final Recordings recordings;
    private final Thread recorder = Thread.currentThread();
    private volatile boolean ended;

    /**
     * Creates the sink of a context for the calling thread.
     *
     * @param sinks selector of the context
     * @param context its name, for messages
     * @param recordings those of a context that is recorded
     */
    OutsideSink(SinkSelector sinks, String context, Recordings recordings) {
        this.sinks = sinks;
        this.context = context;
        this.recordings = recordings;
    }

    /** Ends the refusals, because the body has ended. Called by the thread that records. */
    void end() {
        ended = true;
    }

    /** Returns true if the calling thread runs the body. */
    boolean applies() {
        return !ended && Thread.currentThread().equals(recorder);
    }

    boolean hasEnded() {
        return ended;
    }

    /** Returns the exception of an operation in the body. */
    IllegalStateException exception() {
        return new IllegalStateException(context + " is not among those that are recorded, so a replay would omit this"
                + " operation: use " + recordings.recorded() + " inside record, or record with JointPattern or Requests"
                + " and pass " + context + " too");
    }

    @Override
    public long claim() {
        if (applies() && !sinks.isInWork()) {
            throw exception();
        }
        return sinks.reselected().claim();
    }

    @Override
    public long publish() {
        // The claim was made from the sink that this one has replaced.
        return sinks.reselected().publish();
    }
}
