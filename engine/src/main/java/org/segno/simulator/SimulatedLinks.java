package org.segno.simulator;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.segno.engine.dma.DmaEngine;
import org.segno.engine.memory.PeerTable;

/**
 * The links of a simulated node. Its engine has those that one of both ends has used.
 *
 * @param rank the node
 * @param links by rank; none for ranks with mapped memory
 * @param unopened by node, the ranks that have used their link to it, but not the other way round
 */
record SimulatedLinks(
        int rank, PeerTable peers, Map<Integer, SimulatedLink> links, List<? extends Queue<Integer>> unopened)
        implements DmaEngine.LinkSource {
    @Override
    public DmaEngine.@Nullable LinkedPeer connect(int peer) {
        final SimulatedLink link = links.get(peer);
        if (link == null) {
            return null;
        }
        unopened.get(peer).add(rank);
        return new DmaEngine.LinkedPeer(peers.get(peer), link);
    }

    @Override
    public DmaEngine.@Nullable LinkedPeer next() {
        final Integer peer = unopened.get(rank).poll();
        final SimulatedLink link = peer == null ? null : links.get(peer);
        return link == null ? null : new DmaEngine.LinkedPeer(peers.get(link.rank()), link);
    }
}
