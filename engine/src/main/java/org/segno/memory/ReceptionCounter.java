package org.segno.memory;

import org.jspecify.annotations.Nullable;
import org.segno.engine.counter.CounterRange;
import org.segno.engine.counter.CounterRecording;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.counter.HitListener;
import org.segno.engine.memory.Memory;
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
 * before their expectation, which is not an error. The value is the engine's only word with many writers. They use
 * atomic adds, because several senders may land concurrently.
 *
 * <pre>
 *  offset  length  field   written by                          access
 *       0       8  value   landing engines and the owner       atomic add
 *       8     120  reserved
 *     128          COUNTER_VALUE_LENGTH
 * </pre>
 */
public final class ReceptionCounter implements LocalCounter {
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
    private final int incarnation;
    private final int window;
    private final long length;
    private final int sources;
    private boolean closed;
    private @Nullable HitListener hits;
    private int patterns;

    ReceptionCounter(CounterRecording recording, NodeMemory node, int id, int incarnation, CounterRange range) {
        this.recording = recording;
        this.settings = new CounterSettings(node, id);
        this.values = node.peers();
        this.valueOffset = node.receptionValueOffset(id);
        this.id = id;
        this.node = node;
        this.incarnation = incarnation;
        this.window = range.window();
        this.length = range.length();
        this.sources = range.sources();
        values.putLong(valueOffset, 0);
        settings.range(range.base(), range.length(), range.sources());
        settings.enable(incarnation, range.rights());
    }

    @Override
    public int id() {
        return id;
    }

    /** Returns the rank of its node. */
    int rank() {
        return node.rank();
    }

    /** Returns true if its value lies in this half. Several nodes may be in one process, each with its own ids. */
    public boolean isIn(Memory peersHalf) {
        return values == peersHalf;
    }

    @Override
    public void requireOf(NodeMemory some) {
        requireOpen();
        if (!isIn(some.peers())) {
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

    /** Returns the id of its window, or -1 for a counter without memory. */
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
    public long length() {
        return length;
    }

    /** Returns {@link CounterSettings#ANYBODY}, {@link CounterSettings#NOBODY} or the only admitted rank. */
    int sources() {
        return sources;
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
     * Adds an expectation, as {@link #expect} does, for a recorder, which also writes the ARM that repeats it. Called
     * by the owner.
     */
    public void add(long bytes) {
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
     * Returns the remaining bytes. At or below zero every byte expected so far may be read.
     *
     * @throws ClosedException if the counter was closed
     */
    public long valueAcquire() {
        requireOpen();
        return values.getLongAcquire(valueOffset);
    }

    /**
     * Describes the reason for a value above {@code value}: the number of missing bytes, the admitted sources and their
     * states. The text continues a sentence that begins with the counter's name. It is for messages, because it
     * allocates.
     *
     * @throws ClosedException if the counter was closed
     */
    String shortage(long value) {
        return MissingBytes.describe(this, valueAcquire() - value, new PeerStates(node));
    }

    /** Describes the admitted sources and their states. It is for messages, because it allocates. */
    String admitted() {
        return MissingBytes.admitted(sources(), rank(), new PeerStates(node));
    }

    /**
     * Turns hits into event records in the lane of {@code context}. Called by the owner before the counter is
     * published.
     */
    public void events(int context, HitListener listener) {
        this.hits = listener;
        settings.events(context);
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

    /** Refuses all sources from now on. Operations that have begun may still land. Called by the owner. */
    public void disable() {
        settings.disable();
    }

    @Override
    public String toString() {
        return "reception counter " + id;
    }
}
