package org.segno.engine.fifo;

import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.status.Refusal;

/**
 * The engine's end of a ring of runs. It reads one entry at a time, validates it, and records the outcome of the run.
 * Used by one thread. {@link RunRing} describes an entry.
 */
final class RunReader {
    /** In place of a rank, if there is none. */
    static final int NO_RANK = -1;

    private final FifoMetadata metadata;
    private final FifoService service;
    private final Memory memory;
    private final long ring;
    private final int capacity;
    private final boolean recordings;
    private final long patternStates;
    private final int patterns;
    private final long buffer;
    private final int patternSlots;

    /** Fields of the entry that was read last. */
    int first;

    int slots;
    int arms;
    int pattern;
    long generation;
    long predecessor;
    boolean isOpen;

    RunReader(NodeMemory node, int context, FifoMetadata metadata, int kind, FifoService service) {
        this.service = service;
        final NodeLayout layout = node.layout();
        this.patternSlots = layout.dimensions().patternSlots();
        this.buffer = RunRing.buffer(node, context);
        this.metadata = metadata;
        this.memory = node.owner();
        this.ring = RunRing.start(node, context, kind);
        this.capacity = layout.dimensions().runSlots();
        this.recordings = kind == FifoMetadata.RECORDING;
        this.patterns = layout.dimensions().patterns();
        this.patternStates =
                layout.offset(Part.PATTERN_STATES) + (long) context * patterns * NodeLayout.PATTERN_STATE_LENGTH;
    }

    /** Returns true for the pattern buffer of the context, the only slots that a FIFO of runs may have. */
    boolean isBuffer(long start, int slotCount) {
        return start == buffer && slotCount == patternSlots;
    }

    /**
     * Reads the entry at {@code position} of a ring filled up to {@code tail}. Returns false if the tail or a word of
     * the entry is impossible.
     */
    boolean read(long position, long tail, int sectionSlots) {
        final long entry = entry(position);
        first = memory.getInt(entry);
        final int said = memory.getInt(entry + RunRing.SLOTS_OFFSET);
        arms = memory.getInt(entry + RunRing.ARMS_OFFSET);
        pattern = memory.getInt(entry + RunRing.PATTERN_OFFSET);
        generation = memory.getLong(entry + RunRing.GENERATION_OFFSET);
        isOpen = said == RunRing.OPEN && recordings;
        slots = isOpen ? 0 : said;
        predecessor = recordings ? 0 : memory.getLong(entry + RunRing.END_OFFSET);
        return tail - position > 0
                && tail - position <= capacity
                && (first | slots | arms) >= 0
                && slots <= sectionSlots - first
                && arms <= slots
                && pattern >= 0
                && pattern < patterns
                && predecessor >= 0
                && (predecessor == 0 || predecessor < generation);
    }

    /** Sets the fields of a run that has no entry yet, and may begin at once. */
    void set(int itsFirst, int itsSlots, int itsArms, int ofPattern, long round) {
        first = itsFirst;
        slots = itsSlots;
        arms = itsArms;
        pattern = ofPattern;
        generation = round;
        predecessor = 0;
        isOpen = false;
    }

    /** Returns true if the application has added no run after the one at {@code position}. */
    boolean isLast(long position) {
        return metadata.tailAcquire() == position + 1;
    }

    /**
     * Returns true once a round of a pattern is executed. Another engine may have executed it, if it was the recording.
     */
    boolean isExecuted(int ofPattern, long round) {
        return round == 0 || memory.getLongAcquire(state(ofPattern)) >= round;
    }

    /**
     * Returns the number of slots that the application has written of the recording at {@code position}, the entry that
     * was read last. Returns {@code known} if the application has published nothing new. The first call that finds the
     * recording closed also clears {@link #isOpen}.
     */
    long end(long position, long known) {
        final long closed = memory.getLongAcquire(entry(position) + RunRing.END_OFFSET);
        // The word belongs to another recording until the application has published a slot of this one.
        final long sectionTail = metadata.sectionTailAcquire();
        if (closed != 0) {
            isOpen = false;
            return closed - 1;
        }
        return FifoMetadata.isOfRun(sectionTail, position) ? FifoMetadata.sectionSlots(sectionTail) : known;
    }

    /** Traces the begin of a round. Its ARMs are the last of the {@code count} slots from {@code firstSlot} on. */
    void begun(int ofPattern, int firstSlot, int count, int itsArms) {
        final FifoTrace trace = service.trace();
        if (trace != null) {
            trace.begun(ofPattern, buffer + (long) firstSlot * NodeLayout.DESCRIPTOR_LENGTH, count, itsArms);
        }
    }

    /** Traces the end of a round: all its descriptors are carried out. Its packets over links may not have landed. */
    void finished(int ofPattern, long round) {
        final FifoTrace trace = service.trace();
        if (trace != null) {
            trace.finished(ofPattern, round);
        }
    }

    /** Records that everything in this round has been carried out. */
    void executedRelease(int ofPattern, long round) {
        memory.putLongRelease(state(ofPattern), round);
    }

    /** Returns true if a descriptor of the pattern was refused in a round that {@link #isExecuted}. */
    boolean hasFailed(int ofPattern) {
        return memory.getLong(state(ofPattern) + Long.BYTES) != 0;
    }

    /**
     * Returns the rank because of which the application has given up the rounds of the pattern, or {@link #NO_RANK}. It
     * may do so at any time.
     */
    int givenUpFor(int ofPattern) {
        final long error = memory.getLongAcquire(state(ofPattern) + Long.BYTES);
        // As in an injection counter: the code, and the rank in the upper half.
        return (int) error == Refusal.ROUND_FAILED.code() ? (int) (error >>> Integer.SIZE) : NO_RANK;
    }

    /** Records that a descriptor of the pattern was refused. The first error is kept. */
    void refuse(int ofPattern, long error) {
        memory.compareAndSetLong(state(ofPattern) + Long.BYTES, 0, error);
    }

    private long entry(long position) {
        return ring + (position & (capacity - 1)) * NodeLayout.RUN_LENGTH;
    }

    private long state(int ofPattern) {
        return patternStates + (long) ofPattern * NodeLayout.PATTERN_STATE_LENGTH;
    }
}
