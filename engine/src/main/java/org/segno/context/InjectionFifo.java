package org.segno.context;

import java.util.Objects;
import org.segno.engine.fifo.DescriptorSink;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.fifo.InjectionFifoProducer;
import org.segno.engine.memory.NodeDimensions;

/**
 * A further injection FIFO of a context, with its own settings and its own order of descriptors. It injects as the
 * context does. Used by the thread that holds the context; recordings go through the context itself.
 *
 * <p>The engine applies changed settings soon; under {@code INVOKER} in one of the next passes.
 */
public final class InjectionFifo extends Injector {
    private final Injector context;
    private final FifoSet fifos;
    private final Reception reception;
    private final InjectionFifoProducer producer;
    private final FifoMetadata metadata;
    private final int number;
    private final int slotSpace;

    private InjectionFifo(
            Injector context, FifoSet fifos, Reception reception, InjectionFifoProducer producer, int number) {
        super(context, context.sinks().of(producer, new Guard(context.sinks(), fifos, producer, FifoSet.name(number))));
        this.context = context;
        this.fifos = fifos;
        this.reception = reception;
        this.number = number;
        this.producer = producer;
        this.metadata = producer.metadata();
        final NodeDimensions dimensions = node().layout().dimensions();
        this.slotSpace = dimensions.fifos() * dimensions.fifoSlots();
    }

    /** Opens the next further FIFO of a context. */
    static InjectionFifo open(Injector context, FifoSet fifos, Reception reception) {
        final int number = fifos.nextNumber();
        return new InjectionFifo(context, fifos, reception, fifos.open(), number);
    }

    /** Returns the number within the context, 1 or more. The context's own FIFO is number 0. */
    public int number() {
        return number;
    }

    /** Returns the number of descriptors that are waiting or in progress. */
    public long fill() {
        return metadata.fill();
    }

    public boolean isEmpty() {
        return metadata.fill() == 0;
    }

    public boolean isFull() {
        return !metadata.hasRoom();
    }

    /** Returns the number of descriptors carried out since the node was started, refused ones included. */
    public long descriptors() {
        return metadata.descriptorsAcquire();
    }

    /**
     * Returns true once the descriptor at {@code position}, as returned by its injection, is carried out or was
     * refused. Of a put that was split, it covers the part in this FIFO alone.
     */
    public boolean isCarriedOut(long position) {
        return metadata.headAcquire() > position || (position == 0 && metadata.tailAcquire() == 0);
    }

    /**
     * Sets the number of additional visits that the engine makes to this FIFO in each pass, compared with priority 0,
     * the default. Priorities never exclude others: every FIFO with work is visited in every pass.
     *
     * @throws IllegalArgumentException unless it is 0 to {@value FifoMetadata#MAX_PRIORITY}
     */
    public void priority(int priority) {
        sinks().requireOpen();
        RunFifo.priority(metadata, priority);
    }

    /**
     * Restricts the FIFO to some ways to other nodes. A descriptor to a node that none of them reaches is refused.
     *
     * @param mask bit 0 permits mapped memory, bit 1 links to nodes without; all bits are set by default
     */
    public void linkMask(int mask) {
        sinks().requireOpen();
        metadata.priorityAndLinks(metadata.priority(), mask);
    }

    /**
     * Limits the work of one visit by the engine; the limit reached first ends it. A message longer than {@code bytes}
     * is served in several visits.
     *
     * @throws IllegalArgumentException if one is below 1
     */
    public void quantum(long bytes, int descriptors) {
        sinks().requireOpen();
        RunFifo.quantum(metadata, bytes, descriptors);
    }

    /**
     * Sets a threshold of the fill. Every time that the fill falls below {@code descriptors}, the engine records the
     * crossing and raises an event. {@code event} runs in a later {@link Context#advance()}, once for one or more
     * crossings.
     *
     * @param descriptors 1 for empty; 0 removes the threshold
     * @throws IllegalArgumentException if it is negative
     */
    public void threshold(long descriptors, Runnable event) {
        Objects.requireNonNull(event, "event");
        if (descriptors < 0) {
            throw new IllegalArgumentException("a threshold must not be negative: descriptors=" + descriptors);
        }
        sinks().requireOpen();
        reception.onFillEvent(number, event);
        metadata.threshold(descriptors);
    }

    /**
     * Sets a threshold of the free slots. Every time that their number rises to {@code slots} or more, the engine
     * records the crossing and raises an event. {@code event} runs in a later {@link Context#advance()}, once for one
     * or more crossings. A producer that has found the FIFO full uses it to continue when there is room for so many
     * descriptors. Independent of {@link #threshold}.
     *
     * @param slots 1 for a full FIFO that has room again, the number of its slots for empty; 0 removes the threshold
     * @throws IllegalArgumentException if it is negative, or the FIFO has fewer slots
     */
    public void freeThreshold(long slots, Runnable event) {
        Objects.requireNonNull(event, "event");
        if (slots < 0 || slots > producer.slots()) {
            throw new IllegalArgumentException("a threshold of free slots must be 0 to the " + producer.slots()
                    + " slots of " + this + ": slots=" + slots);
        }
        sinks().requireOpen();
        reception.onFreeEvent(number, event);
        metadata.freeThreshold(slots);
    }

