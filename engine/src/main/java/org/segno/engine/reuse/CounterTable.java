package org.segno.engine.reuse;

import org.jspecify.annotations.Nullable;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;

/** Registry of the open counters of a node by their ids, for all groups. Usable from any thread. */
public final class CounterTable {
    /** Counter by id, including a counter that is closing. */
    private final @Nullable ReceptionCounter[] receptions;

    /** Pair that was allocated last, by the id of its even counter. */
    private final @Nullable CounterPair[] pairs;

    private final @Nullable InjectionCounter[] injections;

    CounterTable(int injectionCapacity, int receptionCapacity) {
        this.receptions = new ReceptionCounter[receptionCapacity];
        this.pairs = new CounterPair[receptionCapacity];
        this.injections = new InjectionCounter[injectionCapacity];
    }

    synchronized void add(ReceptionCounter counter) {
        receptions[counter.id()] = counter;
    }

    synchronized void add(CounterPair pair) {
        pairs[pair.id()] = pair;
    }

    synchronized void add(InjectionCounter counter) {
        injections[counter.id()] = counter;
    }

    synchronized void remove(ReceptionCounter counter) {
        receptions[counter.id()] = null;
    }

    /** Returns all counters that have an id, including those that are closing. Other elements are null. */
    synchronized @Nullable ReceptionCounter[] receptions() {
        return receptions.clone();
    }

    /** Returns the open reception counter of this id, which may belong to a pair, or null. */
    public synchronized @Nullable ReceptionCounter reception(int id) {
        final ReceptionCounter counter = id < 0 || id >= receptions.length ? null : receptions[id];
        return counter == null || counter.isClosed() ? null : counter;
    }

    /** Returns the open pair with this id, that of its even counter, or null. */
    public synchronized @Nullable CounterPair pair(int id) {
        final CounterPair pair = id < 0 || id >= pairs.length ? null : pairs[id];
        return pair != null && reception(id) == pair.counter(0) && reception(id + 1) == pair.counter(1) ? pair : null;
    }

    /** Returns true if the counter is one of a pair. */
    synchronized boolean isPaired(ReceptionCounter counter) {
        final int id = counter.id();
        return isOf(pairs[id], counter) || (id > 0 && isOf(pairs[id - 1], counter));
    }

    private static boolean isOf(@Nullable CounterPair pair, ReceptionCounter counter) {
        return pair != null && (pair.counter(0) == counter || pair.counter(1) == counter);
    }

    /** Returns the open injection counter of this id, or null. */
    public synchronized @Nullable InjectionCounter injection(int id) {
        final InjectionCounter counter = id < 0 || id >= injections.length ? null : injections[id];
        return counter == null || MemoryAccess.isClosed(counter) ? null : counter;
    }
}
