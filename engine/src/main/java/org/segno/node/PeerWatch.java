package org.segno.node;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.segno.memory.NodeHeader;
import org.segno.memory.PeerStates;

/**
 * A second witness of the end of peers, beside the hub: the locks on their node files, which the system frees with a process. It finds
 * deaths while the hub's process is stopped, or after the hub has left with rank 0. The hub is faster, within milliseconds, and reports
 * how a rank ended; so a peer's end counts here only when its lock was free at two looks and its heartbeat has been silent for a
 * second. The membership thread's.
 */
final class PeerWatch {
    private static final Logger LOGGER = System.getLogger(PeerWatch.class.getName());

    /** Peers per heartbeat: each costs a system call. */
    private static final int PEERS_PER_LOOK = 8;

    private static final long SILENT_NS = TimeUnit.SECONDS.toNanos(1);

    private final int self;
    private final NodeFiles files;
    private final List<NodeHeader> headers;
    private final PeerStates states;

    /** By rank: its lock was free at the last look. */
    private final boolean[] suspected;

    private int next;

    PeerWatch(int self, NodeFiles files, List<NodeHeader> headers, PeerStates states) {
        this.self = self;
        this.files = files;
        this.headers = headers;
        this.states = states;
        this.suspected = new boolean[headers.size()];
    }

    /** Looks at some peers, in turn. */
    void look(long nowNs) {
        for (int i = Math.min(PEERS_PER_LOOK, headers.size()); i > 0; i--) {
            final int rank = next;
            next = (next + 1) % headers.size();
            if (rank != self && states.stateAcquire(rank) == PeerStates.JOINED) {
                look(rank, nowNs);
            }
        }
    }

    private void look(int rank, long nowNs) {
        final NodeHeader header = headers.get(rank);
        final boolean gone = nowNs - header.heartbeatAcquire() > SILENT_NS && files.isProcessGone(rank);
        if (gone && suspected[rank]) {
            // A node that was closed says so in its header before it says goodbye to the hub.
            final boolean left = header.stateAcquire() == NodeHeader.CLOSED;
            LOGGER.log(
                    Level.WARNING,
                    "rank {0} has {1}, by the lock on its node file: the hub, in the launcher or rank 0, is stopped or gone",
                    rank,
                    left ? "left" : "died");
            states.change(rank, left ? PeerStates.LEFT : PeerStates.DEAD);
        }
        suspected[rank] = gone;
    }
}
