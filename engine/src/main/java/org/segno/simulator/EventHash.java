package org.segno.simulator;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hash of the events of a simulation in their order: FNV-1a (Fowler, Noll and Vo) over the bytes of 64-bit words. Two
 * simulations with the same hash have, in all likelihood, gone the same way.
 */
final class EventHash {
    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private final VirtualTime time;
    private final long startNs;
    private final @Nullable SimulationObserver observer;
    private long hash = OFFSET;

    EventHash(VirtualTime time, @Nullable SimulationObserver observer) {
        this.time = time;
        this.observer = observer;
        this.startNs = time.nowNs();
    }

    /** Adds an event at a rank, now. */
    void add(int kind, int rank, long value) {
        add(time.nowNs() - startNs);
        add((long) kind << Integer.SIZE | rank);
        add(value);
    }

    /** Passes an event to the observer, if there is one. Its text is made only then. */
    void trace(int rank, String kind, Supplier<String> text) {
        if (observer != null) {
            observer.event(time.nowNs() - startNs, rank, kind, text.get());
        }
    }

    private void add(long word) {
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            hash = (hash ^ (word >>> shift & 0xFF)) * PRIME;
        }
    }

    long value() {
        return hash;
    }
}
