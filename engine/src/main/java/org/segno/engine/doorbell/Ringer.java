package org.segno.engine.doorbell;

/** Function that wakes the parked waiters of peers. Any thread. */
@FunctionalInterface
public interface Ringer {
    /**
     * Wakes the waiter of a context. Never blocks.
     *
     * @return false if the peer's process cannot be reached; its waiter then continues at the end of its park
     */
    boolean ring(int rank, int context);
}
