package org.segno.pattern;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.DirectExecution;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.fifo.RunRing;
import org.segno.engine.memory.FreeSpace;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.reuse.CounterGroup;
import org.segno.engine.reuse.Pins;
import org.segno.status.Status;

/**
 * The large cumulative buffer of a context. Patterns are recorded into it once, and each replay is one entry in a run
 * ring. Used by the one thread that holds the context.
 *
 * <p>The state of a pattern, two words of the node's mapped file:
 *
 * <pre>
 *  offset  length  field      meaning                                          written by                     access
 *       0       8  executed   last generation that was executed completely     engine; 0 by the application   release
 *                                                                              before the entry is used
 *       8       8  error      first refusal, as in an injection counter, or    engine, likewise; application  atomic
 *                             that of rounds that are given up                 for those that it gives up
 *      16          PATTERN_STATE_LENGTH
 * </pre>
 */
public final class PatternBuffer {
    /** Words of a descriptor. */
    public static final int WORDS = NodeLayout.DESCRIPTOR_LENGTH / Long.BYTES;

    /** Limit of generations that a caller chooses: enough are left for all later rounds. */
    private static final long LAST_GENERATION = 1L << 62;

    private final NodeMemory node;
    private final Memory memory;
    private final CounterGroup group;
    private final Pins pins;
    private final PeerStates peers;
    private final RunRing recordings;
    private final RunRing replays;
    private final NodeMetrics metrics;
    private final long start;
    private final long states;
    private final long entries;
    private final FreeSpace space;
    private final SectionOrder order;
    private final Int2ObjectHashMap<Pattern> patterns = new Int2ObjectHashMap<>();
    private final IntArrayList freeIndexes = new IntArrayList();
    private final ReclaimQueue reclaimQueue;
    private final PatternCache prepared = new PatternCache();
    private final WaitingRounds waiting = new WaitingRounds();
    private final AttachedNames foundNames = new AttachedNames();
    private final int slots;
    private final String owner;
    private @Nullable Recorder recorder;
    private int nextFreeId;
    private Thread recordingThread = Thread.currentThread();
    private int recordingId;
    private int recordingIndex;

    /** Error of the pattern that the recording is to replace. */
    private long replacedError;

    /** Opens the pattern buffer of a context, with its recording FIFO and its persistent FIFO. */
    public PatternBuffer(NodeMemory node, int context, CounterGroup group, Pins pins) {
        final NodeLayout layout = node.layout();
        this.node = node;
        this.memory = node.owner();
        this.group = group;
        this.pins = pins;
        this.peers = new PeerStates(node);
        this.owner = "context " + context + " of rank " + node.rank();
        this.slots = layout.dimensions().patternSlots();
        this.start = layout.offset(Part.PATTERN_BUFFER) + (long) context * slots * NodeLayout.DESCRIPTOR_LENGTH;
        final int count = layout.dimensions().patterns();
        this.states = layout.offset(Part.PATTERN_STATES) + (long) context * count * NodeLayout.PATTERN_STATE_LENGTH;
        this.entries = PatternEntry.offset(node, context, 0);
        for (int index = count - 1; index >= 0; index--) {
            freeIndexes.addInt(index);
        }
        this.space = new FreeSpace(slots);
        this.order = new SectionOrder(memory, start, node.rank());
        this.recordings = RunRing.open(node, context, FifoMetadata.RECORDING);
        this.metrics = new NodeMetrics(node, context);
        this.replays = RunRing.open(node, context, FifoMetadata.PERSISTENT);
        this.reclaimQueue = new ReclaimQueue(space, freeIndexes, recordings);
    }

