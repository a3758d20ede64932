package org.segno.engine.fifo;

import org.segno.engine.fifo.HeldRuns.HeldRun;
import org.segno.engine.memory.ContextStates;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.trace.TraceRecord;
import org.segno.status.Refusal;

/**
 * The engine's end of an injection FIFO of any kind. Used by one thread.
 *
 * <p>It presents the descriptors {@code head} to {@code tail} of a section of slots. For an ordinary FIFO the section
 * is its ring. For a FIFO with runs it is the section of the current run, and the next run is taken at its end. Start,
 * end and head are private to the engine. The tails and runs that it reads from memory are validated, and a FIFO with
 * an impossible word is no longer served.
 *
 * <p>What the application reads as carried out has landed. Packets over links land later than their descriptors are
 * carried out here: they belong to groups, of one visit to a ring or of one run, and the published head of a ring and
 * the executed word of a run wait for their groups.
 */
public final class InjectionFifoConsumer {
    /** Value in place of an idle tail: the engine visits the FIFO whatever its tail. */
    public static final long BUSY = -1;

    /** Maximum of {@link #adjacent}: the bytes of so many slots are an int. */
    private static final int MOST_ADJACENT = 1 << 24;

    private final FifoMetadata metadata;
    private final FifoService service;
    private final Memory memory;
    private final boolean ring;
    private final NodeLayout layout;
    private final RunReader runs;
    private final HeldRuns held;
    private final long tailOffset;
    private final DueEvents due;
    private final UnlandedVisits unlandedVisits = new UnlandedVisits();
    private final UnlandedRuns unlandedRuns;

    private long start;
    private int slots;
    private long base;
    private long mask;
    private long head;
    private long tail;
    private long served;
    private long partialBytes;
    private final PartialMessage partialMessage = new PartialMessage();

    /** Head of a ring as the application reads it. */
    private long landedHead;

    /** Packets that have not landed, and among them requests that have not been answered. */
    private int unlanded;

    private final OpenRequests requests = new OpenRequests();
    private boolean isServed;
    private boolean isEnding;
    private boolean quarantined;

    /**
     * Number of descriptors, or runs, that the engine has taken from the ring. While the FIFO is idle this is the last
     * tail read.
     */
    private long taken;

    private boolean inRun;
    private boolean openRun;
    private boolean resumed;

    /** True while the current run has no entry in the ring. */
    private boolean isUnlisted;

    private boolean inArms;

    /** Section of the current run without its ARMs. */
    private int bodyFirst;

    private int bodySlots;
    private long generation;
    private int pattern;
    private int group = UnlandedRuns.NONE;

    private InjectionFifoConsumer(NodeMemory node, int context, FifoMetadata metadata, DueEvents due) {
        this.layout = node.layout();
        final ContextStates contexts = new ContextStates(node);
        this.metadata = metadata;
        this.service = new FifoService(metadata, contexts, context);
        this.memory = node.owner();
        final int kind = metadata.kind();
        this.ring = kind == FifoMetadata.ORDINARY || kind == FifoMetadata.REPLY;
        this.runs = new RunReader(node, context, metadata, kind, service);
        this.unlandedRuns = new UnlandedRuns(runs);
        this.due = due;
        final PeerStates states = new PeerStates(node);
        // A peer's death or departure, and the close of the context's client, whose bit is above a count of changes.
        this.held = new HeldRuns(node.values(), runs, () -> states.changesAcquire() ^ contexts.stateAcquire(context));
        this.tailOffset = metadata.tailOffset();
    }

    /**
     * Starts the service of a FIFO that the application has activated.
     *
     * @param due receives the events of its thresholds
     */
    public static InjectionFifoConsumer activate(NodeMemory node, int context, FifoMetadata metadata, DueEvents due) {
        return new InjectionFifoConsumer(node, context, metadata, due).begin();
    }

