package org.segno.engine.work;

import org.agrona.concurrent.IdleStrategy;

/**
 * Idle strategy that parks once a thread has been without work for long. A thread with a doorbell parks there instead,
 * for the same time at most, and is woken by what arrives. Used by one thread.
 */
public interface ParkingIdle extends IdleStrategy {
    /** Returns true if the next {@link #idle()} parks. */
    boolean isParkDue();

    /** Returns the longest duration of a park at a doorbell, which counts like a park of {@link #idle()}. */
    long nextParkNs();
}
