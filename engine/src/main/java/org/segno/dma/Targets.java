package org.segno.dma;

import org.jspecify.annotations.Nullable;
import org.segno.counter.CounterSettings;
import org.segno.counter.InjectionCounter;
import org.segno.landing.Landing;
import org.segno.memory.NodeMemory;
import org.segno.status.Refusal;

/** What descriptors name by rank or id, found and checked. One thread, the engine's. */
final class Targets {
    private final @Nullable Landing[] landings;
    private final NodeMemory node;
    private final Landing self;
    private final int injectionCounters;

    Targets(NodeMemory node, @Nullable Landing[] landings) {
        final Landing own = landings[node.rank()];
        if (own == null) {
            throw new IllegalArgumentException("a node lands in its own memory too: rank=" + node.rank());
        }
        this.node = node;
        this.landings = landings;
        this.self = own;
        this.injectionCounters = node.layout().dimensions().injectionCounters();
    }

    /** The landing at a rank, or null: {@link #missing} says why. */
    @Nullable
    Landing landing(int rank) {
        return rank >= 0 && rank < landings.length ? landings[rank] : null;
    }

    int missing(int rank) {
        return (rank >= 0 && rank < landings.length ? Refusal.NOT_MAPPED : Refusal.NO_SUCH_RANK).code();
    }

    /** The landing in this node's own memory. */
    Landing self() {
        return self;
    }

    /** A rank with which what a counter with these sources still misses may have died, or -1. */
    int dead(int sources) {
        if (sources >= 0) {
            return isDead(sources) ? sources : -1;
        }
        for (int rank = 0; rank < landings.length && sources == CounterSettings.ANYBODY; rank++) {
            if (isDead(rank)) {
                return rank;
            }
        }
        return -1;
    }

    private boolean isDead(int rank) {
        final Landing source = landing(rank);
        return source != null && source.isDead();
    }

    /** True for an id that exists, and for the id of none. */
    boolean isInjectionCounter(int counter) {
        return counter >= -1 && counter < injectionCounters;
    }

    /** Counts an injection counter down, unless it is none. */
    void injected(int counter, long bytes) {
        if (counter >= 0) {
            InjectionCounter.injected(node.peers(), node.injectionValueOffset(counter), bytes);
        }
    }
}
