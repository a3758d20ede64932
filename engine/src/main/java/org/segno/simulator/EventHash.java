package org.segno.simulator;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hash of the events of a simulation in their order. Two simulations with the same hash have, in all likelihood, gone
 * the same way.
 */
final class EventHash {
    /** Kind of the events of faults. Lower ones are streams of received messages, higher ones operations. */
    static final int FAULT = 99;

    private static final long SEED = 0xcbf29ce484222325L;
    private static final long FACTOR = 0x9e3779b97f4a7c15L;
    private static final int ROTATION = 29;

    private final VirtualTime time;
    private final @Nullable SimulationObserver observer;
    private long hash = SEED;

    EventHash(VirtualTime time, @Nullable SimulationObserver observer) {
        this.time = time;
        this.observer = observer;
    }

    /** Adds an event at a rank, now. */
    void add(int kind, int rank, long value) {
        add(time.elapsedNs());
        add((long) kind << Integer.SIZE | rank);
        add(value);
    }

    private void add(long word) {
        hash = Long.rotateLeft((hash ^ word) * FACTOR, ROTATION);
    }

    /** Passes an event to the observer, if there is one. Its text is made only then. */
    void trace(int rank, String kind, Supplier<String> text) {
        if (observer != null) {
            observer.event(time.elapsedNs(), rank, kind, text.get());
        }
    }

    long value() {
        return hash;
    }
}
