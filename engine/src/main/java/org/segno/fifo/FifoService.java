package org.segno.fifo;

/** How the engine serves an injection FIFO: its view of the settings that may change, and of the threshold. One thread. */
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

    /** Takes over the settings, made sane: the fill is {@code fill} now. */
    void configure(long fill) {
        quantumBytes = Math.max(1, metadata.quantumBytes());
        quantumDescriptors = (int) Math.max(1, Math.min(Integer.MAX_VALUE, metadata.quantumDescriptors()));
        priority = Math.max(0, Math.min(FifoMetadata.MAX_PRIORITY, metadata.priority()));
        masked = (metadata.linkMask() & FifoMetadata.MEMORY_LINK) == 0;
        threshold = metadata.threshold();
        above &= threshold > 0;
        filled(fill);
    }

    /** Bytes that one visit may move. */
    public long quantumBytes() {
        return quantumBytes;
    }

    /** Descriptors that one visit may carry out. */
    public int quantumDescriptors() {
        return quantumDescriptors;
    }

    /** How many more times than others it is visited in a pass. */
    public int priority() {
        return priority;
    }

    /** True if it may not use the link of mapped memory. */
    public boolean isMasked() {
        return masked;
    }

    /** The fill has grown to {@code fill}. */
    void filled(long fill) {
        above |= threshold > 0 && fill >= threshold;
    }

    /** The fill has fallen to {@code fill}: true if an event is due for that which was not before. */
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

    /** True from when the threshold was crossed until the event was raised. */
    public boolean isEventDue() {
        return eventDue;
    }

    /** The event has been raised. */
    public void eventRaised() {
        eventDue = false;
    }
}
