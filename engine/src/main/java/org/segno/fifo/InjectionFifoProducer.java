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

    /** Sets up ordinary FIFO {@code fifo} of a context over its own slots and asks the engine to serve it. */
    public static InjectionFifoProducer open(NodeMemory node, int context, int fifo) {
        return open(node, context, fifo, FifoMetadata.ORDINARY);
    }

    /** Likewise the last of a context's ordinary FIFOs, for what its handlers send. */
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

    /** True for slots that a FIFO can stand over: a power of two of them, among those of the node. */
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

    /** Returns the engine's head. An impossible one is ignored: the FIFO stays as full as it is known to be, and loses nothing. */
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
     * A sink into this FIFO whose descriptors the engine sees all at once: claimed and written one after the other, then handed over by
     * one store of the tail. Nothing else is injected meanwhile.
     */
    public Batch batch() {
        return new Batch(this);
    }

    /** Descriptors that are written but not yet handed over. One thread, the FIFO's. */
    public static final class Batch implements DescriptorSink {
        private final InjectionFifoProducer fifo;
        private int left;

        private Batch(InjectionFifoProducer fifo) {
            this.fifo = fifo;
        }

        /**
         * Begins a batch of {@code descriptors}, at most, if they find room now.
         *
         * @throws IllegalArgumentException if they never will
         */
        public boolean begin(int descriptors) {
            if (descriptors < 0 || descriptors > fifo.capacity) {
                throw new IllegalArgumentException("the FIFO has " + fifo.capacity + " slots: it takes 0 to "
                        + fifo.capacity + " descriptors together, not " + descriptors
                        + "; raise NodeConfig.withFifoSlots, or send fewer at a time");
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
                        "more is injected together than was said: say how many descriptors there are at most");
            }
            return fifo.claim();
        }

        @Override
        public long publish() {
            left--;
            return fifo.tail++;
        }

        /** The position that the next descriptor gets. */
        public long position() {
            return fifo.tail;
        }

        /** Hands over whatever was written. */
        public void commit() {
            fifo.metadata.tailRelease(fifo.tail);
        }
    }

    /** First of its slots among those of its context. */
    public int firstSlot() {
        return (int) ((start - slotSpace) / NodeLayout.DESCRIPTOR_LENGTH);
    }

    /** Slots, a power of two. */
    public int slots() {
        return capacity;
    }

    /** Points a FIFO that is not active and holds nothing at other slots of its context; positions count on. */
    public void place(int firstSlot, int slots) {
        start = slotSpace + (long) firstSlot * NodeLayout.DESCRIPTOR_LENGTH;
        capacity = slots;
        mask = slots - 1L;
        headCache = tail;
        metadata.place(start, slots);
    }

    /** The FIFO's settings and answers. */
    public FifoMetadata metadata() {
        return metadata;
    }
}
