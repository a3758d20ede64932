package org.segno.engine.landing;

/**
 * Queue of one peer's requests for data from this node's engine. There is one lane per peer, so that the lane
 * identifies the requester. Used only by the engine's thread.
 */
public final class RequestLane {
    /** Maximum number of waiting requests. A further request stays in the link. */
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

    /** Returns the number of bytes of the first request that have been sent. */
    public long done() {
        return done;
    }

    /** Records that {@code bytes} more of the first request have been sent, and removes it once it is complete. */
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

    /** Returns the offset from the counter's base. */
    public long offset() {
        return offsets[first()];
    }

    public long length() {
        return lengths[first()];
    }

    /** Returns the peer's number of the request. */
    public int request() {
        return requests[first()];
    }

    private int first() {
        return (int) (head & (CAPACITY - 1));
    }
}
