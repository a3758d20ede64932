package org.segno.fifo;

import org.segno.memory.Memory;
import org.segno.memory.NodeLayout;
import org.segno.memory.NodeLayout.Part;
import org.segno.memory.NodeMemory;

/**
 * The engine's end of a ring of runs: reads one entry at a time, checks it, and tells what has become of it. One thread. What an
 * entry says is described with {@link RunRing}.
 */
final class RunReader {
    private final FifoMetadata metadata;
    private final Memory memory;
    private final long ring;
    private final int capacity;
    private final boolean recordings;
    private final long patternStates;
    private final int patterns;
    private final long buffer;
    private final int patternSlots;

    /** What the entry that was read last says. */
    int first;

    int slots;
    int arms;
    int pattern;
    long generation;
    boolean isOpen;

    RunReader(NodeMemory node, int context, FifoMetadata metadata, int kind) {
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

    /** Returns true for the pattern buffer of the context, which is all that a FIFO of runs can be over. */
    boolean isBuffer(long start, int slotCount) {
        return start == buffer && slotCount == patternSlots;
    }

    /** Reads the entry at {@code position} of a ring filled up to {@code tail}; false if a word of them is impossible. */
    boolean read(long position, long tail, int sectionSlots) {
        final long entry = entry(position);
        first = memory.getInt(entry);
        final int said = memory.getInt(entry + RunRing.SLOTS_OFFSET);
        arms = memory.getInt(entry + RunRing.ARMS_OFFSET);
        pattern = memory.getInt(entry + RunRing.PATTERN_OFFSET);
        generation = memory.getLong(entry + RunRing.GENERATION_OFFSET);
        isOpen = said == RunRing.OPEN && recordings;
        slots = isOpen ? 0 : said;
        return tail - position > 0
                && tail - position <= capacity
                && (first | slots | arms) >= 0
                && slots <= sectionSlots - first
                && arms <= slots
                && pattern >= 0
                && pattern < patterns;
    }

    /**
     * Slots that the application has written of the recording at {@code position}, the entry that was read last: {@code known} where it
     * has said nothing new. From the call on that finds it closed it is not open any more.
     */
    long end(long position, long known) {
        final long closed = memory.getLongAcquire(entry(position) + RunRing.END_OFFSET);
        // The word speaks of another recording until the application has published something of this one.
        final long sectionTail = metadata.sectionTailAcquire();
        if (closed != 0) {
            isOpen = false;
            return closed - 1;
        }
        return (int) (sectionTail >>> 32) == (int) position ? (int) sectionTail : known;
    }

    /** Everything of this round has been carried out. */
    void executedRelease(int ofPattern, long round) {
        memory.putLongRelease(state(ofPattern), round);
    }

    /** A descriptor of the pattern was refused: the first error stands. */
    void refuse(int ofPattern, long error) {
        final long word = state(ofPattern) + Long.BYTES;
        if (memory.getLong(word) == 0) {
            memory.putLongRelease(word, error);
        }
    }

    private long entry(long position) {
        return ring + (position & (capacity - 1)) * NodeLayout.RUN_LENGTH;
    }

    private long state(int ofPattern) {
        return patternStates + (long) ofPattern * NodeLayout.PATTERN_STATE_LENGTH;
    }
}
