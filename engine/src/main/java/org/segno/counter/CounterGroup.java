package org.segno.counter;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.segno.memory.FreeSpace;
import org.segno.memory.NodeMemory;
import org.segno.memory.Window;

/**
 * Hands out a node's counters, and takes them back: an id is given out again, as another incarnation, once nobody can change its
 * counter any more, which the caller sees to. Called by one thread at a time.
 */
public final class CounterGroup {
    private final NodeMemory node;
    private int injectionCapacity;
    private int receptionCapacity;
    private final FreeSpace injectionIds;
    private final FreeSpace receptionIds;

    /** By id: how often it was used. */
    private final int[] incarnations;

    private final GivenCounters given;

    /** By id: the group that has handed it out, also after it was given back. */
    private final @Nullable CounterGroup[] injectionOwners;

    private final @Nullable CounterGroup[] receptionOwners;
    private int closingInjections;
    private int closingReceptions;
    private final Recording recording;

    /** All counters of a node. */
    public CounterGroup(NodeMemory node) {
        this.node = node;
        this.injectionCapacity = node.layout().dimensions().injectionCounters();
        this.receptionCapacity = node.layout().dimensions().receptionCounters();
        this.injectionIds = new FreeSpace(injectionCapacity);
        this.receptionIds = new FreeSpace(receptionCapacity);
        this.incarnations = new int[receptionCapacity];
        this.given = new GivenCounters(injectionCapacity, receptionCapacity);
        this.injectionOwners = new CounterGroup[injectionCapacity];
        this.receptionOwners = new CounterGroup[receptionCapacity];
        this.recording = new Recording();
    }

    private CounterGroup(CounterGroup from, int injections, int receptions) {
        this.node = from.node;
        this.injectionCapacity = injections;
        this.receptionCapacity = receptions;
        this.injectionIds = from.injectionIds.part(injections);
        this.receptionIds = from.receptionIds.part(receptions);
        this.incarnations = from.incarnations;
        this.given = from.given;
        this.injectionOwners = from.injectionOwners;
        this.receptionOwners = from.receptionOwners;
        this.recording = from.recording;
        from.injectionCapacity -= injections;
        from.receptionCapacity -= receptions;
    }

    /** Gives so many counters away for good, to a group of their own; {@link #freeInjections} and {@link #freeReceptions} allow it. */
    public CounterGroup part(int injections, int receptions) {
        return new CounterGroup(this, injections, receptions);
    }

    /** Checks that a counter of this node is of this group, and not of one that it has given counters to. */
    public void requireOwn(ReceptionCounter counter) {
        requireOwn(receptionOwners[counter.id()], counter);
    }

    /** As for a reception counter. */
    public void requireOwn(InjectionCounter counter) {
        requireOwn(injectionOwners[counter.id()], counter);
    }

    private void requireOwn(@Nullable CounterGroup owner, Object counter) {
        if (owner != this) {
            throw new IllegalArgumentException(counter + " belongs to another client of its node, which closes it");
        }
    }

    /** Injection counters that can be given away. */
    public long freeInjections() {
        return injectionIds.largest();
    }

    /** Reception counters that can be given away: those with neighbouring ids, for they shall make pairs. */
    public long freeReceptions() {
        return receptionIds.largest();
    }

    /** A counter of bytes read from their source. */
    public InjectionCounter injection() {
        final int id = (int) injectionIds.take(1);
        if (id < 0) {
            throw new IllegalStateException("all " + injectionCapacity + " injection counters are in use"
                    + beingClosed(closingInjections) + "; close some, or raise injectionCounters");
        }
        injectionOwners[id] = this;
        final InjectionCounter counter = new InjectionCounter(node, id);
        given.given(counter);
        return counter;
    }

    /** A counter over a range of a window that gives {@code sources} some rights. */
    public ReceptionCounter reception(Window window, long offset, long length, int sources, Right... rights) {
        requireRange(window, offset, length);
        requireSources(sources);
        return open(
                new ReceptionCounter.Range(window.id(), window.base() + offset, length, sources, Right.flags(rights)),
                take(1));
    }

    /** A counter over no memory at all: COUNT changes it. */
    public ReceptionCounter bare(int sources) {
        requireSources(sources);
        return open(
                new ReceptionCounter.Range(ReceptionCounter.NO_WINDOW, 0, 0, sources, CounterSettings.PUT), take(1));
    }

