package org.segno.fifo;

import org.segno.memory.Memory;
import org.segno.memory.NodeLayout;
import org.segno.memory.NodeLayout.Part;
import org.segno.memory.NodeMemory;
import org.segno.status.Refusal;

/**
 * The engine's end of an injection FIFO of any kind. One thread.
 *
 * <p>Shows descriptors {@code head} to {@code tail} of a section of slots. Of an ordinary FIFO that is its ring; of a FIFO with
 * runs it is the section of the current run, at whose end the next run is taken. Start, end and head are private to the engine;
 * what it takes from memory, tails and runs, is checked, and a FIFO with an impossible word is served no more.
 */
public final class InjectionFifoConsumer {
    /** No tail: a FIFO that is not idle is looked at whatever its tail. */
    public static final long BUSY = -1;

    private final FifoMetadata metadata;
    private final FifoService service;
    private final Memory memory;
    private final int kind;
    private final long ringsStart;
    private final long ringsEnd;
    private final long runStart;
    private final int runCapacity;
    private final long patternStates;
    private final int patterns;

    private final long tailOffset;

    private long start;
    private int slots;
    private long base;
    private long mask;
    private long head;
    private long tail;
    private long served;
    private long partialBytes;
    private boolean quarantined;

    /** Descriptors, or runs, that the engine has taken from the ring: while idle, the tail that it knows. */
    private long taken;

    private boolean inRun;
    private boolean openRun;
    private int bodyFirst;
    private int bodySlots;
    private boolean inArms;
    private long generation;
    private int pattern;

    private InjectionFifoConsumer(NodeMemory node, int context, FifoMetadata metadata) {
        final NodeLayout layout = node.layout();
        this.metadata = metadata;
        this.service = new FifoService(metadata);
        this.memory = node.owner();
        this.kind = metadata.kind();
        this.ringsStart = layout.offset(Part.FIFO_SLOTS);
        this.ringsEnd = ringsStart + layout.length(Part.FIFO_SLOTS);
        this.runStart = RunRing.start(node, context, kind);
        this.runCapacity = layout.dimensions().runSlots();
        this.patterns = layout.dimensions().patterns();
        this.patternStates =
                layout.offset(Part.PATTERN_STATES) + (long) context * patterns * NodeLayout.PATTERN_STATE_LENGTH;
        this.tailOffset = metadata.tailOffset();
    }

    /** Begins to serve a FIFO whose application asked for it. */
    public static InjectionFifoConsumer activate(NodeMemory node, int context, FifoMetadata metadata) {
        final InjectionFifoConsumer consumer = new InjectionFifoConsumer(node, context, metadata);
        consumer.begin();
        return consumer;
    }

    /** Begins to serve it again, with the slots that it has now and from where it was left. */
    public void begin() {
        start = metadata.start();
        slots = metadata.slots();
        mask = -1;
        if (kind == FifoMetadata.ORDINARY) {
            base = start;
            mask = slots - 1L;
            final long length = (long) slots * NodeLayout.DESCRIPTOR_LENGTH;
            if (slots <= 0 || (slots & mask) != 0 || start < ringsStart || start > ringsEnd - length) {
                quarantine();
            }
        }
        configure();
        metadata.answerActive();
    }

    /** Takes over settings that may have changed. */
    public void configure() {
        service.configure(kind == FifoMetadata.ORDINARY ? tail - head : 0);
    }

    /** How it is served. */
    public FifoService service() {
        return service;
    }

    /** The tail at which this FIFO has nothing to do, or {@link #BUSY} while it has: a look at the tail alone will do then. */
    public long idleTail() {
        return quarantined ? memory.getLongAcquire(tailOffset) : head != tail || inRun ? BUSY : taken;
    }

    /** Looks for work: true while there are descriptors from {@link #head} to {@link #tail}. */
    public boolean poll() {
        if (quarantined) {
            return false;
        }
        return kind == FifoMetadata.ORDINARY ? pollTail() : head != tail || pollRuns();
    }

    private boolean pollTail() {
        tail = memory.getLongAcquire(tailOffset);
        final long fill = tail - head;
        if (fill < 0 || fill > slots) {
            quarantine();
        } else {
            taken = tail;
            service.filled(fill);
        }
        return head != tail;
    }

    private boolean pollRuns() {
        while (!quarantined) {
            if (!inRun && !takeRun()) {
                return false;
            }
            if (head != tail) {
                return true;
            }
            if (inArms) {
                section(bodyFirst, bodySlots);
                inArms = false;
            } else if (openRun && !followRecording()) {
                if (openRun) {
                    return false;
                }
            } else if (head == tail) {
                finishRun();
            }
        }
        return false;
    }