    /**
     * Starts a recording, which {@link #end} or {@link #abandon} ends.
     *
     * @param id identifies the pattern; a pattern of the same id is replaced, and its generations continue
     * @param sends true if the descriptors written to the returned recorder are also executed, as a round; otherwise
     *     nothing is executed before the first replay
     * @throws IllegalStateException if it cannot be recorded now; the message gives the reason
     */
    public Recorder begin(int id, Rounds rounds, boolean sends) {
        if (recorder != null) {
            throw new IllegalStateException(
                    "pattern " + recordingId + " is being recorded: recordings do not nest, id=" + id);
        }
        reclaim();
        final Pattern known = patterns.get(id);
        if (known != null && !known.isComplete()) {
            throw new IllegalStateException(known + " is still running: await it before recording its id again");
        }
        if (known == null && freeIndexes.isEmpty()) {
            throw new IllegalStateException(
                    "all " + patterns.size() + " patterns are in use; close some, or raise NodeConfig.withPatterns");
        }
        final FreeSpace.Extent room = space.takeLargest();
        if (room == null) {
            throw new IllegalStateException("the pattern buffer is full: all " + slots
                    + " slots hold patterns, or recordings in progress; advance, close some, or raise"
                    + " NodeConfig.withPatternBufferBytes");
        }
        final int index = known == null ? freeIndexes.popInt() : known.index();
        final long last = known == null ? 0 : known.generation();
        final long generation = sends ? last + 1 : last;
        if (known == null) {
            memory.putLong(state(index), 0);
        }
        // The error is reset, because that of the earlier pattern does not concern the new one.
        replacedError = memory.getLongAcquire(state(index) + Long.BYTES);
        memory.putLong(state(index) + Long.BYTES, 0);
        if (sends && recordings.offer((int) room.start(), RunRing.OPEN, 0, index, generation) < 0) {
            space.give(room.start(), room.length());
            if (known == null) {
                freeIndexes.addInt(index);
            } else {
                keepError(index);
            }
            throw new IllegalStateException(
                    "the run ring of recordings is full: advance the context, or raise NodeConfig.withRunSlots");
        }
        recordingId = id;
        recordingIndex = index;
        final Recorder opened = new Recorder(
                node,
                recordings,
                start,
                room,
                new PatternReferences(pins, "pattern " + id + " of " + owner),
                new Recorder.Round(rounds, generation, sends));
        recorder = opened;
        replays.recording(true);
        recordingThread = Thread.currentThread();
        group.beginRecording();
        return opened;
    }

    /**
     * Ends the recording and returns its pattern. If it was only prepared and equals a pattern of {@link #offer}, that
     * one is returned.
     */
    public Pattern end() {
        final Recorder recorded = requireRecording();
        finish(recorded);
        final FreeSpace.Extent section = recorded.section();
        if (!recorded.sends()) {
            order.group(section.start(), (int) section.length() - recorded.arms());
        }
        final Pattern same = recorded.sends() || prepared.isEmpty()
                ? null
                : prepared.take(words(section.start(), section.length()), recorded);
        if (same != null) {
            drop(recorded);
            return same;
        }
        space.give(section.start() + section.length(), recorded.room().length() - section.length());
        UnarmedPairs.closeOthers(recorded.unarmed(), all(), recordingId);
        final Pattern replaced = patterns.get(recordingId);
        final Pattern pattern = new Pattern(this, recordingId, recordingIndex, recorded, recorded.generation());
        patterns.put(recordingId, pattern);
        if (replaced != null) {
            replaced.replaced();
            space.give(replaced.first(), replaced.descriptors());
        }
        PatternEntry.write(memory, entries + (long) recordingIndex * NodeLayout.PATTERN_ENTRY_LENGTH, pattern);
        replays.sectionChanged(recordingIndex);
        return pattern;
    }

    /**
     * Ends the recording without a pattern. Descriptors that it sent are still carried out; then its section is freed.
     * A pattern that was to be replaced remains as it was, except that the failed round is counted.
     */
    public void abandon() {
        final Recorder recorded = requireRecording();
        finish(recorded);
        drop(recorded);
    }

    private void drop(Recorder recorded) {
        recorded.disarm();
        recorded.references().pin().release(recordings.drained());
        final FreeSpace.Extent room = recorded.room();
        final int sent = recorded.sent();
        space.give(room.start() + sent, room.length() - sent);
        final Pattern known = patterns.get(recordingId);
        if (known != null) {
            keepError(recordingIndex);
        }
        if (!recorded.sends()) {
            if (known == null) {
                freeIndexes.addInt(recordingIndex);
            }
            return;
        }
        reclaimQueue.add(
                new FreeSpace.Extent(room.start(), sent), known == null ? recordingIndex : ReclaimQueue.NO_INDEX);
        if (known != null) {
            known.started(known.generation() + 1, 0);
        }
    }

