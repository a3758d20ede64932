package org.segno.engine.fifo;

import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.status.Status;

/**
 * The application's end of an ordinary injection FIFO: a ring of descriptor slots. Used by one thread at a time.
 *
 * <p>The producer writes a whole slot and publishes it with one release store of the tail. A full FIFO returns
 * {@link Status#BACK_PRESSURED}. Nothing is lost and nothing blocks.
 */
public final class InjectionFifoProducer implements DescriptorSink {
    private final FifoMetadata metadata;
    private final long slotSpace;
    private long start;
    private int capacity;
    private long mask;
    private long tail;
    private long headCache;

    private InjectionFifoProducer(FifoMetadata metadata, long slotSpace, int first, int capacity) {
        this.metadata = metadata;
        this.slotSpace = slotSpace;
        this.start = slotSpace + (long) first * NodeLayout.DESCRIPTOR_LENGTH;
        this.capacity = capacity;
        this.mask = capacity - 1L;
    }

    /** Initializes ordinary FIFO {@code fifo} of a context over its own slots, and requests its service. */
    public static InjectionFifoProducer open(NodeMemory node, int context, int fifo) {
        return open(node, context, fifo, FifoMetadata.ORDINARY);
    }

    /** Initializes the last of a context's ordinary FIFOs, for the sends of its handlers, and requests its service. */
    public static InjectionFifoProducer openReplies(NodeMemory node, int context) {
        return open(node, context, node.layout().dimensions().fifos() - 1, FifoMetadata.REPLY);
    }

    private static InjectionFifoProducer open(NodeMemory node, int context, int fifo, int kind) {
        final NodeLayout layout = node.layout();
        final int slots = layout.dimensions().fifoSlots();
        final int fifos = layout.dimensions().fifos();
        final long slotSpace =
                layout.offset(Part.FIFO_SLOTS) + (long) context * fifos * slots * NodeLayout.DESCRIPTOR_LENGTH;
        final FifoMetadata metadata = new FifoMetadata(node, context, fifo);
        final InjectionFifoProducer producer = new InjectionFifoProducer(metadata, slotSpace, fifo * slots, slots);
        metadata.activate(kind, producer.start, slots);
        return producer;
    }

    /** Returns true if a FIFO can use these slots: a power of two of them, within the slots of the node. */
    static boolean isRing(NodeLayout layout, long start, int slots) {
        final long first = layout.offset(Part.FIFO_SLOTS);
        final long last = first + layout.length(Part.FIFO_SLOTS) - (long) slots * NodeLayout.DESCRIPTOR_LENGTH;
        return slots > 0 && (slots & (slots - 1)) == 0 && start >= first && start <= last;
    }

    @Override
    public long claim() {
        if (tail - headCache == capacity) {
            headCache = checkedHead();
            if (tail - headCache == capacity) {
                return Status.BACK_PRESSURED;
            }
        }
        return slot(tail);
    }

    /** Returns the offset in the owner's half of the slot of a position. */
    public long slot(long position) {
        return start + (position & mask) * NodeLayout.DESCRIPTOR_LENGTH;
    }

    /**
     * Returns the engine's head. Ignores an impossible head: the fill then keeps its last valid value, and no
     * descriptor is lost.
     */
    private long checkedHead() {
        final long head = metadata.headAcquire();
        return head - headCache >= 0 && tail - head >= 0 ? head : headCache;
    }

    @Override
    public long publish() {
        final long position = tail;
        tail = position + 1;
        metadata.tailRelease(tail);
        return position;
    }

    /**
     * Returns a sink into this FIFO. Its descriptors become visible to the engine all at once: they are claimed and
     * written one after the other, then published by one store of the tail. Nothing else is injected meanwhile.
     */
    public Batch batch() {
        return new Batch(this);
    }

    /** Batch of descriptors that are written but not yet published. Used by the FIFO's thread. */
    public static final class Batch implements DescriptorSink {
        private final InjectionFifoProducer fifo;
        private int left;

        private Batch(InjectionFifoProducer fifo) {
            this.fifo = fifo;
        }

        /**
         * Begins a batch of at most {@code descriptors}. Returns false if they have no room now.
         *
         * @throws IllegalArgumentException if they exceed the FIFO's capacity
         */
        public boolean begin(int descriptors) {
            if (descriptors < 0 || descriptors > fifo.capacity) {
                throw new IllegalArgumentException("the batch does not fit the FIFO: descriptors=" + descriptors
                        + ", but the FIFO has " + fifo.capacity
                        + " slots; raise NodeConfig.withFifoSlots, or send fewer at a time");
            }
            final long most = fifo.capacity - (long) descriptors;
            if (fifo.tail - fifo.headCache > most) {
                fifo.headCache = fifo.checkedHead();
            }
            left = descriptors;
            return fifo.tail - fifo.headCache <= most;
        }

        @Override
        public long claim() {
            if (left == 0) {
                throw new IllegalStateException(
                        "the batch has more descriptors than its declared maximum; declare a larger maximum");
            }
            return fifo.claim();
        }

        @Override
        public long publish() {
            left--;
            return fifo.tail++;
        }

        /** Returns the position of the next descriptor. */
        public long position() {
            return fifo.tail;
        }

        /** Publishes the written descriptors. */
        public void commit() {
            fifo.metadata.tailRelease(fifo.tail);
        }
    }

    /** Returns the index of its first slot among the slots of its context. */
    public int firstSlot() {
        return (int) ((start - slotSpace) / NodeLayout.DESCRIPTOR_LENGTH);
    }

    /** Returns the number of slots, a power of two. */
    public int slots() {
        return capacity;
    }

    /** Moves an inactive, empty FIFO to other slots of its context. Positions continue to count. */
    public void place(int firstSlot, int slots) {
        start = slotSpace + (long) firstSlot * NodeLayout.DESCRIPTOR_LENGTH;
        capacity = slots;
        mask = slots - 1L;
        headCache = tail;
        metadata.place(start, slots);
    }

    /** Returns the FIFO's settings and status. */
    public FifoMetadata metadata() {
        return metadata;
    }
}
