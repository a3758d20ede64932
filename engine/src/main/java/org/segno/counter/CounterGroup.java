package org.segno.counter;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.segno.memory.NodeMemory;
import org.segno.memory.Window;

/** Hands out a node's counters. Ids are given out once. Called by one thread at a time. */
public final class CounterGroup {
    private static final int FIRST_INCARNATION = 1;

    private final NodeMemory node;
    private final int injectionCapacity;
    private final int receptionCapacity;
    private int injectionCount;
    private int receptionCount;
    private final Set<Thread> recorders = ConcurrentHashMap.newKeySet();
    private volatile boolean recording;

    public CounterGroup(NodeMemory node) {
        this.node = node;
        this.injectionCapacity = node.layout().dimensions().injectionCounters();
        this.receptionCapacity = node.layout().dimensions().receptionCounters();
    }

    /** A counter of bytes read from their source. */
    public InjectionCounter injection() {
        if (injectionCount == injectionCapacity) {
            throw new IllegalStateException(
                    "all " + injectionCapacity + " injection counters are in use; raise injectionCounters");
        }
        return new InjectionCounter(node, injectionCount++);
    }

    /** A counter over a range of a window that gives {@code sources} some rights. */
    public ReceptionCounter reception(Window window, long offset, long length, int sources, Right... rights) {
        requireRange(window, offset, length);
        requireSources(sources);
        return open(new ReceptionCounter.Range(window.base() + offset, length, sources, Right.flags(rights)));
    }

    /** A counter over no memory at all: COUNT changes it. */
    public ReceptionCounter bare(int sources) {
        requireSources(sources);
        return open(new ReceptionCounter.Range(0, 0, sources, CounterSettings.PUT));
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
        requireCounters(2);
        final int flags = Right.flags(rights);
        return new CounterPair(
                open(new ReceptionCounter.Range(window.base() + evenOffset, length, sources, flags)),
                open(new ReceptionCounter.Range(window.base() + oddOffset, length, sources, flags)),
                evenOffset,
                oddOffset);
    }

    /** From here to {@link #endRecording} the calling thread records: its expectations go through the recorder. */
    public synchronized void beginRecording() {
        recorders.add(Thread.currentThread());
        recording = true;
    }

    /** Ends what {@link #beginRecording} began. */
    public synchronized void endRecording() {
        recorders.remove(Thread.currentThread());
        recording = !recorders.isEmpty();
    }

    void requireNotRecording() {
        if (recording && recorders.contains(Thread.currentThread())) {
            throw new IllegalStateException(
                    "an expectation inside record must be part of the pattern: call context.expect(counter, bytes)");
        }
    }

    private ReceptionCounter open(ReceptionCounter.Range range) {
        requireCounters(1);
        return new ReceptionCounter(this, node, receptionCount++, FIRST_INCARNATION, range);
    }

    private void requireCounters(int count) {
        if (receptionCount > receptionCapacity - count) {
            throw new IllegalStateException("all " + receptionCapacity + " reception counters are in use, " + count
                    + " more are asked for; raise receptionCounters");
        }
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
}
