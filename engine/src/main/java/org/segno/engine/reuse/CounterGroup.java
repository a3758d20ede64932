package org.segno.engine.reuse;

import org.jspecify.annotations.Nullable;
import org.segno.engine.counter.CounterRange;
import org.segno.engine.counter.CounterRecording;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.memory.FreeSpace;
import org.segno.engine.memory.NodeMemory;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Window;

/**
 * Allocator of a node's counters. An id is reused, as another incarnation, once nothing can change its counter any
 * more, which the caller ensures. Called by one thread at a time.
 */
public final class CounterGroup {
    private final NodeMemory node;
    private int injectionCapacity;
    private int receptionCapacity;
    private final FreeSpace injectionIds;
    private final FreeSpace receptionIds;

    /** Number of uses by id. */
    private final int[] incarnations;

    private final CounterTable table;

    /** Group that allocated the counter by id, also after its release. */
    private final @Nullable CounterGroup[] injectionOwners;

    private final @Nullable CounterGroup[] receptionOwners;
    private int closingInjections;
    private int closingReceptions;
    private final CounterRecording recording;

    /** Creates the group of all counters of a node. */
    public CounterGroup(NodeMemory node) {
        this.node = node;
        this.injectionCapacity = node.layout().dimensions().injectionCounters();
        this.receptionCapacity = node.layout().dimensions().receptionCounters();
        this.injectionIds = new FreeSpace(injectionCapacity);
        this.receptionIds = new FreeSpace(receptionCapacity);
        this.incarnations = new int[receptionCapacity];
        this.table = new CounterTable(injectionCapacity, receptionCapacity);
        this.injectionOwners = new CounterGroup[injectionCapacity];
        this.receptionOwners = new CounterGroup[receptionCapacity];
        this.recording = new CounterRecording();
    }

    private CounterGroup(CounterGroup from, int injections, int receptions) {
        this.node = from.node;
        this.injectionCapacity = injections;
        this.receptionCapacity = receptions;
        this.injectionIds = from.injectionIds.part(injections);
        this.receptionIds = from.receptionIds.part(receptions);
        this.incarnations = from.incarnations;
        this.table = from.table;
        this.injectionOwners = from.injectionOwners;
        this.receptionOwners = from.receptionOwners;
        this.recording = from.recording;
        from.injectionCapacity -= injections;
        from.receptionCapacity -= receptions;
    }

    /**
     * Splits off counters permanently into a group of their own. The caller ensures that {@link #freeInjections} and
     * {@link #freeReceptions} suffice.
     */
    public CounterGroup part(int injections, int receptions) {
        return new CounterGroup(this, injections, receptions);
    }

    /** Checks that a counter of this node belongs to this group, and not to a group that was split off. */
    public void requireOwn(ReceptionCounter counter) {
        requireOwn(receptionOwners[counter.id()], counter);
    }

    /** Checks an injection counter in the same way. */
    public void requireOwn(InjectionCounter counter) {
        requireOwn(injectionOwners[counter.id()], counter);
    }

    private void requireOwn(@Nullable CounterGroup owner, Object counter) {
        if (owner != this) {
            throw new IllegalArgumentException(counter + " belongs to another client of its node; close it there");
        }
    }

    /** Returns the number of injection counters that can be split off. */
    public long freeInjections() {
        return injectionIds.largest();
    }

    /**
     * Returns the number of reception counters that can be split off. They have adjacent ids, so that they can form
     * pairs.
     */
    public long freeReceptions() {
        return receptionIds.largest();
    }

    /** Allocates a counter of bytes read from their source. */
    public InjectionCounter injection() {
        final int id = (int) injectionIds.take(1);
        if (id < 0) {
            throw new IllegalStateException("all " + injectionCapacity + " injection counters are in use"
                    + beingClosed(closingInjections) + "; close some, or raise injectionCounters");
        }
        injectionOwners[id] = this;
        final InjectionCounter counter = MemoryAccess.newInjectionCounter(node, id);
        table.add(counter);
        return counter;
    }

    /** Allocates a counter over a range of a window. It grants {@code sources} the given rights. */
    public ReceptionCounter reception(Window window, long offset, long length, int sources, Right... rights) {
        requireRange(window, offset, length);
        requireSources(sources);
        return open(
                new CounterRange(window.id(), window.base() + offset, length, sources, MemoryAccess.flags(rights)),
                take(1));
    }

    /** Allocates a counter without memory, which only COUNT changes. */
    public ReceptionCounter bare(int sources) {
        requireSources(sources);
        return open(new CounterRange(CounterRange.NO_WINDOW, 0, 0, sources, CounterSettings.PUT), take(1));
    }

