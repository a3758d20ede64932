package org.segno.engine.fifo;

import java.util.function.BooleanSupplier;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.status.Status;

/**
 * The application's end of a ring of runs: the software queue in front of a persistent FIFO. Used by one thread at a
 * time.
 *
 * <p>A run names a section of the pattern buffer. The engine takes the next run and sets its FIFO's head and tail to
 * the section. A replay therefore costs the application one entry, whatever the size of the section (after the
 * persistent messaging of US 8,490,113 and US 8,505,025, where software sets those pointers).
 *
 * <pre>
 *  offset  length  field        meaning                                                        written by     access
 *       0       4  first        first slot of the section                                      application    plain
 *       4       4  slots        descriptors in the section, ARMs among them, or {@link #OPEN}  application    plain
 *       8       8  generation   of this round; stored to the pattern's executed word at the end  application  plain
 *      16       4  pattern      entry in the pattern states                                    application    plain
 *      20       4  arms         ARM descriptors at the section's end that are carried out      application    plain
 *                               first; others are carried out in their place
 *      24       8  end          of a recording: 0 while open, then one more than its slots;    application    release
 *                               of a replay: the round that must be executed first, or 0
 *      32          RUN_LENGTH
 * </pre>
 *
 * <p>A <em>queued</em> run names in {@code end} the last round of its pattern that was started before it. The engine
 * begins the run when the pattern's executed word has reached that round, and sets it aside until then. Rounds may have
 * gaps, so the predecessor is not always the round before.
 */
public final class RunRing {
    /** Value of {@code slots} for a recording that is still being written. Its end is the FIFO's section tail. */
    public static final int OPEN = -1;

    static final int SLOTS_OFFSET = 4;
    static final int GENERATION_OFFSET = 8;
    static final int PATTERN_OFFSET = 16;
    static final int ARMS_OFFSET = 20;
    static final int END_OFFSET = 24;

    private final FifoMetadata metadata;
    private final Memory memory;
    private final long start;

    /** Offset of the tail, which lies in {@link #metadata}: a start reads no further object for it. */
    private final long tailOffset;

    private final int capacity;
    private long tail;
    private long headCache;

    /** True within handlers, and while a recording is open. */
    private boolean inHandlers;

    private boolean inRecording;

    private volatile boolean shut;

    private RunRing(FifoMetadata metadata, Memory memory, long start, int capacity) {
        this.metadata = metadata;
        this.memory = memory;
        this.start = start;
        this.tailOffset = metadata.tailOffset();
        this.capacity = capacity;
    }

    /** Initializes the recording FIFO or the persistent FIFO of a context, and requests its service. */
    public static RunRing open(NodeMemory node, int context, int kind) {
        final NodeLayout layout = node.layout();
        final int fifo = kind == FifoMetadata.RECORDING
                ? layout.dimensions().recordingFifo()
                : layout.dimensions().persistentFifo();
        final FifoMetadata metadata = new FifoMetadata(node, context, fifo);
        metadata.activate(kind, buffer(node, context), layout.dimensions().patternSlots());
        return new RunRing(
                metadata,
                node.owner(),
                start(node, context, kind),
                layout.dimensions().runSlots());
    }

    /** Returns the offset in the owner's half of a context's pattern buffer. */
    static long buffer(NodeMemory node, int context) {
        final long slots = (long) context * node.layout().dimensions().patternSlots();
        return node.layout().offset(Part.PATTERN_BUFFER) + slots * NodeLayout.DESCRIPTOR_LENGTH;
    }

    static long start(NodeMemory node, int context, int kind) {
        final long ring = context * 2L + (kind == FifoMetadata.RECORDING ? 0 : 1);
        return node.layout().offset(Part.RUN_RINGS)
                + ring * node.layout().dimensions().runSlots() * NodeLayout.RUN_LENGTH;
    }

    /**
     * Returns true unless the application must start no rounds now: handlers run, a recording is open, or the context
     * was closed. These are kept here, too, because a start reads this object in any case.
     */
    public boolean mayStart() {
        return !inHandlers && !inRecording && !shut;
    }

    /** Sets whether handlers of the context run. */
    public void handlers(boolean run) {
        inHandlers = run;
    }

    /** Sets whether a recording of the context is open. */
    public void recording(boolean isOpen) {
        inRecording = isOpen;
    }

    /** Ends {@link #mayStart}, or begins it for the next use of the context. Any thread. */
    public void shut(boolean isShut) {
        shut = isShut;
    }

    /** Returns true if there is room for a run. */
    public boolean hasRoom() {
        if (tail - headCache == capacity) {
            final long head = metadata.headAcquire();
            // An impossible head is ignored: the ring stays full, and no run is overwritten.
            headCache = head - headCache >= 0 && tail - head >= 0 ? head : headCache;
        }
        return tail - headCache != capacity;
    }

    /** Adds a run and returns its position, zero or more, or {@link Status#BACK_PRESSURED}. */
    public long offer(int first, int slots, int arms, int pattern, long generation) {
        return offerAfter(0, first, slots, arms, pattern, generation);
    }

    /**
     * Adds a queued run as {@link #offer} adds a run. The engine does not begin it before round {@code predecessor} of
     * the pattern is executed.
     */
    public long offerAfter(long predecessor, int first, int slots, int arms, int pattern, long generation) {
        if (!hasRoom()) {
            return Status.BACK_PRESSURED;
        }
        final long entry = start + (tail & (capacity - 1)) * NodeLayout.RUN_LENGTH;
        memory.putInt(entry, first);
        memory.putInt(entry + SLOTS_OFFSET, slots);
        memory.putLong(entry + GENERATION_OFFSET, generation);
        memory.putInt(entry + PATTERN_OFFSET, pattern);
        memory.putInt(entry + ARMS_OFFSET, arms);
        memory.putLong(entry + END_OFFSET, predecessor);
        final long position = tail;
        tail = position + 1;
        memory.putLongRelease(tailOffset, position + 1);
        return position;
    }

    /** Records that the section of a pattern was written, before its next round is started. */
    public void sectionChanged(int pattern) {
        metadata.sectionChanged(pattern);
    }

    /** Publishes the first {@code slots} slots of the recording that was offered last. */
    public void extendRelease(int slots) {
        metadata.sectionTailRelease(FifoMetadata.sectionTail(tail - 1, slots));
    }

    /** Ends the recording that was offered last at {@code slots} slots. */
    public void closeRelease(int slots) {
        final long entry = start + ((tail - 1) & (capacity - 1)) * NodeLayout.RUN_LENGTH;
        memory.putLongRelease(entry + END_OFFSET, slots + 1L);
    }

    /** Returns true when the engine has finished every offered run, or has set it aside. */
    public boolean isTaken() {
        return metadata.headAcquire() == tail;
    }

    /** Returns true when the engine has taken and finished every offered run. */
    public boolean isDrained() {
        return metadata.headAcquire() == tail && metadata.heldAcquire() == 0;
    }

    /**
     * Returns a condition that becomes true when the engine has finished every run offered so far. Any thread may check
     * it.
     */
    public BooleanSupplier drained() {
        final long last = tail;
        return () -> metadata.headAcquire() >= last && metadata.heldAcquire() == 0;
    }

    /** Returns the FIFO's settings and status. */
    public FifoMetadata metadata() {
        return metadata;
    }
}