    /** Returns true if the number of free slots has reached its threshold since {@link #clearFreeThreshold}. */
    public boolean wasFreeThresholdCrossed() {
        return metadata.wasFreeThresholdCrossed();
    }

    /** Clears the record of crossings of the threshold of free slots so far. */
    public void clearFreeThreshold() {
        sinks().requireOpen();
        metadata.clearFreeThreshold();
    }

    /** Returns true if the fill has fallen below the threshold since {@link #clearThreshold}. */
    public boolean wasThresholdCrossed() {
        return metadata.wasThresholdCrossed();
    }

    /** Clears the record of crossings so far. */
    public void clearThreshold() {
        sinks().requireOpen();
        metadata.clearThreshold();
    }

    /**
     * Returns true while the engine serves this FIFO. The engine follows {@link #activate} and {@link #deactivate}
     * asynchronously.
     */
    public boolean isActive() {
        return metadata.isActive();
    }

    /**
     * Requests that the engine stop serving this FIFO. Descriptors injected meanwhile wait, and so does a message in
     * progress.
     *
     * @throws IllegalStateException if deactivation was already requested
     */
    public void deactivate() {
        sinks().requireOpen();
        if (!metadata.isRequested()) {
            throw new IllegalStateException(this + " is already deactivated");
        }
        metadata.deactivate();
    }

    /**
     * Requests that the engine serve this FIFO again. A newly opened FIFO is active.
     *
     * @throws IllegalStateException if it was not deactivated, the engine has not yet confirmed that, or another FIFO
     *     that is active or holds descriptors has one of its slots
     */
    public void activate() {
        sinks().requireOpen();
        requireInactive("activated");
        fifos.requireSlots(producer, toString());
        metadata.activate();
    }

    /**
     * Moves an inactive, empty FIFO to other descriptor slots of its context. The slots of FIFO {@code i} begin at
     * {@code i} times the number of slots of one FIFO. Positions continue to count.
     *
     * <p>They may be slots of another further FIFO that is inactive and empty. While both have them, only one of the
     * two can be active or hold descriptors: the other one can neither be activated nor inject.
     *
     * @param slots a power of two
     * @throws IllegalArgumentException if the context does not have this range
     * @throws IllegalStateException if the FIFO is active or not empty, or another FIFO uses one of these slots
     */
    public void pointAt(int firstSlot, int slots) {
        sinks().requireOpen();
        if (slots < 1 || Integer.bitCount(slots) != 1 || firstSlot < 0 || firstSlot > slotSpace - slots) {
            throw new IllegalArgumentException("slots must be a power of two within the " + slotSpace
                    + " of the context: firstSlot=" + firstSlot + ", slots=" + slots);
        }
        requireInactive("pointed at other slots");
        if (!isEmpty()) {
            throw new IllegalStateException(
                    this + " holds " + fill() + " descriptors, which would be lost: activate it and let it run empty");
        }
        fifos.place(producer, toString(), firstSlot, slots);
    }

    private void requireInactive(String what) {
        if (isInUse()) {
            throw new IllegalStateException(this + " cannot be " + what
                    + " while it is active: deactivate it and advance until isActive() is false");
        }
    }

    /** Checks that this is a FIFO of the same context as {@code other}, but not {@code other} itself. */
    void requireBeside(Injector other) {
        final boolean ofContext = other == context || (other instanceof InjectionFifo fifo && fifo.context == context);
        if (!ofContext || other == this) {
            throw new IllegalArgumentException(this + " must be another FIFO of the same context as " + other);
        }
    }

    /** Checks that it has no slot in common with another FIFO of its context. */
    void requireOtherSlots(InjectionFifo other) {
        final int distance = producer.firstSlot() - other.producer.firstSlot();
        if (distance < other.producer.slots() && -distance < producer.slots()) {
            throw new IllegalStateException(this + " and " + other + " have slots in common, and cannot have parts of"
                    + " one put: point one of them at other slots");
        }
    }

    private boolean isInUse() {
        return FifoSet.isInUse(producer);
    }

    @Override
    public String toString() {
        return FifoSet.name(number);
    }

    /**
     * Sink that enforces the context's rules: no injection in a handler, during a recording, or over slots that another
     * FIFO uses.
     *
     * @param context state of the context
     * @param fifos those of the context
     * @param fifo receives the descriptors
     * @param name of the FIFO, for messages
     */
    private record Guard(SinkSelector context, FifoSet fifos, InjectionFifoProducer fifo, String name)
            implements DescriptorSink {
        @Override
        public long claim() {
            if (context.isInHandler()) {
                throw new IllegalStateException("a handler cannot send through " + name
                        + ": store the request and send it after advance has returned");
            }
            if (context.isRecording()) {
                throw new IllegalStateException(
                        "descriptors of " + name + " cannot be recorded: inside record inject through the context");
            }
            context.requireInside();
            fifos.requireSlots(fifo, name);
            return fifo.claim();
        }

        @Override
        public long publish() {
            return fifo.publish();
        }
    }
}