    /** Starts the service again, with the current slots and from the position at which it ended. */
    public InjectionFifoConsumer begin() {
        isServed = true;
        isEnding = false;
        start = metadata.start();
        slots = metadata.slots();
        mask = ring ? slots - 1L : -1;
        base = ring ? start : base;
        if (!(ring ? InjectionFifoProducer.isRing(layout, start, slots) : runs.isBuffer(start, slots))) {
            quarantine();
        }
        configure();
        metadata.confirmActive();
        return this;
    }

    /** Ends the service. Its end is confirmed when everything that the FIFO has sent has landed. */
    public void end() {
        isServed = false;
        isEnding = true;
        confirmEnd();
    }

    private void confirmEnd() {
        if (isEnding && unlanded == 0) {
            isEnding = false;
            metadata.confirmInactive();
        }
    }

    /** Returns true from the beginning of the service to its end. */
    public boolean isServed() {
        return isServed;
    }

    public void configure() {
        service.configure(ring ? tail - landedHead : 0);
    }

    public FifoService service() {
        return service;
    }

    /**
     * Returns the tail at which this FIFO is idle, or {@link #BUSY} while it has work. While it is idle, comparing the
     * tail alone is sufficient.
     */
    public long idleTail() {
        return quarantined
                ? memory.getLongAcquire(tailOffset)
                : head != tail || inRun || held.count() != 0 ? BUSY : taken;
    }

    public boolean poll() {
        return !quarantined && (ring ? pollTail() : head != tail || pollRuns());
    }

    private boolean pollTail() {
        tail = memory.getLongAcquire(tailOffset);
        final long fill = tail - landedHead;
        if (tail - head < 0 || fill > slots) {
            quarantine();
        } else {
            taken = tail;
            service.filled(fill);
        }
        return head != tail;
    }

