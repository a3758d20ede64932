package org.segno.memory;

import java.util.stream.IntStream;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.engine.counter.CounterRange;
import org.segno.engine.counter.CounterRecording;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.counter.HitListener;
import org.segno.engine.counter.RankSets;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerStates;
import org.segno.status.ClosedException;

/**
 * Counter of the bytes that land in a range of memory. At or below zero everything expected so far has arrived and may
 * be read.
 *
 * <p>Peers access the range through it. Their puts count it down. Peers with the right also read the range or change
 * its words atomically. That counts nothing at the owner, and completes at the requester.
 *
 * <p>The value is a 64-bit signed count: {@link #expect} adds, landing subtracts. It may be negative: data arrived
 * before their expectation, which is not an error unless {@link #forbidUnderflow} has been called. The value has many
 * writers, and so has the count of owed events, which {@link org.segno.engine.counter.OwedEvents} describes. They use
 * atomic adds, because several senders may land concurrently.
 *
 * <pre>
 *  offset  length  field   written by                          access
 *       0       8  value   landing engines and the owner       atomic add
 *       8      56  memory  landing engines and the owner       plain; atomic by RMW
 *      64       8  error   landing engines, first wins         release
 *      72       8  owed    landing engines                     atomic add
 *      80      48  reserved
 *     128          COUNTER_VALUE_LENGTH
 * </pre>
 */
public final class ReceptionCounter implements LocalCounter, Operand {
    /** Sources of a counter that admits every rank. */
    public static final int ANYBODY = CounterSettings.ANYBODY;

    /** Sources of a counter that admits no rank but its own. */
    public static final int NOBODY = CounterSettings.NOBODY;

    private final CounterRecording recording;
    private final CounterSettings settings;
    private final Memory values;
    private final long valueOffset;
    private final NodeMemory node;
    private final int id;
    private int incarnation;
    private int window;
    private long length;
    private int sources;
    private boolean closed;
    private boolean noUnderflow;
    private @Nullable HitListener hits;
    private int patterns;

    ReceptionCounter(CounterRecording recording, NodeMemory node, int id, int incarnation, CounterRange range) {
        this.recording = recording;
        this.settings = new CounterSettings(node, id);
        this.values = node.values();
        this.valueOffset = node.receptionValueOffset(id);
        this.id = id;
        this.node = node;
        enable(incarnation, range);
    }

    /**
     * Enables a counter that is disabled and quiet, over a range and for sources that may differ from those of its last
     * use. Its value is zero. Called by the owner.
     */
    void enable(int number, CounterRange range) {
        incarnation = number;
        window = range.window();
        length = range.length();
        sources = range.sources();
        values.putLong(valueOffset, 0);
        values.putLong(valueOffset + InjectionCounter.ERROR_OFFSET, 0);
        settings.range(range.base(), range.length(), range.sources());
        final int events = hits == null ? 0 : CounterSettings.EVENTS;
        settings.enable(number, range.rights() | events | (noUnderflow ? CounterSettings.NO_UNDERFLOW : 0));
    }

    /** Returns true unless {@link #disable} was called last. */
    boolean isEnabled() {
        return settings.isEnabled();
    }

    @Override
    public int id() {
        return id;
    }

    /** Returns the rank of its node. */
    int rank() {
        return node.rank();
    }

    /** Returns true if its value lies in this memory. Several nodes may be in one process, each with its own ids. */
    boolean isIn(Memory someArena) {
        return values == someArena;
    }

    @Override
    public void requireOf(NodeMemory some) {
        requireOpen();
        if (!isIn(some.values())) {
            throw some.foreign(this, rank());
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedException(this + " was closed, and its id may be reused; open a new counter");
        }
    }

    /** Closes a counter that the application no longer uses: waits for it end. Called by the owner. */
    void close() {
        closed = true;
    }

    /** Returns true once it is closed. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Refuses landings from now on, and permanently refuses every use of this incarnation of the id. Called by the
     * owner.
     */
    void retire() {
        settings.retire(incarnation + 1);
    }

    /** Returns the id of its window, or -1 for a counter over none. */
    int window() {
        return window;
    }

    /** Returns the offset of its base in the node's arena, in bytes. */
    long base() {
        return CounterSettings.base(node.owner(), node.counterSettingsOffset(id));
    }

    @Override
    public int incarnation() {
        return incarnation;
    }

    /** Returns the number of accessible bytes from the base. */
    @Override
    public long length() {
        return length;
    }

    /**
     * Returns the memory of a counter that has bytes of its own. Read it when the counter is complete, and write it
     * while nothing can land. It allocates a view: keep it.
     *
     * @throws IllegalStateException if the counter covers a window, which has the memory, or none
     * @throws ClosedException if the counter was closed
     */
    public AtomicBuffer buffer() {
        requireOpen();
        if (window != CounterRange.NO_WINDOW || length == 0) {
            throw new IllegalStateException(this + " has no memory of its own: read the window that it covers");
        }
        return values.buffer(valueOffset + NodeLayout.COUNTER_MEMORY_OFFSET, (int) length);
    }

