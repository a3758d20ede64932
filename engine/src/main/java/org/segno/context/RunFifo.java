package org.segno.context;

import org.segno.engine.fifo.FifoMetadata;

/**
 * The recording FIFO or the persistent FIFO of a context, which executes recordings or replays. Used by the thread that
 * holds the context.
 *
 * <p>The engine applies changed settings soon; under {@code INVOKER} in one of the next passes.
 */
public final class RunFifo {
    private final String name;
    private final FifoMetadata metadata;
    private final SinkSelector context;

    RunFifo(String name, FifoMetadata metadata, SinkSelector context) {
        this.name = name;
        this.metadata = metadata;
        this.context = context;
    }

    /**
     * Sets the number of additional visits that the engine makes to this FIFO in each pass, compared with priority 0,
     * the default. Priorities never exclude others: every FIFO with work is visited in every pass.
     *
     * @throws IllegalArgumentException unless it is 0 to {@value FifoMetadata#MAX_PRIORITY}
     */
    public void priority(int priority) {
        context.requireOpen();
        priority(metadata, priority);
    }

    static void priority(FifoMetadata fifo, int priority) {
        if (priority < 0 || priority > FifoMetadata.MAX_PRIORITY) {
            throw new IllegalArgumentException(
                    "priority must be 0 to " + FifoMetadata.MAX_PRIORITY + ": priority=" + priority);
        }
        fifo.priorityAndLinks(priority, fifo.linkMask());
    }

    /**
     * Limits the work of one visit by the engine, which may extend over several rounds; the limit reached first ends
     * it. Later visits continue a round, or a message longer than {@code bytes}.
     *
     * @throws IllegalArgumentException if one is below 1
     */
    public void quantum(long bytes, int descriptors) {
        context.requireOpen();
        quantum(metadata, bytes, descriptors);
    }

    static void quantum(FifoMetadata fifo, long bytes, int descriptors) {
        if (bytes < 1 || descriptors < 1) {
            throw new IllegalArgumentException("a quantum must be at least one byte and one descriptor: bytes=" + bytes
                    + ", descriptors=" + descriptors);
        }
        fifo.quantum(bytes, descriptors);
    }

    /** Returns the number of recordings or replays that are queued or in progress, without those held at a WAIT. */
    public long fill() {
        return metadata.fill();
    }

    /** Returns the number of descriptors carried out since the node was started, refused ones included. */
    public long descriptors() {
        return metadata.descriptorsAcquire();
    }

    @Override
    public String toString() {
        return name;
    }
}
