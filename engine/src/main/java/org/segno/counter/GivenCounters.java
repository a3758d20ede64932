package org.segno.counter;

import org.jspecify.annotations.Nullable;

/** The open counters of a node by their ids, whichever group has handed them out. Any thread. */
public final class GivenCounters {
    /** By id: the counter that has it, also while it is being closed. */
    private final @Nullable ReceptionCounter[] receptions;

    /** By the id of the even one: the pair that was made last. */
    private final @Nullable CounterPair[] pairs;

    private final @Nullable InjectionCounter[] injections;

    GivenCounters(int injectionCapacity, int receptionCapacity) {
        this.receptions = new ReceptionCounter[receptionCapacity];
        this.pairs = new CounterPair[receptionCapacity];
        this.injections = new InjectionCounter[injectionCapacity];
    }

    synchronized void given(ReceptionCounter counter) {
        receptions[counter.id()] = counter;
    }

    synchronized void given(CounterPair pair) {
        pairs[pair.id()] = pair;
    }

    synchronized void given(InjectionCounter counter) {
        injections[counter.id()] = counter;
    }

    synchronized void takenBack(ReceptionCounter counter) {
        receptions[counter.id()] = null;
    }

    /** All that have an id, those that are being closed among them, and null. */
    synchronized @Nullable ReceptionCounter[] receptions() {
        return receptions.clone();
    }

    /** The open reception counter of this id, one of a pair too, or null. */
    public synchronized @Nullable ReceptionCounter reception(int id) {
        final ReceptionCounter counter = id < 0 || id >= receptions.length ? null : receptions[id];
        return counter == null || counter.isClosed() ? null : counter;
    }

    /** The open pair whose even counter has this id, or null. */
    public synchronized @Nullable CounterPair pair(int id) {
        final CounterPair pair = id < 0 || id >= pairs.length ? null : pairs[id];
        return pair != null && reception(id) == pair.counter(0) && reception(id + 1) == pair.counter(1) ? pair : null;
    }

    /** The open injection counter of this id, or null. */
    public synchronized @Nullable InjectionCounter injection(int id) {
        final InjectionCounter counter = id < 0 || id >= injections.length ? null : injections[id];
        return counter == null || counter.isClosed() ? null : counter;
    }
}
