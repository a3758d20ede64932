package org.segno.engine.fifo;

import org.agrona.BitUtil;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.status.Status;

/**
 * The application's end of an ordinary injection FIFO: a ring of descriptor slots. Used by one thread at a time.
 *
 * <p>The producer writes a whole slot and publishes it with one release store of the tail. A full FIFO returns
 * {@link Status#BACK_PRESSURED}. Nothing is lost and nothing blocks.
 *
 * <p>Arguments are checked. Stores to the slots are not: a store outside the claimed slot may overwrite any word of the
 * node's memory.
 */
public final class InjectionFifoProducer implements DescriptorSink {
    private static final int SLOT_SHIFT = Integer.numberOfTrailingZeros(NodeLayout.DESCRIPTOR_LENGTH);

    private final NodeMemory node;
    private final int context;
    private final int fifo;
    private final FifoMetadata metadata;

    /** Memory of the tail, and its offset there: read for each descriptor, without the objects between. */
    private final Memory memory;

    private final long tailOffset;
    private final long slotSpace;
    private long start;
    private int capacity;
    private long mask;
    private long tail;

    /** Position at which the FIFO is full: that of the head that was read last, plus the capacity. */
    private long limit;

    private DirectExecution direct = DirectExecution.NONE;

    /** True if the next SEND or RMW may be executed at its injection. Each reads it, so it lies beside the tail. */
    private boolean ready;

    private InjectionFifoProducer(NodeMemory node, int context, int fifo, FifoMetadata metadata) {
        final NodeDimensions dimensions = node.layout().dimensions();
        final int slots = dimensions.fifoSlots();
        this.node = node;
        this.context = context;
        this.fifo = fifo;
        this.metadata = metadata;
        this.memory = node.owner();
        this.tailOffset = metadata.tailOffset();
        this.slotSpace = node.layout().offset(Part.FIFO_SLOTS)
                + (long) context * dimensions.fifos() * slots * NodeLayout.DESCRIPTOR_LENGTH;
        this.start = slotSpace + (long) fifo * slots * NodeLayout.DESCRIPTOR_LENGTH;
        this.capacity = slots;
        this.mask = capacity - 1L;
        this.limit = capacity;
    }

    /**
     * Initializes ordinary FIFO {@code fifo} of a context over its own slots, and requests its service. A context opens
     * its own FIFOs from number 0 upwards. If there are several, the last one is for the replies of its handlers and
     * cannot be opened here: a FIFO beside the context's own needs {@code NodeConfig.withFifos(3)} or more.
     *
     * @throws IllegalArgumentException if the node does not have the context, or the context the FIFO
     * @throws IllegalStateException if the FIFO is open, for instance by its context
     */
    public static InjectionFifoProducer open(NodeMemory node, int context, int fifo) {
        final NodeDimensions dimensions = node.layout().dimensions();
        requireRange("context", context, dimensions.contexts(), "NodeConfig.withContexts");
        // The last FIFO is for replies, unless it is the only one.
        requireRange("fifo", fifo, Math.max(1, dimensions.fifos() - 1), "NodeConfig.withFifos");
        return open(node, context, fifo, FifoMetadata.ORDINARY);
    }

    /** Initializes the last of a context's ordinary FIFOs, for the sends of its handlers, and requests its service. */
    public static InjectionFifoProducer openReplies(NodeMemory node, int context) {
        return open(node, context, node.layout().dimensions().fifos() - 1, FifoMetadata.REPLY);
    }

    private static InjectionFifoProducer open(NodeMemory node, int context, int fifo, int kind) {
        final FifoMetadata metadata = new FifoMetadata(node, context, fifo);
        if (metadata.wasOpened()) {
            throw new IllegalStateException(
                    "FIFO " + fifo + " of context " + context + " is open already: open another"
                            + " number, and raise NodeConfig.withFifos if there is none; the context opens them from 0 upwards");
        }
        final InjectionFifoProducer producer = new InjectionFifoProducer(node, context, fifo, metadata);
        metadata.activate(kind, producer.start, producer.capacity);
        return producer;
    }

    private static void requireRange(String name, int value, int count, String setting) {
        if (value < 0 || value >= count) {
            throw new IllegalArgumentException(name + " must be between 0 and " + (count - 1) + ": " + name + "="
                    + value + "; raise " + setting + " for more");
        }
    }

    /** Returns true if a FIFO can use these slots: a power of two of them, within the slots of the node. */
    static boolean isRing(NodeLayout layout, long start, int slots) {
        final long first = layout.offset(Part.FIFO_SLOTS);
        final long last = first + layout.length(Part.FIFO_SLOTS) - (long) slots * NodeLayout.DESCRIPTOR_LENGTH;
        return slots > 0 && (slots & (slots - 1)) == 0 && start >= first && start <= last;
    }

    // Small enough for the compiler to inline it also where profiles say that it is rarely called.
    @Override
    public long claim() {
        if (tail == limit) {
            return claimRead();
        }
        return slot(tail);
    }

    /** Returns true if {@link #claim} would read the head, because no slot is known to be free. */
    public boolean isAtLimit() {
        return tail == limit;
    }

    /** Returns the memory of the slots. */
    public Memory memory() {
        return memory;
    }

    /** Returns the slot that {@link #claim} claims, unless the FIFO {@link #isAtLimit}. */
    public long nextSlot() {
        return slot(tail);
    }

    /** Claims as {@link #claim} does, after another look at the head. */
    private long claimRead() {
        limit = readLimit();
        return tail == limit ? Status.BACK_PRESSURED : slot(tail);
    }

