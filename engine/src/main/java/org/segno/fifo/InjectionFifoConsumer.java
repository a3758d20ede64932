package org.segno.fifo;

import org.segno.fifo.HeldRuns.HeldRun;
import org.segno.memory.Memory;
import org.segno.memory.NodeLayout;
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
    private final boolean ring;
    private final boolean reply;
    private final NodeLayout layout;
    private final RunReader runs;
    private final HeldRuns held;
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
    private boolean quarantineReported;

    /** Descriptors, or runs, that the engine has taken from the ring: while idle, the tail that it knows. */
    private long taken;

    private boolean inRun;
    private boolean openRun;
    private boolean resumed;
    private boolean inArms;
    private long generation;
    private int pattern;

    private InjectionFifoConsumer(NodeMemory node, int context, FifoMetadata metadata) {
        this.layout = node.layout();
        this.metadata = metadata;
        this.service = new FifoService(metadata);
        this.memory = node.owner();
        final int kind = metadata.kind();
        this.ring = kind == FifoMetadata.ORDINARY || kind == FifoMetadata.REPLY;
        this.reply = kind == FifoMetadata.REPLY;
        this.runs = new RunReader(node, context, metadata, kind);
        this.held = new HeldRuns(node.peers());
        this.tailOffset = metadata.tailOffset();
    }

    /** Begins to serve a FIFO whose application asked for it. */
    public static InjectionFifoConsumer activate(NodeMemory node, int context, FifoMetadata metadata) {
        return new InjectionFifoConsumer(node, context, metadata).begin();
    }

    /** Begins to serve it again, with the slots that it has now and from where it was left. */
    public InjectionFifoConsumer begin() {
        start = metadata.start();
        slots = metadata.slots();
        mask = -1;
        if (ring) {
            base = start;
            mask = slots - 1L;
        }
        if (!(ring ? InjectionFifoProducer.isRing(layout, start, slots) : runs.isBuffer(start, slots))) {
            quarantine();
        }
        configure();
        metadata.answerActive();
        return this;
    }

    public void configure() {
        service.configure(ring ? tail - head : 0);
    }

    public FifoService service() {
        return service;
    }

    /** The tail at which this FIFO has nothing to do, or {@link #BUSY} while it has: a look at the tail alone will do then. */
    public long idleTail() {
        return quarantined
                ? memory.getLongAcquire(tailOffset)
                : head != tail || inRun || held.count() != 0 ? BUSY : taken;
    }

    public boolean poll() {
        if (quarantined) {
            return false;
        }
        return ring ? pollTail() : head != tail || pollRuns();
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
            if (!inRun && !resume() && !takeRun()) {
                return false;
            }
            if (head != tail) {
                return true;
            }
            if (inArms) {
                section(runs.first, runs.slots - runs.arms);
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
        if (!runs.read(taken, runTail, slots)) {
            quarantine();
            return false;
        }
        pattern = runs.pattern;
        generation = runs.generation;
        openRun = runs.isOpen;
        inRun = true;
        resumed = false;
        inArms = runs.arms > 0;
        final int body = runs.slots - runs.arms;
        section(inArms ? runs.first + body : runs.first, inArms ? runs.arms : body);
        return true;
    }

    private boolean followRecording() {
        final long end = runs.end(taken, tail);
        if (end < tail || end > slots - runs.first) {
            quarantine();
            return false;
        }
        openRun = runs.isOpen;
        tail = end;
        return head != tail;
    }

    /**
     * Sets the current run aside at a WAIT, so that the next one goes on, until a word of the peers' half is at or below {@code limit}.
     * False in an ordinary FIFO, in an open recording, or when all places are taken: then the FIFO holds.
     */
    public boolean hold(long valueOffset, long limit) {
        if (openRun) {
            followRecording();
        }
        if (!inRun || openRun || inArms || quarantined || held.isFull()) {
            return false;
        }
        held.add(valueOffset, limit).section(base, head, tail).round(pattern, generation);
        inRun = false;
        tail = head;
        if (!resumed) {
            // Before the head says that the ring has nothing more.
            metadata.heldRelease(held.count());
            metadata.headRelease(++taken);
        }
        return true;
    }

    private boolean resume() {
        final int index = held.count() == 0 ? -1 : held.ready();
        if (index < 0) {
            return false;
        }
        final HeldRun run = held.take(index);
        base = run.base;
        head = run.head;
        tail = run.tail;
        generation = run.generation;
        pattern = run.pattern;
        inRun = true;
        resumed = true;
        return true;
    }

    /** The current run ends behind {@code position}: what comes after it counts on what cannot come. */
    public void abandonRun(long position) {
        openRun = false;
        tail = inRun ? position + 1 : tail;
    }

    private void section(int first, int count) {
        base = start + (long) first * NodeLayout.DESCRIPTOR_LENGTH;
        head = 0;
        tail = count;
    }

    private void finishRun() {
        inRun = false;
        runs.executedRelease(pattern, generation);
        if (resumed) {
            metadata.heldRelease(held.count());
        } else {
            metadata.headRelease(++taken);
        }
    }

    /** Returns true once after the FIFO was quarantined: it holds an impossible word and is not served any more. */
    public boolean isNewlyQuarantined() {
        if (!quarantined || quarantineReported) {
            return false;
        }
        quarantineReported = true;
        return true;
    }

    private void quarantine() {
        quarantined = true;
        tail = head;
        metadata.quarantine(Refusal.BAD_FIFO.code());
    }

    public boolean isReply() {
        return reply;
    }

    public boolean hasRuns() {
        return !ring;
    }

    public long head() {
        return head;
    }

    public long tail() {
        return tail;
    }

    public long slot(long position) {
        return base + (position & mask) * NodeLayout.DESCRIPTOR_LENGTH;
    }

    /**
     * The engine is done with everything before {@code position}, and what it landed is visible.
     *
     * @param partial bytes of the descriptor at {@code position} that have been moved already, or targets that were told
     */
    public void advance(long position, long partial) {
        served += position - head;
        head = position;
        partialBytes = partial;
    }

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
        if (!ring) {
            return false;
        }
        metadata.headRelease(head);
        return service.drained(tail - head);
    }

    public long generation() {
        return generation;
    }

    /** A descriptor of the current run was refused: the first error stands in its pattern's state. */
    public void refuse(long error) {
        if (inRun) {
            runs.refuse(pattern, error);
        }
    }
}
