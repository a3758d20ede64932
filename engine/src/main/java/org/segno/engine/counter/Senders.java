package org.segno.engine.counter;

import java.util.function.IntPredicate;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerStates;

/**
 * States of the other ranks that a reception counter of a node admits. Whether the node's own rank can still send, its
 * contexts know. Used by one thread at a time.
 */
public final class Senders {
    /** Accepts every rank. */
    public static final IntPredicate ALL = rank -> true;

    private final PeerStates states;
    private final RankSets sets;
    private final int self;

    /** Reads the states that {@code node} has of its peers. */
    public Senders(NodeMemory node) {
        this.states = new PeerStates(node);
        this.sets = new RankSets(node);
        this.self = node.rank();
    }

    /**
     * Returns true if other ranks are admitted and all of them have left the job. They send nothing more, and what they
     * have sent over mapped memory has landed.
     *
     * @param sources of the counter
     * @param among the ranks that matter
     */
    public boolean haveLeft(int sources, IntPredicate among) {
        if (sources >= 0) {
            return sources != self && states.hasLeft(sources);
        }
        boolean others = false;
        for (int rank = 0; rank < states.size() && sources != CounterSettings.NOBODY; rank++) {
            if (isOther(rank, sources) && among.test(rank)) {
                if (!states.hasLeft(rank)) {
                    return false;
                }
                others = true;
            }
        }
        return others;
    }

    /** Returns an admitted rank that has died, or -1. Takes the arguments of {@link #haveLeft}. */
    public int dead(int sources, IntPredicate among) {
        if (sources >= 0) {
            return states.isDead(sources) ? sources : -1;
        }
        for (int rank = 0; rank < states.size() && sources != CounterSettings.NOBODY; rank++) {
            if (isOther(rank, sources) && states.isDead(rank) && among.test(rank)) {
                return rank;
            }
        }
        return -1;
    }

    /** Returns true if a counter with these sources admits the node's own rank. */
    public boolean admitSelf(int sources) {
        return sets.admits(sources, self);
    }

    private boolean isOther(int rank, int sources) {
        return rank != self && sets.admits(sources, rank);
    }
}