    /** Keeps the error of a pattern that is not replaced, unless the engine has recorded another one meanwhile. */
    private void keepError(int index) {
        memory.compareAndSetLong(state(index) + Long.BYTES, 0, replacedError);
    }

    private void finish(Recorder recorded) {
        recorded.close();
        recorder = null;
        replays.recording(false);
        group.endRecording(recordingThread);
    }

    private Recorder requireRecording() {
        final Recorder recorded = recorder;
        if (recorded == null) {
            throw new IllegalStateException("nothing is being recorded");
        }
        return recorded;
    }

    /** Returns true if the current thread began the open recording, or the thread that did has ended. */
    public boolean isRecordingFree() {
        return recordingThread.equals(Thread.currentThread()) || !recordingThread.isAlive();
    }

    /** Returns the open recording, or null. */
    public @Nullable Recorder recorder() {
        return recorder;
    }

    /** Returns an unused id below zero, where applications cannot choose ids. */
    public int freeId() {
        do {
            nextFreeId = nextFreeId == Integer.MIN_VALUE ? -1 : nextFreeId - 1;
        } while (patterns.containsKey(nextFreeId));
        return nextFreeId;
    }

    /** Returns the pattern recorded under {@code id}, or null. */
    public @Nullable Pattern find(int id) {
        return patterns.get(id);
    }

    /** Returns every pattern that can be replayed, in the order of their ids. */
    public List<Pattern> all() {
        final List<Pattern> all = new ArrayList<>(patterns.values());
        all.sort(Comparator.comparingInt(Pattern::id));
        return all;
    }

    /**
     * Returns the words of the slots of {@code pattern}, its ARMs last; {@link org.segno.engine.descriptor.Descriptor}
     * specifies them.
     */
    public long[] words(Pattern pattern) {
        requireOwn(pattern);
        return words(pattern.first(), pattern.descriptors());
    }

    private long[] words(long first, long descriptors) {
        final long[] words = new long[(int) descriptors * WORDS];
        final long section = start + first * NodeLayout.DESCRIPTOR_LENGTH;
        for (int i = 0; i < words.length; i++) {
            words[i] = memory.getLong(section + (long) i * Long.BYTES);
        }
        return words;
    }

    /**
     * Offers loaded patterns for reuse. Each is returned once, by the next preparation of an equal recording. Earlier
     * offers are withdrawn.
     *
     * @throws IllegalStateException if there is no room to prepare one of them again
     */
    public void offer(List<Pattern> loaded) {
        prepared.clear();
        for (final Pattern pattern : loaded) {
            PatternCache.requireRoom(pattern, space.largest(), freeIndexes.size());
            prepared.add(words(pattern), pattern);
        }
    }

    /** Returns the names under which this context has found counters of peers. */
    public AttachedNames foundNames() {
        return foundNames;
    }

    /**
     * Starts the next round by one entry in the run ring, regardless of the pattern's size.
     *
     * @param generation of this round, above that of the last one; the rounds in between were injected by other means
     * @return the round's generation; {@link Status#BUSY} while the last round is incomplete;
     *     {@link Status#BACK_PRESSURED} while the run ring is full or, for a pattern with a WAIT, while 64 such rounds
     *     are in progress
     * @throws IllegalStateException if the pattern was closed or replaced
     * @throws IllegalArgumentException if it was recorded into another buffer
     * @throws org.segno.status.RefusedException if a counter that it sends to was found to be closed; record the
     *     pattern again. Also if a counter of the last round forbids underflow and was counted below zero
     * @throws org.segno.status.PeerFailedException if a rank has died that it sends to, or that is the only source of
     *     one of its counters
     */
    public long replay(Pattern pattern, long generation) {
        if (!isReady(pattern, generation)) {
            pattern.requireNoUnderflow();
            return Status.BUSY;
        }
        return start(pattern, generation, 0);
    }

    /**
     * Starts the next round as {@link #replay} does, and lets the engine execute it at once if there is nothing else to
     * do. A round that is finished then has no entry in the run ring.
     */
    public long run(Pattern pattern, DirectExecution direct) {
        final long round = pattern.generation() + 1;
        if (!mayReplay(pattern, round)) {
            return replay(pattern, round);
        }
        group(pattern);
        final boolean isFinished =
                direct.executeRun(pattern.first(), pattern.slots(), pattern.armsFirst(), pattern.index(), round);
        if (!isFinished) {
            // A run that has begun takes this entry, too.
            return offer(pattern, round, 0);
        }
        metrics.addDirectReplay();
        pattern.started(round, 0);
        return round;
    }