    /** Allocates two counters with adjacent ids over two ranges of a window, for alternate use. */
    public CounterPair pair(Window window, long evenOffset, long oddOffset, long length, int sources, Right... rights) {
        requireRange(window, evenOffset, length);
        requireRange(window, oddOffset, length);
        requireSources(sources);
        if (length > 0 && Math.abs(evenOffset - oddOffset) < length) {
            throw new IllegalArgumentException("the two sets of a pair must not overlap: evenOffset=" + evenOffset
                    + " oddOffset=" + oddOffset + " length=" + length);
        }
        final int flags = MemoryAccess.flags(rights);
        final int even = take(2);
        // Both have one incarnation, because a descriptor refers to the pair by one.
        incarnations[even] = Math.max(incarnations[even], incarnations[even + 1]);
        incarnations[even + 1] = incarnations[even];
        final CounterPair pair = MemoryAccess.newCounterPair(
                open(new CounterRange(window.id(), window.base() + evenOffset, length, sources, flags), even),
                open(new CounterRange(window.id(), window.base() + oddOffset, length, sources, flags), even + 1),
                evenOffset,
                oddOffset);
        table.add(pair);
        return pair;
    }

    /** Returns the open counters of the node by their ids. */
    public CounterTable table() {
        return table;
    }

    /** Returns an open counter over the window. If there is none, returns one that is closing, or null. */
    public @Nullable ReceptionCounter over(Window window) {
        ReceptionCounter closing = null;
        for (final ReceptionCounter counter : table.receptions()) {
            if (counter != null && MemoryAccess.window(counter) == window.id()) {
                if (!counter.isClosed()) {
                    return counter;
                }
                closing = counter;
            }
        }
        return closing;
    }

    /** Closes a counter that the application no longer uses: waits for it end. */
    public void close(ReceptionCounter counter) {
        MemoryAccess.close(counter);
        closingReceptions++;
    }

    /** Disables a counter: from now on engines refuse messages to it. */
    public void disable(ReceptionCounter counter) {
        MemoryAccess.retire(counter);
    }

    /** Releases the counter's id for reuse, once nothing can change the counter any more. */
    public void release(ReceptionCounter counter) {
        closingReceptions--;
        table.remove(counter);
        receptionIds.give(counter.id(), 1);
    }

    /** Closes a counter that the application no longer uses. */
    public void close(InjectionCounter counter) {
        MemoryAccess.close(counter);
        closingInjections++;
    }

    /** Releases the id of an injection counter in the same way. */
    public void release(InjectionCounter counter) {
        closingInjections--;
        injectionIds.give(counter.id(), 1);
    }

    /**
     * Begins a recording of the calling thread, until {@link #endRecording}: its expectations go through the recorder.
     */
    public void beginRecording() {
        recording.begin();
    }

    /** Ends a recording of the thread that began it. */
    public void endRecording(Thread began) {
        recording.end(began);
    }

    private ReceptionCounter open(CounterRange range, int id) {
        final ReceptionCounter counter =
                MemoryAccess.newReceptionCounter(recording, node, id, ++incarnations[id], range);
        table.add(counter);
        receptionOwners[id] = this;
        return counter;
    }

    /** Takes adjacent ids and returns the first one. */
    private int take(int count) {
        final long first = receptionIds.take(count);
        if (first < 0) {
            throw new IllegalStateException("all " + receptionCapacity + " reception counters are in use"
                    + beingClosed(closingReceptions) + ", " + count + " more"
                    + (count == 1 ? " is" : " with adjacent ids are")
                    + " requested; close some, or raise receptionCounters");
        }
        return (int) first;
    }

    /** Returns the numbers of used counters as text. */
    @Override
    public String toString() {
        return (injectionCapacity - injectionIds.free()) + " of " + injectionCapacity + " injection counters and "
                + (receptionCapacity - receptionIds.free()) + " of " + receptionCapacity + " reception counters used";
    }

    private static String beingClosed(int count) {
        return count == 0 ? "" : ", " + count + " of them being closed: await that";
    }

    private void requireRange(Window window, long offset, long length) {
        MemoryAccess.requireOf(window, node);
        MemoryAccess.requireRange(window, "counter", offset, length);
    }

    private void requireSources(int sources) {
        if (sources < CounterSettings.NOBODY
                || sources >= node.layout().dimensions().size()) {
            throw new IllegalArgumentException("sources must be ANYBODY, NOBODY or a rank below "
                    + node.layout().dimensions().size() + ": sources=" + sources);
        }
    }
}
