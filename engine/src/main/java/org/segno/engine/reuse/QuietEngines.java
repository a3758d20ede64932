package org.segno.engine.reuse;

import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
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
     * Creates the view of the engines of {@code peers}, by rank. The predicate {@code processIsGone} tests whether the
     * process of a rank has ended; it is also called later.
     */
    public QuietEngines(List<Peer> peers, PeerStates states, IntPredicate processIsGone) {
        this.peers = peers;
        this.states = states;
        this.processIsGone = processIsGone;
        this.firsts = new int[peers.size() + 1];
        this.fence = peers.stream()
                .filter(Peer::isMapped)
                .findFirst()
                .orElseThrow()
                .requireMemory()
                .owner();
        for (int rank = 0; rank < peers.size(); rank++) {
            final NodeMemory memory = peers.get(rank).memory();
            firsts[rank + 1] = firsts[rank] + (memory == null ? 0 : memory.quietCounts());
        }
    }

    /**
     * Returns the counts of all engines. Everything that begins two counts later observes the state that the caller has
     * disabled before.
     */
    long[] counts() {
        fence.fullFence();
        final long[] counts = new long[firsts[peers.size()]];
        for (int rank = 0; rank < peers.size(); rank++) {
            for (int engine = firsts[rank]; engine < firsts[rank + 1]; engine++) {
                counts[engine] = countAcquire(rank, engine - firsts[rank]);
            }
        }
        return counts;
    }

    private long countAcquire(int rank, int engine) {
        final NodeMemory peer = peers.get(rank).requireMemory();
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
        for (int rank = 0; rank < peers.size(); rank++) {
            final int busy = concerned.test(rank) ? busy(rank, counts) : NONE;
            if (busy != NONE) {
                return describe(rank, busy);
            }
        }
        return null;
    }

    private String describe(int rank, int busy) {
        final int engines = peers.get(rank).dimensions().engines();
        return busy < engines
                ? "the engine of rank " + rank + " to be quiet"
                : "rank " + rank + " to publish or abandon the loans of its context " + (busy - engines);
    }

    /** Returns the first engine or context of a rank that has not been quiet, or {@link #NONE}. */
    private int busy(int rank, long[] counts) {
        for (int engine = firsts[rank]; engine < firsts[rank + 1]; engine++) {
            final long since = counts[engine];
            if (since == QuietCount.NO_ENGINE) {
                continue;
            }
            final long now = countAcquire(rank, engine - firsts[rank]);
            final boolean rested = QuietCount.isResting(since) || QuietCount.isResting(now);
            if (!rested && now - since < STEPS && !isGone(rank)) {
                return engine - firsts[rank];
            }
            counts[engine] = QuietCount.NO_ENGINE;
        }
        return NONE;
    }

    private boolean isGone(int rank) {
        return (states.stateAcquire(rank) != PeerStates.JOINED || states.isHubLost()) && processIsGone.test(rank);
    }
}
