package org.segno.reuse;

import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.function.IntPredicate;
import org.segno.memory.NodeMemory;
import org.segno.memory.PeerStates;

/**
 * The engines of a job as one who closes something sees them: which have been quiet since. One thread at a time.
 *
 * <p>An engine that rests or has stopped is quiet. One of a rank that has died or left, or of any rank once the hub is lost, is quiet too when
 * its process is gone; that a rank is called dead does not do, because its process may still run.
 */
public final class QuietEngines {
    /** Quiet points: see {@link QuietCount}. */
    private static final int STEPS = 2;

    /** Nobody is awaited. */
    public static final int NOBODY = -1;

    private final List<NodeMemory> peers;
    private final PeerStates states;
    private final IntPredicate processIsGone;
    private final int[] firsts;

    /** Engines of {@code peers}, by rank; {@code processIsGone} tells whether the process of a rank has ended, any time later too. */
    public QuietEngines(List<NodeMemory> peers, PeerStates states, IntPredicate processIsGone) {
        this.peers = peers;
        this.states = states;
        this.processIsGone = processIsGone;
        this.firsts = new int[peers.size() + 1];
        for (int rank = 0; rank < peers.size(); rank++) {
            firsts[rank + 1] = firsts[rank] + peers.get(rank).engines();
        }
    }

    /** How often each engine has been quiet. What the caller has disabled before is seen by all that begins two steps later. */
    long[] counts() {
        VarHandle.fullFence();
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
     * The first rank among those {@code concerned} with an engine that has not been quiet since {@code counts}, or {@link #NOBODY}.
     *
     * @param counts as {@link #counts} answered; those of engines that are known to be quiet are changed to say so
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
