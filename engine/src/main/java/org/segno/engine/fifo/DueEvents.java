package org.segno.engine.fifo;

/**
 * Number of events of crossed thresholds of a node's injection FIFOs that are due and not published yet. Used only by
 * the engine's thread.
 */
public final class DueEvents {
    private int count;

    public boolean isEmpty() {
        return count == 0;
    }

    void add(int events) {
        count += events;
    }

    /** Records that one event has been published. */
    public void raised() {
        count--;
    }
}