    private boolean takeRun() {
        final long runTail = memory.getLongAcquire(tailOffset);
        if (runTail == taken) {
            return false;
        }
        final long entry = runStart + (taken & (runCapacity - 1)) * NodeLayout.RUN_LENGTH;
        final int first = memory.getInt(entry);
        final int runSlots = memory.getInt(entry + RunRing.SLOTS_OFFSET);
        final int arms = memory.getInt(entry + RunRing.ARMS_OFFSET);
        pattern = memory.getInt(entry + RunRing.PATTERN_OFFSET);
        generation = memory.getLong(entry + RunRing.GENERATION_OFFSET);
        openRun = runSlots == RunRing.OPEN && kind == FifoMetadata.RECORDING;
        final int length = openRun ? 0 : runSlots;
        final boolean sane = runTail - taken > 0
                && runTail - taken <= runCapacity
                && (first | length | arms) >= 0
                && length <= slots - first
                && arms <= length
                && pattern >= 0
                && pattern < patterns;
        if (!sane) {
            quarantine();
            return false;
        }
        inRun = true;
        bodyFirst = first;
        bodySlots = length - arms;
        inArms = arms > 0;
        section(inArms ? first + bodySlots : first, inArms ? arms : bodySlots);
        return true;
    }

    /** Takes what the application has added to its recording; false when there is nothing new or it has ended. */
    private boolean followRecording() {
        final long entry = runStart + (taken & (runCapacity - 1)) * NodeLayout.RUN_LENGTH;
        final long closed = memory.getLongAcquire(entry + RunRing.END_OFFSET);
        final long sectionTail = metadata.sectionTailAcquire();
        final long end;
        if (closed != 0) {
            openRun = false;
            end = closed - 1;
        } else {
            // The word speaks of another recording until the application has published something of this one.
            end = (int) (sectionTail >>> 32) == (int) taken ? (int) sectionTail : tail;
        }
        if (end < tail || end > slots - bodyFirst) {
            quarantine();
            return false;
        }
        tail = end;
        return head != tail;
    }

    private void section(int first, int count) {
        base = start + (long) first * NodeLayout.DESCRIPTOR_LENGTH;
        head = 0;
        tail = count;
    }

    private void finishRun() {
        inRun = false;
        taken++;
        memory.putLongRelease(patternState(), generation);
        metadata.headRelease(taken);
    }

    private void quarantine() {
        quarantined = true;
        tail = head;
        metadata.quarantine(Refusal.BAD_FIFO.code());
    }

    /** True once a word of this FIFO was impossible. */
    public boolean isQuarantined() {
        return quarantined;
    }

    /** True for a FIFO that shows one section after the other. */
    public boolean hasRuns() {
        return kind != FifoMetadata.ORDINARY;
    }

    /** Position of the next descriptor. */
    public long head() {
        return head;
    }

    /** Position after the last descriptor known. */
    public long tail() {
        return tail;
    }

    /** Offset in the owner's half of the slot at a position. */
    public long slot(long position) {
        return base + (position & mask) * NodeLayout.DESCRIPTOR_LENGTH;
    }

    /**
     * The engine is done with everything before {@code position}, and what it landed is visible.
     *
     * @param partial bytes of the descriptor at {@code position} that have been moved already
     */
    public void advance(long position, long partial) {
        served += position - head;
        head = position;
        partialBytes = partial;
    }

    /** Bytes of the descriptor at the head that earlier visits have moved. */
    public long partialBytes() {
        return partialBytes;
    }

    /**
     * At the end of a visit: tells the application what was served and lets it use the slots again.
     *
     * @return true if that crossed the threshold and an event is due which was not before
     */
    public boolean commit() {
        if (served == 0) {
            return false;
        }
        metadata.addDescriptors(served);
        served = 0;
        if (kind != FifoMetadata.ORDINARY) {
            return false;
        }
        metadata.headRelease(head);
        return service.drained(tail - head);
    }

    /** Generation of the current run, zero in an ordinary FIFO. */
    public long generation() {
        return generation;
    }

    /** A descriptor of the current run was refused: the first error stands in its pattern's state. */
    public void refuse(long error) {
        if (inRun) {
            final long word = patternState() + Long.BYTES;
            if (memory.getLong(word) == 0) {
                memory.putLongRelease(word, error);
            }
        }
    }

    private long patternState() {
        return patternStates + (long) pattern * NodeLayout.PATTERN_STATE_LENGTH;
    }
}
