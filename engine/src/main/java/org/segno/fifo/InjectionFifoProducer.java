package org.segno.fifo;

import org.segno.memory.NodeLayout;
import org.segno.memory.NodeLayout.Part;
import org.segno.memory.NodeMemory;
import org.segno.status.Status;

/**
 * The application's end of an ordinary injection FIFO: a ring of descriptor slots. One thread at a time.
 *
 * <p>A slot is written whole and published by one release store of the tail. A full FIFO answers
 * {@link Status#BACK_PRESSURED}; nothing is lost and nothing blocks.
 */
public final class InjectionFifoProducer implements DescriptorSink {
    private final FifoMetadata metadata;
    private final long start;
    private final int capacity;
    private final long mask;
    private long tail;
    private long headCache;

    private InjectionFifoProducer(FifoMetadata metadata, long start, int capacity) {
        this.metadata = metadata;
        this.start = start;
        this.capacity = capacity;
        this.mask = capacity - 1L;
    }

    /** Sets up ordinary FIFO {@code fifo} of a context over its own slots and asks the engine to serve it. */
    public static InjectionFifoProducer open(NodeMemory node, int context, int fifo) {
        final NodeLayout layout = node.layout();
        final int slots = layout.dimensions().fifoSlots();
        final long start = layout.offset(Part.FIFO_SLOTS)
                + ((long) context * layout.dimensions().fifos() + fifo) * slots * NodeLayout.DESCRIPTOR_LENGTH;
        final FifoMetadata metadata = new FifoMetadata(node, context, fifo);
        metadata.activate(FifoMetadata.ORDINARY, start, slots);
        return new InjectionFifoProducer(metadata, start, slots);
    }

    @Override
    public long claim() {
        if (tail - headCache == capacity) {
            headCache = metadata.headAcquire();
            if (tail - headCache == capacity) {
                return Status.BACK_PRESSURED;
            }
        }
        return start + (tail & mask) * NodeLayout.DESCRIPTOR_LENGTH;
    }

    @Override
    public long publish() {
        final long position = tail;
        tail = position + 1;
        metadata.tailRelease(tail);
        return position;
    }

    /** The FIFO's settings and answers. */
    public FifoMetadata metadata() {
        return metadata;
    }
}
