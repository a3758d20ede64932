package org.segno.engine.fifo;

/**
 * Parameters of the engine's service of one injection FIFO: its copy of the settings that may change, and the state of
 * the threshold. Used by one thread.
 */
public final class FifoService {
    private final FifoMetadata metadata;
    private long quantumBytes;
    private int quantumDescriptors;
    private int priority;
    private boolean masked;
    private long threshold;
    private boolean above;
    private boolean eventDue;

    FifoService(FifoMetadata metadata) {
        this.metadata = metadata;
    }

    /**
     * Applies the settings, clamped to their valid ranges.
     *
     * @param fill the current fill
     */
    void configure(long fill) {
        quantumBytes = Math.max(1, metadata.quantumBytes());
        quantumDescriptors = (int) Math.max(1, Math.min(Integer.MAX_VALUE, metadata.quantumDescriptors()));
        priority = Math.max(0, Math.min(FifoMetadata.MAX_PRIORITY, metadata.priority()));
        masked = (metadata.linkMask() & FifoMetadata.MEMORY_LINK) == 0;
        threshold = metadata.threshold();
        above &= threshold > 0;
        filled(fill);
    }

    /** Returns the maximum number of bytes that one visit may move. */
    public long quantumBytes() {
        return quantumBytes;
    }

    /** Returns the maximum number of descriptors that one visit may carry out. */
    public int quantumDescriptors() {
        return quantumDescriptors;
    }

    /** Returns the number of additional visits in a pass. */
    public int priority() {
        return priority;
    }

    /** Returns true if the FIFO may not use the link of mapped memory. */
    public boolean isMasked() {
        return masked;
    }

    /** Records that the fill has grown to {@code fill}. */
    void filled(long fill) {
        above |= threshold > 0 && fill >= threshold;
    }

    /**
     * Records that the fill has fallen to {@code fill}. Returns true if this makes an event due and none was due
     * before.
     */
    boolean drained(long fill) {
        if (!above || fill >= threshold) {
            return false;
        }
        final boolean isNew = !eventDue;
        above = false;
        eventDue = true;
        metadata.crossed();
        return isNew;
    }

    /** Returns true from the crossing of the threshold until the event is raised. */
    public boolean isEventDue() {
        return eventDue;
    }

    /** Records that the event has been raised. */
    public void eventRaised() {
        eventDue = false;
    }
}