    private boolean pollRuns() {
        while (!quarantined) {
            if (!inRun && !resume()) {
                if (!takeRun()) {
                    return false;
                }
                continue;
            }
            if (head != tail) {
                return true;
            }
            if (inArms) {
                beginBody();
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
            return quarantine();
        }
        if (!runs.isExecuted(runs.pattern, runs.predecessor)) {
            return holdQueued();
        }
        begin(runs.predecessor != 0);
        return true;
    }

    /**
     * Begins a run of the calling thread that has no entry in the ring, while this FIFO is idle. It gets the next entry
     * if {@link #endDirect} finds that it is not finished. Returns false within a run, where an operator of the
     * application may call this, or if the FIFO is not served.
     */
    public boolean beginDirect(int first, int count, int arms, int ofPattern, long round) {
        if (inRun || !isServed) {
            return false;
        }
        runs.set(first, count, arms, ofPattern, round);
        begin(false);
        isUnlisted = true;
        return true;
    }

    /**
     * Proceeds from the ARMs of the run of {@link #beginDirect} to its body, or ends the run. Returns false if it is
     * over, or a descriptor remains.
     */
    public boolean proceed() {
        final boolean isBody = inArms && head == tail;
        if (isBody) {
            beginBody();
        } else if (head == tail) {
            finishRun();
        }
        return isBody;
    }

    private void beginBody() {
        section(bodyFirst, bodySlots);
        inArms = false;
    }

    /** Ends the visit that {@link #beginDirect} has begun. Returns true if the run is finished. */
    public boolean endDirect() {
        isUnlisted = false;
        return !inRun;
    }

    private void begin(boolean isQueued) {
        pattern = runs.pattern;
        generation = runs.generation;
        group = UnlandedRuns.NONE;
        openRun = runs.isOpen;
        resumed = false;
        held.begun();
        beginRun(runs.first, runs.slots, runs.arms, isQueued);
    }

    /**
     * Begins the current run with its ARMs, which are the last slots of its section. A queued run of a pattern that has
     * failed is given up behind them: if the round before it was given up at a WAIT, nothing shows that the peers have
     * read what the round before that has sent to the same slots.
     */
    private void beginRun(int first, int count, int arms, boolean isQueued) {
        final int body = count - arms;
        inRun = true;
        inArms = arms > 0;
        bodyFirst = first;
        bodySlots = isQueued && runs.hasFailed(pattern) ? 0 : body;
        runs.begun(pattern, first, count, arms);
        section(inArms ? first + body : first, inArms ? arms : bodySlots);
    }

    /**
     * Sets the queued run that was read last aside until its predecessor is executed, so that the next run proceeds.
     * Returns true if that run, or a held one, may proceed; false when all entries are in use.
     */
    private boolean holdQueued() {
        if (held.isFull()) {
            return false;
        }
        held.addQueued(runs.predecessor)
                .unbegun(runs.first, runs.slots, runs.arms)
                .round(runs.pattern, runs.generation, UnlandedRuns.NONE);
        passHeld();
        return true;
    }

    private boolean followRecording() {
        final long end = runs.end(taken, tail);
        if (end < tail || end > slots - runs.first) {
            return quarantine();
        }
        openRun = runs.isOpen;
        tail = end;
        return head != tail;
    }

    /**
     * Sets the current run aside at a WAIT until a counter's value is at or below {@code limit}, so that the
     * next run proceeds. Returns false for an ordinary FIFO, for an open recording, when all entries are in use, and
     * for a while if there is no next run; the FIFO then holds.
     */
    public boolean hold(long valueOffset, long limit) {
        if (openRun) {
            followRecording();
        }
        if (!inRun || isUnlisted || openRun || inArms || quarantined || held.refuses(!resumed && runs.isLast(taken))) {
            return false;
        }
        held.add(valueOffset, limit).section(base, head, tail).round(pattern, generation, unlandedRuns.setAside(group));
        inRun = false;
        tail = head;
        if (!resumed) {
            passHeld();
        }
        return true;
    }

    /** Returns how many further looks, of {@code most}, the current run may take at its WAITs; 0 in a ring. */
    public int looks(int most) {
        return ring ? 0 : held.looks(most);
    }

    /** Passes a run that is not executed, and thus is counted as held. */
    private void passHeld() {
        // Publish the held count before the head can show the ring as empty.
        publishHeld();
        metadata.headRelease(++taken);
    }

    private void publishHeld() {
        metadata.heldRelease(held.count() + unlandedRuns.count());
    }

    private boolean resume() {
        final int index = held.count() == 0 ? -1 : held.ready();
        if (index < 0) {
            return false;
        }
        final HeldRun run = held.take(index);
        generation = run.generation;
        pattern = run.pattern;
        group = run.group;
        resumed = true;
        if (run.isBegun()) {
            base = run.base;
            head = run.head;
            tail = run.tail;
            inRun = true;
        } else {
            beginRun(run.first, run.slots, run.arms, true);
        }
        return true;
    }

    /**
     * Ends the current run after {@code position}: the descriptors after it depend on completions that cannot arrive.
     */
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
        runs.finished(pattern, generation);
        final boolean landed = unlandedRuns.finish(group);
        if (landed) {
            runs.executedRelease(pattern, generation);
        }
        if (resumed || !landed) {
            // Before the head can show the ring as empty.
            publishHeld();
        }
        if (!resumed && !isUnlisted) {
            metadata.headRelease(++taken);
        }
    }

    /** Ends the service of a FIFO with an impossible word. Returns false: it has no descriptor. */
    private boolean quarantine() {
        quarantined = true;
        isServed = false;
        tail = head;
        service.quarantine(Refusal.BAD_FIFO.code());
        return false;
    }

