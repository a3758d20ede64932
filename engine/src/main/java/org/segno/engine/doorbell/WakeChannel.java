package org.segno.engine.doorbell;

/** Channel on which one thread blocks until another thread or process wakes it. */
public interface WakeChannel {
    /**
     * Blocks until a ring, a {@link #release} or the end of the time, and consumes all rings so far. Returns early if
     * the thread is interrupted, and leaves its flag set. One thread at a time.
     *
     * @param limitNs the longest time; may be rounded up to a millisecond
     */
    void await(long limitNs);

    /** Wakes the thread that blocks, or else its next {@link #await}, as a peer does. Any thread. Never blocks. */
    void ring();

    /** Wakes the thread that blocks, or else its next {@link #await}, without a trace for a later one. Any thread. */
    void release();
}