    /**
     * Returns {@link CounterSettings#ANYBODY}, {@link CounterSettings#NOBODY}, the only admitted rank or a set of
     * {@link RankSets}.
     */
    int sources() {
        return sources;
    }

    /** Returns the admitted ranks if these are a set; otherwise an empty array. It allocates. */
    int[] sourceSet() {
        final IntStream.Builder ranks = IntStream.builder();
        new RankSets(node).forEach(sources, ranks);
        return ranks.build().toArray();
    }

    /**
     * Expects {@code bytes} more. May be called before or after they land. Atomic, because senders land concurrently.
     * Called by the owner.
     *
     * @throws IllegalArgumentException if {@code bytes} is negative
     * @throws IllegalStateException while this thread records a pattern: the context must expect instead, so that the
     *     expectation is recorded
     */
    public void expect(long bytes) {
        recording.requireNot();
        add(bytes);
    }

    /**
     * Adds an expectation, as {@link #expect} does, although this thread may be recording. Called by the owner.
     */
    void add(long bytes) {
        LocalCounter.requireExpectable(bytes);
        requireOpen();
        change(bytes);
    }

    private void change(long bytes) {
        final long before = values.getAndAddLong(valueOffset, bytes);
        if (hits != null && before + bytes <= 0) {
            hits.onHit(id);
        }
    }

    /** Counts bytes down that need not be moved. Called by the owner. */
    void arrived(long bytes) {
        requireOpen();
        change(-bytes);
    }

    /**
     * Makes underflow an error: every byte must be expected before it arrives. When the value is counted below zero,
     * waits for the counter and for patterns that arm it throw {@link org.segno.status.RefusedException}, which names
     * the rank, and so do WAITs of this node's engine. The engine that counted also counts it in its node's metrics and
     * records it in its error log. The counter stays in this state until it is disabled and enabled again. Called by
     * the owner before the counter is published or a pattern arms it.
     */
    public void forbidUnderflow() {
        requireOpen();
        noUnderflow = true;
        settings.forbidUnderflow();
    }

    @Override
    public boolean forbidsUnderflow() {
        return noUnderflow;
    }

    /**
     * Returns zero, or the first underflow of a counter that forbids it: an error word as in an injection counter.
     *
     * @throws ClosedException if the counter was closed
     */
    public long errorAcquire() {
        requireOpen();
        return noUnderflow ? InjectionCounter.errorAcquire(values, valueOffset) : 0;
    }

    /** Returns true if everything expected so far may be read, without an underflow that is forbidden. */
    boolean isComplete() {
        final long value = valueAcquire();
        // Below zero the engine is about to store the error word.
        return value <= 0 && (!noUnderflow || (value == 0 && errorAcquire() == 0));
    }

    /**
     * Returns the remaining bytes. At or below zero every byte expected so far may be read.
     *
     * @throws ClosedException if the counter was closed
     */
    public long valueAcquire() {
        requireOpen();
        return values.getLongAcquire(valueOffset);
    }

    /**
     * Returns the remaining bytes, even if the counter was closed. Its id is not reused while this node's engine has an
     * unexecuted round that waits for it; the caller knows that there is one.
     */
    long uncheckedValueAcquire() {
        return values.getLongAcquire(valueOffset);
    }

    /**
     * Describes the reason for a value above {@code value}: the number of missing bytes, the admitted sources and their
     * states. The text continues a sentence that begins with the counter's name. It is for messages, because it
     * allocates.
     */
    String shortage(long value) {
        return "which misses " + (uncheckedValueAcquire() - value) + " bytes; it admits " + admitted();
    }

    /** Describes the admitted sources and their states. It is for messages, because it allocates. */
    String admitted() {
        return MissingBytes.admitted(sources, new RankSets(node), rank(), new PeerStates(node));
    }

    /**
     * Turns hits into events of {@code context}: records in its lane or, without room there, owed events. Called by the
     * owner before the counter is published.
     */
    void events(int context, HitListener listener) {
        this.hits = listener;
        settings.events(context);
    }

    /** Returns the context whose lane receives its events, or -1 without events. */
    int eventContext() {
        return hits == null ? -1 : CounterSettings.context(node.owner(), node.counterSettingsOffset(id));
    }

    /**
     * Records that one more pattern arms this counter, so that its rounds are awaited through the pattern. Called by
     * the owner.
     */
    void arm() {
        patterns++;
    }

    /** Records that a pattern that armed this counter is gone. Called by the owner. */
    void disarm() {
        patterns--;
    }

    /** Returns true if a pattern arms this counter. */
    boolean isArmed() {
        return patterns != 0;
    }

    /**
     * Refuses all sources from now on. Operations that have begun may still land. {@code Client.enable} enables the
     * counter again. Called by the owner.
     *
     * @throws ClosedException if the counter was closed
     */
    public void disable() {
        requireOpen();
        settings.disable();
    }

    /** Returns its published name in quotes and behind a space, or an empty text. */
    String name() {
        return new NameDirectory(node).quotedNameOf(id, incarnation);
    }

    @Override
    public String toString() {
        return "reception counter " + id + name();
    }
}