    /**
     * Returns true if the descriptor at a position of a ring, which the producer may not have published, is the next
     * one, masks do not concern it, and all packets have landed.
     */
    public boolean isNext(long position) {
        return position == head && ring && isServed && unlanded == 0 && !service.isMasked();
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

    /** Returns the offset of the slot of position 0. The slot of another one is that of its bits in {@link #mask}. */
    public long base() {
        return base;
    }

    /** Returns the bits of a position that select its slot: those of a ring, or all of them for a section. */
    public long mask() {
        return mask;
    }

    public long slot(long position) {
        return base + (position & mask) * NodeLayout.DESCRIPTOR_LENGTH;
    }

    /**
     * Returns how many descriptors from {@code position} on lie one behind the other in memory: all up to {@code end},
     * or in a ring those up to its last slot.
     */
    public int adjacent(long position, long end) {
        final long toEnd = mask == -1 ? Long.MAX_VALUE : mask + 1 - (position & mask);
        return (int) Math.min(Math.min(end - position, toEnd), MOST_ADJACENT);
    }

    /**
     * Advances the head to {@code position}. Everything before it is carried out, and the landed data are visible.
     *
     * @param partial bytes already moved for the descriptor at {@code position}, or targets already notified
     */
    public void advance(long position, long partial) {
        served += position - head;
        head = position;
        partialBytes = partial;
    }

    public long partialBytes() {
        return partialBytes;
    }

    /** Returns what is kept of the message over a link that {@link #partialBytes} belong to. */
    public PartialMessage partialMessage() {
        return partialMessage;
    }

    /**
     * Ends a visit: publishes the number of served descriptors, and returns their slots to the application. Those of a
     * ring are returned when everything before them has landed.
     */
    public void commit() {
        if (!ring) {
            if (served != 0) {
                metadata.addDescriptors(served);
                served = 0;
            }
        } else if (unlanded != 0) {
            unlandedVisits.end(head);
        } else if (head != landedHead) {
            publish(head);
        }
    }

    private void publish(long landed) {
        metadata.addDescriptors(landed - landedHead);
        landedHead = landed;
        metadata.headRelease(landed);
        due.add(service.drained(tail - landed));
    }

    /** Returns true while a descriptor may send packets over a link. False if too many runs have not landed. */
    public boolean canSend() {
        return ring || group != UnlandedRuns.NONE || !unlandedRuns.isFull();
    }

    /** Records that the descriptor at the head sends a packet over a link. Returns the packet's group. */
    public int sent() {
        unlanded++;
        if (ring) {
            return unlandedVisits.sent();
        }
        if (group == UnlandedRuns.NONE) {
            group = unlandedRuns.add(pattern, generation);
        }
        unlandedRuns.sent(group);
        return group;
    }

    /** Records, between two visits, that {@code count} packets of a group have landed or were refused. */
    public void landed(int ofGroup, int count) {
        unlanded -= count;
        if (ring) {
            final long landed = unlandedVisits.landed(ofGroup, count, landedHead);
            if (landed != landedHead) {
                publish(landed);
            }
        } else if (unlandedRuns.landed(ofGroup, count, held)) {
            publishHeld();
        }
        confirmEnd();
    }

    /** Records that a packet of a group, and of the message of a number, was refused, so that no more of it is sent. */
    public void refused(int ofGroup, int message, long error) {
        if (!ring) {
            unlandedRuns.refuse(ofGroup, error);
        }
        partialMessage.refused(message);
    }

    /**
     * Records that the descriptor at the head sends a request of a kind, whose reply completes it. Returns its group.
     */
    public int requested(int kind) {
        requests.sent(kind);
        return sent();
    }

    /** Records that a request of a group was answered or refused. */
    public void answered(int ofGroup) {
        requests.answered();
        landed(ofGroup, 1);
    }

    /** Returns the requests that have no reply. */
    public OpenRequests requests() {
        return requests;
    }

    public long generation() {
        return generation;
    }

    /** Returns the index of the pattern of the current run, {@link TraceRecord#NO_PATTERN} without one. */
    public int pattern() {
        return inRun ? pattern : TraceRecord.NO_PATTERN;
    }

    /** Returns the rank because of which the current run was given up by the application, or a value below zero. */
    public int givenUpFor() {
        return inRun ? runs.givenUpFor(pattern) : RunReader.NO_RANK;
    }

    /** Records that a descriptor of the current run was refused. The pattern's state keeps the first error. */
    public void refuse(long error) {
        if (inRun) {
            runs.refuse(pattern, error);
        }
    }
}
