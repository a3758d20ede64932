package org.segno.simulator;

import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.segno.engine.dma.DmaEngine;
import org.segno.engine.memory.PeerTable;

/**
 * The links of a simulated node, which exist from the start.
 *
 * @param links by rank; none for ranks with mapped memory
 * @param unopened ranks of links that the engine has not had yet
 */
record SimulatedLinks(PeerTable peers, Map<Integer, SimulatedLink> links, Queue<Integer> unopened)
        implements DmaEngine.LinkSource {
    @Override
    public DmaEngine.@Nullable LinkedPeer connect(int rank) {
        final SimulatedLink link = links.get(rank);
        return link == null ? null : new DmaEngine.LinkedPeer(peers.get(rank), link);
    }

    @Override
    public DmaEngine.@Nullable LinkedPeer next() {
        final Integer rank = unopened.poll();
        return rank == null ? null : connect(rank);
    }
}
