package org.segno.engine.fifo;

/**
 * Destination of the descriptors that a context writes: an injection FIFO or, while it records, a section of the
 * pattern buffer.
 *
 * <p>Only the thread that holds the context uses it. It claims a slot, writes the whole slot, and publishes it.
 */
public interface DescriptorSink {
    /** Returns the offset of a free slot in the owner's half, or {@link org.segno.status.Status#BACK_PRESSURED}. */
    long claim();

    /** Publishes the slot claimed last to the engine, and returns its position, which is zero or more. */
    long publish();
}
