package org.segno.context;

import org.segno.fifo.DescriptorSink;
import org.segno.fifo.FifoMetadata;
import org.segno.fifo.InjectionFifoProducer;

/**
 * A further injection FIFO of a context, with settings of its own: injects as the context does, in an order of its own. Used by the
 * thread that holds the context; recordings go through the context itself.
 *
 * <p>Settings are taken over by the engine soon after they were made: under {@code INVOKER} in one of the next passes.
 */
public final class InjectionFifo extends OneSided {
    private final Context context;
    private final InjectionFifoProducer producer;
    private final FifoMetadata metadata;
    private final int number;
    private final int slotSpace;
    private long mark;

    InjectionFifo(NodeShare share, Context context, InjectionFifoProducer producer, int number) {
        super(share, producer, context.patterns, context.threads, context.homes);
        this.context = context;
        this.number = number;
        this.producer = producer;
        this.metadata = producer.metadata();
        this.slotSpace = share.node().layout().dimensions().fifos()
                * share.node().layout().dimensions().fifoSlots();
        this.sink = new Guard();
        this.home = sink;
    }

    /** Number within the context: 1 or more, the context's own FIFO is 0. */
    public int number() {
        return number;
    }

    /** Descriptors that wait or are being carried out. */
    public long fill() {
        return metadata.fill();
    }

    public boolean isEmpty() {
        return metadata.fill() == 0;
    }

    public boolean isFull() {
        return !metadata.hasRoom();
    }

    /** Descriptors carried out since the node was started, refused ones too. */
    public long descriptors() {
        return metadata.descriptorsAcquire();
    }

    /** True once the descriptor whose injection answered {@code position} is carried out, or was refused. */
    public boolean isCarriedOut(long position) {
        return metadata.headAcquire() > position;
    }

    /** Notes what has been injected until now. */
    void mark() {
        mark = metadata.tailAcquire();
    }

    /** True once what was noted by {@link #mark} is carried out. */
    boolean isPastMark() {
        return metadata.headAcquire() >= mark;
    }

    /**
     * Has the engine visit this FIFO {@code priority} times more in each pass than one of priority 0, which is the default. More
     * often, never exclusively: every FIFO with work is visited in every pass.
     *
     * @throws IllegalArgumentException unless it is 0 to {@value FifoMetadata#MAX_PRIORITY}
     */
    public void priority(int priority) {
        if (priority < 0 || priority > FifoMetadata.MAX_PRIORITY) {
            throw new IllegalArgumentException(
                    "priority must be 0 to " + FifoMetadata.MAX_PRIORITY + ": priority=" + priority);
        }
        metadata.priorityAndLinks(priority, metadata.linkMask());
    }

    /**
     * Restricts the FIFO to some links: bit 0 is mapped memory. What has no link left is refused.
     *
     * @param mask one bit per link; all are set by default
     */
    public void linkMask(int mask) {
        metadata.priorityAndLinks(metadata.priority(), mask);
    }

    /**
     * What one visit of the engine may serve, whichever ends first. A message longer than {@code bytes} is served in several visits.
     *
     * @throws IllegalArgumentException if one is below 1
     */
    public void quantum(long bytes, int descriptors) {
        if (bytes < 1 || descriptors < 1) {
            throw new IllegalArgumentException("a visit serves at least one byte and one descriptor: bytes=" + bytes
                    + ", descriptors=" + descriptors);
        }
        metadata.quantum(bytes, descriptors);
    }

    /**
     * Has the engine note every time that the fill falls below {@code descriptors}, and raise an event: {@code event} runs in a later
     * {@link Context#advance()}, once for one or more crossings.
     *
     * @param descriptors 1 for empty; 0 ends it
     * @throws IllegalArgumentException if it is negative
     */
    public void threshold(long descriptors, Runnable event) {
        if (descriptors < 0) {
            throw new IllegalArgumentException("a threshold is a number of descriptors: descriptors=" + descriptors);
        }
        context.fifos.onThreshold(number(), event);
        metadata.threshold(descriptors);
    }

    /** True if the fill has fallen below the threshold since {@link #clearThreshold}. */
    public boolean wasThresholdCrossed() {
        return metadata.wasThresholdCrossed();
    }

    /** Forgets the crossings so far. */
    public void clearThreshold() {
        metadata.clearThreshold();
    }

    /** True while the engine serves this FIFO: it answers {@link #activate} and {@link #deactivate} in its own time. */
    public boolean isActive() {
        return metadata.isActive();
    }

    /**
     * Asks the engine to serve this FIFO no more. What is injected meanwhile waits, a message that was begun too.
     *
     * @throws IllegalStateException if that was asked before
     */
    public void deactivate() {
        if (!metadata.isRequested()) {
            throw new IllegalStateException(this + " is deactivated already");
        }
        metadata.deactivate();
    }

    /**
     * Asks the engine to serve this FIFO again. One opened by a context is active.
     *
     * @throws IllegalStateException if it was not deactivated, the engine has not answered that, or its slots belong to another FIFO
     */
    public void activate() {
        requireInactive("activated");
        context.fifos.requireSlots(this);
        metadata.activate();
    }

    /**
     * Points an inactive, empty FIFO at other descriptor slots of its context: those of FIFO {@code i} begin at {@code i} times the
     * slots of one. Positions count on.
     *
     * @param slots a power of two
     * @throws IllegalArgumentException if the range is none of the context's
     * @throws IllegalStateException if the FIFO is active or not empty
     */
    public void pointAt(int firstSlot, int slots) {
        if (slots < 1 || Integer.bitCount(slots) != 1 || firstSlot < 0 || firstSlot > slotSpace - slots) {
            throw new IllegalArgumentException("a FIFO has a power of two slots, of the " + slotSpace
                    + " of its context: firstSlot=" + firstSlot + ", slots=" + slots);
        }
        requireInactive("pointed at other slots");
        if (!isEmpty()) {
            throw new IllegalStateException(
                    this + " holds " + fill() + " descriptors, which would be lost: activate it and let it run empty");
        }
        producer.place(firstSlot, slots);
    }

    private void requireInactive(String what) {
        if (isInUse()) {
            throw new IllegalStateException(this + " cannot be " + what
                    + " while it is active: deactivate it and advance until isActive() is false");
        }
    }

    /** True if both use a slot. */
    boolean overlaps(InjectionFifoProducer other) {
        return other.firstSlot() < producer.firstSlot() + producer.slots()
                && producer.firstSlot() < other.firstSlot() + other.slots();
    }

    /** Checks that it is a FIFO of the same context, and not the one that is to be split over others. */
    void requireOf(OneSided other) {
        final boolean ofContext = other == context || (other instanceof InjectionFifo fifo && fifo.context == context);
        if (!ofContext || other == this) {
            throw new IllegalArgumentException(this + " is no other FIFO of the same context as " + other);
        }
    }

    /** True if the engine serves it, or will, or has not answered yet. */
    boolean isInUse() {
        return metadata.isRequested() || metadata.isActive();
    }

    @Override
    public String toString() {
        return "injection FIFO " + number();
    }

    /** Keeps the context's rules: no injection in a handler, nothing beside a recording. */
    private final class Guard implements DescriptorSink {
        @Override
        public long claim() {
            context.fifos.requireInjection(InjectionFifo.this);
            return producer.claim();
        }

        @Override
        public long publish() {
            return producer.publish();
        }
    }
}