    private long offer(Pattern pattern, long generation, long predecessor) {
        final long status = replays.offerAfter(
                predecessor, pattern.first(), pattern.slots(), pattern.armsFirst(), pattern.index(), generation);
        if (status < 0) {
            return status;
        }
        pattern.started(generation, predecessor);
        return generation;
    }

    /**
     * Starts the next round as {@link #replay} does, or queues it while the last one is in progress. The engine begins
     * a queued round when the last one is executed.
     *
     * @return the round's generation; {@link Status#BUSY} while two rounds are in progress, or the last one has failed;
     *     {@link Status#BACK_PRESSURED} as {@link #replay}
     * @throws IllegalStateException if rounds of the pattern cannot be queued; the message gives the remedy
     */
    public long queue(Pattern pattern) {
        final long last = pattern.generation();
        requireReplayable(pattern, last + 1);
        pattern.requireQueueable();
        if (pattern.isComplete()) {
            return start(pattern, last + 1, 0);
        }
        pattern.requireNoUnderflow();
        // A round that is executed but not complete was given up at a WAIT, because its data cannot arrive.
        return pattern.isQueued() || pattern.executedAcquire() >= last ? Status.BUSY : start(pattern, last + 1, last);
    }

    /**
     * Returns true if {@link #replay} would start the next round of a pattern now.
     *
     * @throws RuntimeException as {@link #replay}
     */
    public boolean mayReplay(Pattern pattern, long generation) {
        return isReady(pattern, generation) && replays.hasRoom() && waiting.take(pattern, pattern.hasWaits() ? 1 : 0);
    }

    /** Returns true if the last round is complete. Throws as {@link #replay}. Few checks suffice in most cases. */
    private boolean isReady(Pattern pattern, long generation) {
        final boolean isNext = generation == pattern.generation() + 1 && !pattern.isClosed() && pattern.isOf(this);
        if (isNext && pattern.isSound()) {
            pattern.requireAlive();
            return true;
        }
        requireReplayable(pattern, generation);
        return pattern.isComplete();
    }

    private void requireReplayable(Pattern pattern, long generation) {
        if (generation <= pattern.generation() || generation > LAST_GENERATION) {
            throw new IllegalArgumentException("generation must be above that of the last round, at least "
                    + (pattern.generation() + 1) + ", and at most 2^62: generation=" + generation + " of " + pattern);
        }
        if (pattern.isClosed() || !pattern.isOf(this)) {
            requireOwn(pattern);
            throw new IllegalStateException(
                    pattern + " is closed or was replaced: replay the pattern that replaced it");
        }
        pattern.requireAlive();
        pattern.requireFresh();
    }

    /** Groups the descriptors of a pattern by target, once the round that was recorded is complete. */
    private void group(Pattern pattern) {
        if (!pattern.isGrouped()) {
            order.group(pattern.first(), pattern.descriptors() - pattern.arms());
            pattern.grouped();
            // Queued rounds may have been executed in the former order.
            replays.sectionChanged(pattern.index());
        }
    }

    /** Offers a run that begins when round {@code predecessor} is executed; 0 for one that may begin at once. */
    private long start(Pattern pattern, long generation, long predecessor) {
        if (predecessor == 0) {
            group(pattern);
        }
        final int mayWait = (predecessor == 0 ? 0 : 1) + (pattern.hasWaits() ? 1 : 0);
        return waiting.take(pattern, mayWait) ? offer(pattern, generation, predecessor) : Status.BACK_PRESSURED;
    }

    /**
     * Checks that a round can be awaited here.
     *
     * @throws IllegalArgumentException if no such round was started, or the pattern was recorded into another buffer
     */
    public void requireStarted(Pattern pattern, long generation) {
        requireOwn(pattern);
        if (generation < 1 || generation > pattern.generation()) {
            throw new IllegalArgumentException("only a started round can be awaited, 1 to " + pattern.generation()
                    + ": generation=" + generation + " of " + pattern);
        }
    }

