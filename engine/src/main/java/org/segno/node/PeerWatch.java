package org.segno.node;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.Peer;
import org.segno.engine.memory.PeerStates;

/**
 * Detector of the end of peers, in addition to the hub. It checks the locks on their node files, which the system frees
 * with a process. It detects deaths while the hub's process is stopped, or after the hub has left with rank 0. The hub
 * is faster, within milliseconds, and reports the manner of a rank's end. A peer's end therefore counts here only if
 * its lock was free at two checks and its heartbeat has been silent for a second. Used by the membership thread.
 */
final class PeerWatch {
    private static final Logger LOGGER = System.getLogger(PeerWatch.class.getName());

    /** Number of peers per heartbeat. Each costs a system call. */
    private static final int PEERS_PER_LOOK = 8;

    private static final long SILENT_NS = TimeUnit.SECONDS.toNanos(1);

    private final int self;
    private final IntPredicate processIsGone;

    /** Ranks with mapped memory. The hub alone reports the ends of all others. */
    private final List<Peer> peers;

    private final List<NodeHeader> headers;
    private final PeerStates states;

    /** By place in the list, true if a rank's lock was free at the last check. */
    private final boolean[] suspected;

    private int next;

    PeerWatch(int self, IntPredicate processIsGone, List<Peer> peers, PeerStates states) {
        this.self = self;
        this.processIsGone = processIsGone;
        this.peers = peers;
        this.headers = peers.stream()
                .map(peer -> new NodeHeader(peer.requireMemory().owner()))
                .toList();
        this.states = states;
        this.suspected = new boolean[peers.size()];
    }

    /** Checks some peers, in turn. */
    void look(long nowNs) {
        for (int i = Math.min(PEERS_PER_LOOK, headers.size()); i > 0; i--) {
            final int at = next;
            next = (next + 1) % headers.size();
            final int rank = peers.get(at).rank();
            if (rank != self && states.stateAcquire(rank) == PeerStates.JOINED) {
                look(at, rank, nowNs);
            }
        }
    }

    private void look(int at, int rank, long nowNs) {
        final NodeHeader header = headers.get(at);
        // A closed node shows this state before it leaves the hub, even if its process continues with other ranks.
        final boolean left = header.stateAcquire() == NodeHeader.CLOSED;
        final boolean gone = nowNs - header.heartbeatAcquire() > SILENT_NS && (left || processIsGone.test(rank));
        if (gone && suspected[at]) {
            LOGGER.log(
                    Level.WARNING,
                    "rank {0} has {1}, detected by the lock on its node file; the hub, in the launcher or rank 0,"
                            + " is stopped or gone",
                    rank,
                    left ? "left" : "died");
            states.change(rank, left ? PeerStates.LEFT : PeerStates.DEAD);
        }
        suspected[at] = gone;
    }
}
