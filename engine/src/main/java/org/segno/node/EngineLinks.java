package org.segno.node;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.segno.engine.dma.DmaEngine;
import org.segno.engine.memory.PeerTable;
import org.segno.link.Link;
import org.segno.link.LinkedPeer;

/**
 * Links of one engine of a node: those to ranks of this process on demand, those of other transports from the start.
 */
final class EngineLinks implements DmaEngine.LinkSource {
    private final int rank;
    private final int engine;
    private final PeerTable peers;
    private final ProcessLinks inProcess;
    private final Queue<Integer> callers;
    private final Map<Integer, LinkedPeer> connected;

    /** Ranks with a link from the start that the engine has not had yet. */
    private final Queue<Integer> initial;

    /**
     * Creates the links of engine {@code engine} of a rank.
     *
     * @param connected connections of other transports by rank
     */
    EngineLinks(int rank, int engine, PeerTable peers, ProcessLinks inProcess, Map<Integer, LinkedPeer> connected) {
        this.rank = rank;
        this.engine = engine;
        this.peers = peers;
        this.inProcess = inProcess;
        this.callers = inProcess.callers(rank, engine);
        this.connected = connected;
        this.initial = new ArrayDeque<>(connected.keySet());
    }

    @Override
    public DmaEngine.LinkedPeer connect(int peer) {
        final LinkedPeer other = connected.get(peer);
        final Link link = other == null ? inProcess.connect(rank, peer, engine) : other.link(engine);
        return new DmaEngine.LinkedPeer(peers.get(peer), link);
    }

    @Override
    public DmaEngine.@Nullable LinkedPeer next() {
        final Integer caller = initial.isEmpty() ? callers.poll() : initial.poll();
        return caller == null ? null : connect(caller);
    }
}