    private void requireOwn(Pattern pattern) {
        if (!pattern.isOf(this)) {
            throw new IllegalArgumentException(pattern + " was recorded by " + pattern.owner() + ", this is " + owner
                    + ": use it with the former");
        }
    }

    /** Returns the run ring of the persistent FIFO: a replay adds an entry to it. */
    public RunRing replays() {
        return replays;
    }

    PeerStates peers() {
        return peers;
    }

    /** Returns the description of the context that owns the buffer, for messages. */
    String owner() {
        return owner;
    }

    void requireCloseable(Pattern pattern) {
        if (recorder != null && pattern.index() == recordingIndex) {
            throw new IllegalStateException(pattern + " is being recorded again: close it outside record");
        }
    }

    /**
     * Closes every pattern, and abandons an open recording. What was sent or queued is still carried out. Called when
     * the context's client is closed, while no other thread uses the context.
     */
    public void closeAll() {
        if (recorder != null) {
            abandon();
        }
        all().forEach(Pattern::close);
    }

    /** Restores the state of a new buffer, after {@link #closeAll} and when it is drained. */
    public void reset() {
        reclaim();
        prepared.clear();
        foundNames.clear();
        recordings.metadata().reset();
        replays.metadata().reset();
        replays.shut(false);
    }

    void retire(Pattern pattern) {
        patterns.remove(pattern.id());
        reclaimQueue.add(pattern);
        reclaim();
    }

    private void reclaim() {
        reclaimQueue.reclaim(
                index -> PatternEntry.clear(memory, entries + (long) index * NodeLayout.PATTERN_ENTRY_LENGTH));
    }

    /** Returns true when the engine has finished every recording and every replay that was started. */
    public boolean isDrained() {
        return recordings.isDrained() && replays.isDrained();
    }

    /**
     * Returns true if nothing is left for the engine except rounds that are held at WAITs, and {@code lost} accepts the
     * sources of every counter that they wait for. True as well if nothing is left.
     */
    public boolean isHeldBy(IntPredicate lost) {
        // The rings first: a round that the engine takes later is not seen below.
        if (recorder != null || !recordings.isTaken() || !replays.isTaken() || reclaimQueue.hasFailed()) {
            return false;
        }
        for (final Pattern pattern : unexecuted()) {
            if (!pattern.isHeldBy(pattern.generation(), lost)) {
                return false;
            }
        }
        return true;
    }

    private List<Pattern> unexecuted() {
        final List<Pattern> all = new ArrayList<>(patterns.values());
        all.addAll(reclaimQueue.patterns());
        all.removeIf(pattern -> pattern.executedAcquire() >= pattern.generation());
        return all;
    }

    /**
     * Describes the rounds that are not executed, as the continuation of a sentence: the first one, and the number of
     * the others. Empty if there are none.
     */
    public String pending() {
        final List<Pattern> left = unexecuted();
        if (left.isEmpty()) {
            return isDrained() ? "" : "; recordings in progress";
        }
        final Pattern first = left.get(0);
        return "; " + first.shortage(first.generation())
                + (left.size() == 1 ? "" : "; and rounds of " + (left.size() - 1) + " other patterns");
    }

    /** Returns the settings and status of the FIFO that executes recordings. */
    public FifoMetadata recordingFifo() {
        return recordings.metadata();
    }

    /** Returns true if the engine no longer serves recordings or replays, because one of their words is invalid. */
    public boolean isQuarantined() {
        return recordings.metadata().quarantineAcquire() != 0
                || replays.metadata().quarantineAcquire() != 0;
    }

    /** Returns the number of free slots. */
    public int free() {
        reclaim();
        return (int) space.free();
    }

    /** Returns the memory with the states of patterns. */
    Memory memory() {
        return memory;
    }

    /** Ends the rounds in progress of a pattern at their WAITs. The error replaces an earlier one. */
    void giveUp(int index, long error) {
        memory.putLongRelease(state(index) + Long.BYTES, error);
    }

    /** Returns the offset of the state of a pattern: the last executed round, then its error. */
    long state(int index) {
        return states + (long) index * NodeLayout.PATTERN_STATE_LENGTH;
    }
}
