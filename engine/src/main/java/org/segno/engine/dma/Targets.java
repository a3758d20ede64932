package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.counter.Senders;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.RankTable;
import org.segno.memory.MemoryAccess;
import org.segno.status.Refusal;

/**
 * Lookup and validation of the ranks and injection counters that descriptors refer to. Used only by the engine's
 * thread.
 */
final class Targets {
    private static final int NEAR = 256;

    /** Landings at the first ranks, to which most jobs are limited. */
    private final @Nullable Landing[] near;

    private final RankTable<Landing> landings;
    private final NodeMemory node;
    private final Landing self;
    private final RefusalReport report;
    private final Senders senders;
    private final int injectionCounters;

    Targets(NodeMemory node, RankTable<Landing> landings, RefusalReport report) {
        final Landing own = landings.get(node.rank());
        if (own == null) {
            throw new IllegalArgumentException("landings must include the node's own rank: rank=" + node.rank());
        }
        this.node = node;
        this.landings = landings;
        this.near = new Landing[Math.min(NEAR, landings.size())];
        for (int rank = 0; rank < near.length; rank++) {
            near[rank] = landings.get(rank);
        }
        this.report = report;
        this.self = own;
        this.senders = new Senders(node);
        this.injectionCounters = node.layout().dimensions().injectionCounters();
    }

    /** Returns the landing at a rank, or null, for which {@link #missing} returns the reason. */
    @Nullable
    Landing landing(int rank) {
        return rank >= 0 && rank < near.length ? near[rank] : far(rank);
    }

    private @Nullable Landing far(int rank) {
        return rank >= 0 && rank < landings.size() ? landings.get(rank) : null;
    }

    int missing(int rank) {
        return (rank >= 0 && rank < landings.size() ? Refusal.NOT_MAPPED : Refusal.NO_SUCH_RANK).code();
    }

    /** Returns the landing in this node's own memory. */
    Landing self() {
        return self;
    }

    /** Returns a dead rank that may have caused the missing bytes of a counter with these sources, or -1. */
    int dead(int sources) {
        return senders.dead(sources, Senders.ALL);
    }

    /** Returns true if all ranks that could send the missing bytes of a counter with these sources have left. */
    boolean haveLeft(int sources) {
        return senders.haveLeft(sources, Senders.ALL);
    }

    /** Returns true for an id that exists, and for the id of no counter. */
    boolean isInjectionCounter(int counter) {
        return counter >= -1 && counter < injectionCounters;
    }

    /** Counts an injection counter down, except for the id of no counter. */
    void injected(int counter, long bytes) {
        if (counter >= 0 && MemoryAccess.injected(node.values(), node.injectionValueOffset(counter), bytes)) {
            report.underflow(counter);
        }
    }
}
