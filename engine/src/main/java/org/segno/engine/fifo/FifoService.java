package org.segno.engine.fifo;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.ContextStates;

/**
 * Parameters of the engine's service of one injection FIFO: its copy of the settings that may change, its thresholds,
 * the state of its context, and its trace. Used by one thread.
 */
public final class FifoService {
    static {
        // Loads the class: the JIT does not inline trace() before, because trace() returns it. Without a trace nothing
        // else loads it, and each visit to a FIFO makes three calls.
        Objects.requireNonNull(FifoTrace.class);
    }

    private final FifoMetadata metadata;
    private final ContextStates contexts;
    private final int context;
    private final boolean isReply;
    private final boolean isPersistent;
    private long quantumBytes;
    private int quantumDescriptors;
    private int priority;
    private boolean masked;
    private boolean excludesMemory;
    private boolean excludesLinks;
    private boolean hasThreshold;
    private final FifoThreshold fill;
    private final FifoThreshold free;
    private boolean isQuarantined;
    private boolean isNewlyQuarantined;
    private @Nullable FifoTrace trace;

    FifoService(FifoMetadata metadata, ContextStates contexts, int context) {
        this.metadata = metadata;
        this.contexts = contexts;
        this.context = context;
        this.isReply = metadata.kind() == FifoMetadata.REPLY;
        this.isPersistent = metadata.kind() == FifoMetadata.PERSISTENT;
        this.fill = new FifoThreshold(metadata::crossed);
        this.free = new FifoThreshold(metadata::freeCrossed);
    }

    /** Publishes that the FIFO was quarantined for a reason. */
    void quarantine(int reason) {
        isNewlyQuarantined = !isQuarantined;
        isQuarantined = true;
        metadata.quarantine(reason);
    }

    /** Returns true once after the FIFO was first quarantined for an impossible word. It is then no longer served. */
    public boolean takeQuarantine() {
        final boolean isNew = isNewlyQuarantined;
        isNewlyQuarantined = false;
        return isNew;
    }

    /** Returns true for a FIFO of the sends of handlers. */
    public boolean isReply() {
        return isReply;
    }

    /** Returns true for a FIFO of replayed sections. */
    public boolean isPersistent() {
        return isPersistent;
    }

    /** Returns the word that changes with each section that the application writes. */
    public long sectionChanges() {
        return metadata.sectionChangesAcquire();
    }

    /**
     * Applies the settings, clamped to their valid ranges.
     *
     * @param current the current fill
     */
    void configure(long current) {
        quantumBytes = Math.max(1, metadata.quantumBytes());
        quantumDescriptors = (int) Math.max(1, Math.min(Integer.MAX_VALUE, metadata.quantumDescriptors()));
        priority = Math.max(0, Math.min(FifoMetadata.MAX_PRIORITY, metadata.priority()));
        excludesMemory = (metadata.linkMask() & FifoMetadata.MEMORY_LINK) == 0;
        excludesLinks = (metadata.linkMask() & FifoMetadata.PACKET_LINKS) == 0;
        masked = excludesMemory || excludesLinks;
        fill.level(Math.max(0, metadata.threshold()));
        // At least n slots of c are free while the fill is below c - n + 1. More than c never are, so that such a
        // threshold, left from a time with more slots, is crossed when the FIFO becomes empty.
        final long freeSlots = metadata.freeThreshold();
        free.level(freeSlots <= 0 ? 0 : Math.max(1, metadata.slots() - freeSlots + 1));
        hasThreshold = metadata.threshold() > 0 || freeSlots > 0;
        filled(current);
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

    /** Returns true if the FIFO may not use mapped memory, or no links. */
    public boolean isMasked() {
        return masked;
    }

    /** Returns true if the FIFO may not reach a target, which is linked or lies in mapped memory. */
    public boolean excludes(boolean isLinked) {
        return isLinked ? excludesLinks : excludesMemory;
    }

    /** Returns the origin of its messages: its context, with the present use and client of that context. */
    public int origin() {
        return ContextStates.origin(context, contexts.stateAcquire(context));
    }

    /** Returns true if the client of its context is being closed. */
    public boolean isClosing() {
        return ContextStates.isClosing(contexts.stateAcquire(context));
    }

    /** Returns the trace of the FIFO, or null. */
    public @Nullable FifoTrace trace() {
        return trace;
    }

    /** Sets the trace of the FIFO. Called when its service begins. */
    public void trace(FifoTrace writer) {
        trace = writer;
    }

    /** Records that the fill has grown to {@code current}. */
    void filled(long current) {
        if (hasThreshold) {
            fill.filled(current);
            free.filled(current);
        }
    }

    /** Records that the fill has fallen to {@code current}. Returns the number of events that become due by this. */
    int drained(long current) {
        return hasThreshold ? (fill.drained(current) ? 1 : 0) + (free.drained(current) ? 1 : 0) : 0;
    }

    /** Returns the threshold of the fill. */
    public FifoThreshold fillThreshold() {
        return fill;
    }

    /** Returns the threshold of the free slots, as a fill. */
    public FifoThreshold freeThreshold() {
        return free;
    }
}
