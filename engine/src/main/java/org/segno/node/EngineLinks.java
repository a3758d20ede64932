package org.segno.node;

import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.segno.engine.dma.DmaEngine;
import org.segno.engine.memory.PeerTable;
import org.segno.link.LinkedPeer;

/** Links of one engine of a node, which are made when it or a peer first uses them. */
final class EngineLinks implements DmaEngine.LinkSource {
    private final int rank;
    private final int engine;
    private final PeerTable peers;
    private final LinkedPeers linked;
    private final Queue<Integer> callers;

    /**
     * Creates the links of engine {@code engine} of a rank.
     *
     * @param linked peers that links reach
     * @param callers peers that have made links
     */
    EngineLinks(int rank, int engine, PeerTable peers, LinkedPeers linked, Queue<Integer> callers) {
        this.rank = rank;
        this.engine = engine;
        this.peers = peers;
        this.linked = linked;
        this.callers = callers;
    }

    @Override
    public DmaEngine.@Nullable LinkedPeer connect(int peer) {
        final LinkedPeer other = linked.find(peer);
        return other == null ? null : new DmaEngine.LinkedPeer(peers.get(peer), other.link(rank, engine));
    }

    @Override
    public DmaEngine.@Nullable LinkedPeer next() {
        final Integer caller = callers.poll();
        return caller == null ? null : connect(caller);
    }
}