    /** Returns the offset in the owner's half of the slot of a position. */
    public long slot(long position) {
        return start + ((position & mask) << SLOT_SHIFT);
    }

    /**
     * Returns the limit by the engine's head. Ignores an impossible head: the fill then keeps its last valid value, and
     * no descriptor is lost.
     */
    private long readLimit() {
        final long head = metadata.headAcquire();
        final long last = limit - capacity;
        return head - last >= 0 && tail - head >= 0 ? head + capacity : limit;
    }

    /**
     * Publishes the slot claimed last, and returns its position. A call without a claim, which only an assertion
     * detects, publishes whatever the slot contains.
     */
    @Override
    public long publish() {
        assert tail < limit : "publish without a claim: tail=" + tail + ", head=" + (limit - capacity);
        return publishClaimed();
    }

    /** Publishes as {@link #publish} does, for a caller that has just claimed a slot. Small, as {@link #claim} is. */
    public long publishClaimed() {
        final long position = tail;
        tail = position + 1;
        memory.putLongRelease(tailOffset, position + 1);
        return position;
    }

    /** Publishes a SEND as {@link #publishClaimed} does. The engine may carry it out now. */
    public long publishSend() {
        // Two ways to the end, each with its own publication: a common one makes each SEND of a stream slower, by a
        // nanosecond.
        return ready ? publishDirectSend() : publishClaimed();
    }

    private long publishDirectSend() {
        direct.executeSend(tail);
        return publishClaimed();
    }

    /** Publishes an RMW as {@link #publishSend} does a SEND. */
    public long publishRmw() {
        return ready ? publishDirectRmw() : publishClaimed();
    }

    private long publishDirectRmw() {
        direct.executeRmw(tail);
        return publishClaimed();
    }

    /** Sets the execution of descriptors at their injection, or null if the injecting thread runs no engine. */
    public void direct(@Nullable DirectExecution execution) {
        direct = execution == null ? DirectExecution.NONE : execution;
        direct.injectedBy(this);
    }

    /** Sets whether the next SEND or RMW may be executed at its injection. Called by its execution. */
    void ready(boolean next) {
        ready = next;
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
        private boolean open;

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
            if (fifo.limit - fifo.tail < descriptors) {
                fifo.limit = fifo.readLimit();
            }
            left = descriptors;
            open = fifo.limit - fifo.tail >= descriptors;
            return open;
        }

        /**
         * Runs {@code body}, which writes at most {@code descriptors} of this batch.
         *
         * @throws IllegalStateException if the batch has fewer left; the body was not run
         */
        public void include(int descriptors, Runnable body) {
            final int before = left;
            if (descriptors < 0 || descriptors > before) {
                throw new IllegalStateException("the inner batch does not fit the open one: descriptors=" + descriptors
                        + ", but the open one has " + before
                        + " left of its declared maximum; declare a larger maximum for the outer batch");
            }
            left = descriptors;
            try {
                body.run();
            } finally {
                left += before - descriptors;
            }
        }

        @Override
        public long claim() {
            if (left == 0) {
                throw new IllegalStateException(
                        "the batch has more descriptors than its declared maximum, and those before are sent; declare a"
                                + " larger maximum");
            }
            return fifo.claim();
        }

        @Override
        public long publish() {
            assert left > 0 : "publish without a claim: tail=" + fifo.tail;
            left--;
            return fifo.tail++;
        }

        /** Returns the position of the next descriptor. */
        public long position() {
            return fifo.tail;
        }

        /** Returns true from a successful {@link #begin} until {@link #commit}. */
        public boolean isOpen() {
            return open;
        }

        /** Publishes the written descriptors. */
        public void commit() {
            open = false;
            fifo.memory.putLongRelease(fifo.tailOffset, fifo.tail);
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

    /**
     * Moves an inactive, empty FIFO to other slots of its context, which no other active FIFO may use; that is not
     * checked. Positions continue to count.
     *
     * @param slots a power of two
     * @throws IllegalArgumentException if these are not slots of the context
     * @throws IllegalStateException if the FIFO is active or not empty
     */
    public void place(int firstSlot, int slots) {
        requireSlots(firstSlot, slots);
        if (metadata.isInUse() || metadata.fill() != 0) {
            throw new IllegalStateException("FIFO " + fifo + " of context " + context
                    + " must be inactive and empty to be moved: fill=" + metadata.fill()
                    + "; deactivate it, and advance until it is not active");
        }
        start = slotSpace + (long) firstSlot * NodeLayout.DESCRIPTOR_LENGTH;
        capacity = slots;
        mask = slots - 1L;
        limit = tail + capacity;
        metadata.place(start, slots);
    }

    private void requireSlots(int firstSlot, int slots) {
        final NodeDimensions dimensions = node.layout().dimensions();
        final int most = dimensions.fifos() * dimensions.fifoSlots();
        if (slots < 1 || !BitUtil.isPowerOfTwo(slots)) {
            throw new IllegalArgumentException("slots must be a power of two: slots=" + slots);
        }
        if (firstSlot < 0 || firstSlot > most - slots) {
            throw new IllegalArgumentException("the slots must lie in 0 to " + (most - 1) + ": firstSlot=" + firstSlot
                    + ", slots=" + slots + "; raise NodeConfig.withFifos or withFifoSlots for more");
        }
    }

    /** Points an inactive, empty FIFO at its own slots again, with default settings, and requests its service. */
    public void openAgain() {
        final int own = node.layout().dimensions().fifoSlots();
        place(fifo * own, own);
        metadata.reset();
        metadata.activate();
    }

    /** Returns the FIFO's settings and status. */
    public FifoMetadata metadata() {
        return metadata;
    }
}
