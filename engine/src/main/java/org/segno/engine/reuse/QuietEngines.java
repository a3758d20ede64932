package org.segno.engine.reuse;

import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.FifoPositions;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.engine.memory.PeerStates;

/**
 * Quiet points of a job's engines, and of the loans of its contexts, as a closer sees them: it finds those that have
 * been quiet since a given moment. Used by one thread at a time. Engines that reach this node over links are not among
 * them: this node's engines land for them.
 *
 * <p>The loans of a context count as an engine does: {@link LoanCount}.
 *
 * <p>An engine that rests or has stopped is quiet. If a rank has died or left, or once the hub is lost, its engines are
 * also quiet when its process is gone. The state of a dead rank alone is not sufficient, because its process may still
 * run.
 */
public final class QuietEngines {
    /** Number of counts for a quiet point: see {@link QuietCount}. */
    private static final int STEPS = 2;

    private static final int NONE = -1;

    private final List<Peer> peers;
    private final PeerStates states;
    private final IntPredicate processIsGone;
    private final int[] firsts;
    private final Memory fence;

    /**
     * Creates the view of the engines of {@code peers}: the ranks with mapped memory. No other rank writes to this
     * node's memory. The predicate {@code processIsGone} tests whether the process of a rank has ended; it is also
     * called later.
     */
    public QuietEngines(List<Peer> peers, PeerStates states, IntPredicate processIsGone) {
        this.peers = peers;
        this.states = states;
        this.processIsGone = processIsGone;
        this.firsts = new int[peers.size() + 1];
        this.fence = peers.get(0).requireMemory().owner();
        for (int i = 0; i < peers.size(); i++) {
            firsts[i + 1] = firsts[i] + peers.get(i).requireMemory().quietCounts();
        }
    }

    /**
     * Returns the counts of all engines. Everything that begins two counts later observes the state that the caller has
     * disabled before.
     */
    long[] counts() {
        fence.fullFence();
        final long[] counts = new long[firsts[peers.size()]];
        for (int i = 0; i < peers.size(); i++) {
            for (int engine = firsts[i]; engine < firsts[i + 1]; engine++) {
                counts[engine] = countAcquire(i, engine - firsts[i]);
            }
        }
        return counts;
    }

    private long countAcquire(int index, int engine) {
        final NodeMemory peer = peers.get(index).requireMemory();
        return peer.owner().getLongAcquire(peer.quietCountOffset(engine));
    }

    /**
     * Describes the first engine, or the first context with loans, of the ranks {@code concerned} that has not been
     * quiet since {@code counts}, or returns null.
     *
     * @param counts result of {@link #counts}; the counts of engines found quiet are replaced by a value that marks
     *     them
     */
    @Nullable
    String awaited(long[] counts, IntPredicate concerned) {
        for (int i = 0; i < peers.size(); i++) {
            final int busy = concerned.test(peers.get(i).rank()) ? busy(i, counts) : NONE;
            if (busy != NONE) {
                return describe(peers.get(i), busy);
            }
        }
        return null;
    }

    private static String describe(Peer peer, int busy) {
        final int engines = peer.dimensions().engines();
        if (busy < engines) {
            // With as many contexts, each engine is one context's, and may run only when that is advanced.
            return engines == peer.dimensions().contexts()
                    ? "the engine of context " + busy + " of rank " + peer.rank() + " to be quiet"
                            + FifoPositions.REMEDY
                    : "engine " + busy + " of rank " + peer.rank() + " to be quiet";
        }
        return "rank " + peer.rank() + " to publish or abandon the loans of its context " + (busy - engines);
    }

    /** Returns the first engine or context of a peer that has not been quiet, or {@link #NONE}. */
    private int busy(int index, long[] counts) {
        for (int engine = firsts[index]; engine < firsts[index + 1]; engine++) {
            final long since = counts[engine];
            if (since == QuietCount.NO_ENGINE) {
                continue;
            }
            final long now = countAcquire(index, engine - firsts[index]);
            final boolean rested = QuietCount.isResting(since) || QuietCount.isResting(now);
            if (!rested && now - since < STEPS && !isGone(peers.get(index).rank())) {
                return engine - firsts[index];
            }
            counts[engine] = QuietCount.NO_ENGINE;
        }
        return NONE;
    }

    private boolean isGone(int rank) {
        return (states.stateAcquire(rank) != PeerStates.JOINED || states.isHubLost()) && processIsGone.test(rank);
    }
}
