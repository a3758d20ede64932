package org.segno.engine.reuse;

import java.util.List;
import java.util.function.IntPredicate;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerStates;

/**
 * Quiet points of a job's engines as a closer sees them: it finds the engines that have been quiet since a given
 * moment. Used by one thread at a time.
 *
 * <p>An engine that rests or has stopped is quiet. If a rank has died or left, or once the hub is lost, its engines are
 * also quiet when its process is gone. The state of a dead rank alone is not sufficient, because its process may still
 * run.
 */
public final class QuietEngines {
    /** Number of counts for a quiet point: see {@link QuietCount}. */
    private static final int STEPS = 2;

    /** Result when no engine is pending. */
    public static final int NOBODY = -1;

    private final List<NodeMemory> peers;
    private final PeerStates states;
    private final IntPredicate processIsGone;
    private final int[] firsts;

    /**
     * Creates the view of the engines of {@code peers}, by rank. The predicate {@code processIsGone} tests whether the
     * process of a rank has ended; it is also called later.
     */
    public QuietEngines(List<NodeMemory> peers, PeerStates states, IntPredicate processIsGone) {
        this.peers = peers;
        this.states = states;
        this.processIsGone = processIsGone;
        this.firsts = new int[peers.size() + 1];
        for (int rank = 0; rank < peers.size(); rank++) {
            firsts[rank + 1] = firsts[rank] + peers.get(rank).engines();
        }
    }

    /**
     * Returns the counts of all engines. Everything that begins two counts later observes the state that the caller has
     * disabled before.
     */
    long[] counts() {
        peers.get(0).owner().fullFence();
        final long[] counts = new long[firsts[peers.size()]];
        for (int rank = 0; rank < peers.size(); rank++) {
            for (int engine = firsts[rank]; engine < firsts[rank + 1]; engine++) {
                counts[engine] = countAcquire(rank, engine - firsts[rank]);
            }
        }
        return counts;
    }

    private long countAcquire(int rank, int engine) {
        final NodeMemory peer = peers.get(rank);
        return peer.owner().getLongAcquire(peer.quietCountOffset(engine));
    }

    /**
     * Returns the first rank of those {@code concerned} with an engine that has not been quiet since {@code counts}, or
     * {@link #NOBODY}.
     *
     * @param counts result of {@link #counts}; the counts of engines found quiet are replaced by a value that marks
     *     them
     */
    int awaited(long[] counts, IntPredicate concerned) {
        for (int rank = 0; rank < peers.size(); rank++) {
            if (concerned.test(rank) && !isQuiet(rank, counts)) {
                return rank;
            }
        }
        return NOBODY;
    }

    private boolean isQuiet(int rank, long[] counts) {
        for (int engine = firsts[rank]; engine < firsts[rank + 1]; engine++) {
            final long since = counts[engine];
            if (since == QuietCount.NO_ENGINE) {
                continue;
            }
            final long now = countAcquire(rank, engine - firsts[rank]);
            final boolean rested = QuietCount.isResting(since) || QuietCount.isResting(now);
            if (!rested && now - since < STEPS && !isGone(rank)) {
                return false;
            }
            counts[engine] = QuietCount.NO_ENGINE;
        }
        return true;
    }

    private boolean isGone(int rank) {
        return (states.stateAcquire(rank) != PeerStates.JOINED || states.isHubLost()) && processIsGone.test(rank);
    }
}