    /** Two counters with neighbouring ids over two ranges of a window, used in turn. */
    public CounterPair pair(Window window, long evenOffset, long oddOffset, long length, int sources, Right... rights) {
        requireRange(window, evenOffset, length);
        requireRange(window, oddOffset, length);
        requireSources(sources);
        if (length > 0 && Math.abs(evenOffset - oddOffset) < length) {
            throw new IllegalArgumentException("the two sets of a pair must not overlap: evenOffset=" + evenOffset
                    + " oddOffset=" + oddOffset + " length=" + length);
        }
        final int flags = Right.flags(rights);
        final int even = take(2);
        // One incarnation for both, because a descriptor names the pair by one.
        incarnations[even] = Math.max(incarnations[even], incarnations[even + 1]);
        incarnations[even + 1] = incarnations[even];
        final CounterPair pair = new CounterPair(
                open(new ReceptionCounter.Range(window.id(), window.base() + evenOffset, length, sources, flags), even),
                open(
                        new ReceptionCounter.Range(window.id(), window.base() + oddOffset, length, sources, flags),
                        even + 1),
                evenOffset,
                oddOffset);
        given.given(pair);
        return pair;
    }

    /** Every open counter of the node, by its id. */
    public GivenCounters given() {
        return given;
    }

    /** An open counter that stands over the window or, if there is none, one that is being closed; or null. */
    public @Nullable ReceptionCounter over(Window window) {
        ReceptionCounter closing = null;
        for (final ReceptionCounter counter : given.receptions()) {
            if (counter != null && counter.window() == window.id()) {
                if (!counter.isClosed()) {
                    return counter;
                }
                closing = counter;
            }
        }
        return closing;
    }

    /** The application is done with a counter: waits for it end. */
    public void close(ReceptionCounter counter) {
        counter.close();
        closingReceptions++;
    }

    /** Engines refuse from now on what is for the counter. */
    public void disable(ReceptionCounter counter) {
        counter.retire();
    }

    /** Once nobody can change the counter any more: its id may be given out again. */
    public void giveBack(ReceptionCounter counter) {
        closingReceptions--;
        given.takenBack(counter);
        receptionIds.give(counter.id(), 1);
    }

    /** The application is done with a counter. */
    public void close(InjectionCounter counter) {
        counter.close();
        closingInjections++;
    }

    /** As for a reception counter. */
    public void giveBack(InjectionCounter counter) {
        closingInjections--;
        injectionIds.give(counter.id(), 1);
    }

    /** From here to {@link #endRecording} the calling thread records: its expectations go through the recorder. */
    public void beginRecording() {
        recording.begin();
    }

    /** Ends what {@link #beginRecording} began. */
    public void endRecording() {
        recording.end();
    }

    void requireNotRecording() {
        recording.requireNot();
    }

    private ReceptionCounter open(ReceptionCounter.Range range, int id) {
        final ReceptionCounter counter = new ReceptionCounter(this, node, id, ++incarnations[id], range);
        given.given(counter);
        receptionOwners[id] = this;
        return counter;
    }

    /** The first of neighbouring ids. */
    private int take(int count) {
        final long first = receptionIds.take(count);
        if (first < 0) {
            throw new IllegalStateException("all " + receptionCapacity + " reception counters are in use"
                    + beingClosed(closingReceptions) + ", " + count + " more"
                    + (count == 1 ? " is" : ", side by side, are")
                    + " asked for; close some, or raise receptionCounters");
        }
        return (int) first;
    }

    /** How many of it are used, in words. */
    @Override
    public String toString() {
        return (injectionCapacity - injectionIds.free()) + " of " + injectionCapacity + " injection counters and "
                + (receptionCapacity - receptionIds.free()) + " of " + receptionCapacity + " reception counters used";
    }

    private static String beingClosed(int count) {
        return count == 0 ? "" : ", " + count + " of them being closed: await that";
    }

    private void requireRange(Window window, long offset, long length) {
        window.requireOf(node);
        window.requireRange("counter", offset, length);
    }

    private void requireSources(int sources) {
        if (sources < CounterSettings.NOBODY
                || sources >= node.layout().dimensions().size()) {
            throw new IllegalArgumentException("sources must be ANYBODY, NOBODY or a rank below "
                    + node.layout().dimensions().size() + ": sources=" + sources);
        }
    }

    /** Threads that record, whichever group their counters are of. */
    private static final class Recording {
        private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
        private volatile boolean any;

        synchronized void begin() {
            threads.add(Thread.currentThread());
            any = true;
        }

        synchronized void end() {
            threads.remove(Thread.currentThread());
            any = !threads.isEmpty();
        }

        void requireNot() {
            if (any && threads.contains(Thread.currentThread())) {
                throw new IllegalStateException(
                        "an expectation inside record must be part of the pattern: call context.expect(counter, bytes)");
            }
        }
    }
}
