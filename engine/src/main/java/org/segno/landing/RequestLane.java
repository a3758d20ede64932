package org.segno.landing;

/**
 * What one peer has asked this node's engine to put back to it, in order: one lane per peer, so that it tells who asks. One thread,
 * the engine's.
 */
public final class RequestLane {
    /** Requests that wait at most: a further one stays in the link. */
    static final int CAPACITY = 64;

    private final int[] counters = new int[CAPACITY];
    private final int[] incarnations = new int[CAPACITY];
    private final int[] requests = new int[CAPACITY];
    private final long[] offsets = new long[CAPACITY];
    private final long[] lengths = new long[CAPACITY];
    private long head;
    private long tail;

    private long done;

    public boolean isEmpty() {
        return head == tail;
    }

    public boolean isFull() {
        return tail - head == CAPACITY;
    }

    public void add(int counter, int incarnation, long offset, long length, int request) {
        final int at = (int) (tail++ & (CAPACITY - 1));
        counters[at] = counter;
        incarnations[at] = incarnation;
        offsets[at] = offset;
        lengths[at] = length;
        requests[at] = request;
    }

    public void remove() {
        head++;
        done = 0;
    }

    /** Bytes of the first request that have been sent. */
    public long done() {
        return done;
    }

    /** So many bytes more of the first request have been sent: it is removed once that is all. */
    public void sent(int bytes) {
        done += bytes;
        if (done == length()) {
            remove();
        }
    }

    public int counter() {
        return counters[first()];
    }

    public int incarnation() {
        return incarnations[first()];
    }

    /** From the counter's base. */
    public long offset() {
        return offsets[first()];
    }

    public long length() {
        return lengths[first()];
    }

    /** What the peer calls it. */
    public int request() {
        return requests[first()];
    }

    private int first() {
        return (int) (head & (CAPACITY - 1));
    }
}
