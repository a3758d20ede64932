package org.segno.fifo;

/**
 * Where a context writes descriptors: an injection FIFO, or, while it records, a section of the pattern buffer.
 *
 * <p>Used by the one thread that holds the context: claim a slot, write it whole, publish it.
 */
public interface DescriptorSink {
    /** Offset in the owner's half of a free slot, or {@link org.segno.status.Status#BACK_PRESSURED}. */
    long claim();

    /** Hands the slot claimed last to the engine; returns its position, zero or more. */
    long publish();
}
