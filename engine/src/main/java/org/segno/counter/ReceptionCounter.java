package org.segno.counter;

import org.jspecify.annotations.Nullable;
import org.segno.memory.Memory;
import org.segno.memory.NodeMemory;
import org.segno.memory.PeerStates;
import org.segno.status.ClosedException;

/**
 * Counts down the bytes that land in a range of memory. At or below zero everything expected so far has come and may be read.
 *
 * <p>Peers reach the range through it: they put, and what they put counts it down; those with the right also read it or change
 * its words atomically, which counts nothing at the owner and completes where it was asked for.
 *
 * <p>The value is a 64-bit signed count: {@link #expect} adds, landing subtracts. It may be negative: data came before its
 * expectation, and that is no error. The value is the one word of the engine with many writers, by atomic adds, because
 * several senders may land at once.
 *
 * <pre>
 *  offset  length  field   written by                          access
 *       0       8  value   landing engines and the owner       atomic add
 *       8     120  reserved
 *     128          COUNTER_VALUE_LENGTH
 * </pre>
 */
public final class ReceptionCounter implements LocalCounter {
    /** Stands for the window of a counter over no memory. */
    static final int NO_WINDOW = -1;

    private final CounterGroup group;
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

    ReceptionCounter(CounterGroup group, NodeMemory node, int id, int incarnation, Range range) {
        this.group = group;
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

    /**
     * What a counter stands over.
     *
     * @param window id of the window, or {@link #NO_WINDOW}
     * @param base offset in the arena
     * @param length bytes
     * @param sources {@link CounterSettings#ANYBODY}, {@link CounterSettings#NOBODY} or one rank
     * @param rights flags of {@link CounterSettings}
     */
    record Range(int window, long base, long length, int sources, int rights) {}

    @Override
    public int id() {
        return id;
    }

    /** The rank whose node made it. */
    int rank() {
        return node.rank();
    }

    /** True if its value lies in this half: several nodes may live in one process, each with ids of its own. */
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
            throw new ClosedException(this + " was closed; its id is another's, make a counter anew");
        }
    }

    /** Owner: the application is done with it, and waits for it end. */
    void close() {
        closed = true;
    }

    /** True once it is closed. */
    public boolean isClosed() {
        return closed;
    }

    /** Owner: refuses landings from now on, and whatever names this use of the id for ever. */
    void retire() {
        settings.retire(incarnation + 1);
    }

    /** Id of the window that it stands over, -1 of a counter over no memory. */
    public int window() {
        return window;
    }

    /** Where its base lies in the node's arena, in bytes. */
    public long base() {
        return CounterSettings.base(node.owner(), node.counterSettingsOffset(id));
    }

    @Override
    public int incarnation() {
        return incarnation;
    }

    /** Bytes from the base that may be accessed. */
    public long length() {
        return length;
    }

    /** {@link CounterSettings#ANYBODY}, {@link CounterSettings#NOBODY} or the one rank that is admitted. */
    public int sources() {
        return sources;
    }

    /**
     * Owner: expects {@code bytes} more. May be called before or after they land. Atomic, because senders land meanwhile.
     *
     * @throws IllegalArgumentException if {@code bytes} is negative
     * @throws IllegalStateException while this thread records a pattern: there the context expects, so that it is recorded
     */
    public void expect(long bytes) {
        group.requireNotRecording();
        add(bytes);
    }

    /** Owner: what {@link #expect} does, for a recorder, which writes the ARM that repeats it too. */
    public void add(long bytes) {
        LocalCounter.requireExpectable(bytes);
        requireOpen();
        final long before = values.getAndAddLong(valueOffset, bytes);
        if (hits != null && before + bytes <= 0) {
            hits.onHit(id);
        }
    }

    /**
     * Zero or below means that every byte expected so far may be read.
     *
     * @throws ClosedException if the counter was closed
     */
    public long valueAcquire() {
        requireOpen();
        return values.getLongAcquire(valueOffset);
    }

    /**
     * What keeps it above {@code value}, in words that go on after its name: how much it misses, whom it admits and what is known of
     * them. For messages: it allocates.
     *
     * @throws ClosedException if the counter was closed
     */
    public String shortage(long value) {
        return Shortage.describe(this, valueAcquire() - value, new PeerStates(node));
    }

    /** Whom it admits, and what is known of them, in words. For messages: it allocates. */
    public String admitted() {
        return Shortage.admitted(sources(), rank(), new PeerStates(node));
    }

    /** Owner, before the counter is published: hits become event records in the lane of {@code context}. */
    public void events(int context, HitListener listener) {
        this.hits = listener;
        settings.events(context);
    }

    /** Owner: one more pattern arms this counter, so that its rounds are awaited through the pattern. */
    public void arm() {
        patterns++;
    }

    /** Owner: a pattern that armed this counter is gone. */
    public void disarm() {
        patterns--;
    }

    /** True if a pattern arms this counter. */
    public boolean isArmed() {
        return patterns != 0;
    }

    /** Owner: refuses everybody from now on; what has begun may still come. */
    public void disable() {
        settings.disable();
    }

    @Override
    public String toString() {
        return "reception counter " + id;
    }
}
