package org.segno.node;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.segno.engine.memory.NodeDimensions;
import org.segno.link.Link;
import org.segno.link.LinkedPeer;
import org.segno.link.MemoryLink;

/**
 * The transport {@value #NAME}: links between ranks of this process, through its memory. Nodes that it joins share no
 * memory and behave as nodes of different hosts do. Used under the lock of its owner.
 */
final class ProcessLinks {
    /** Name of the transport. */
    static final String NAME = "process";

    private final Map<Pair, List<MemoryLink[]>> links = new HashMap<>();

    /** Two ranks, the lower one first. */
    private record Pair(int low, int high) {}

    /**
     * Returns the ends of {@code rank} of its links to {@code peer}. The first call for a pair creates the links.
     *
     * @param dimensions of the peer, which has as many engines as the rank
     */
    LinkedPeer connect(int rank, int peer, NodeDimensions dimensions) {
        final Pair pair = new Pair(Math.min(rank, peer), Math.max(rank, peer));
        final List<MemoryLink[]> joined = links.computeIfAbsent(pair, unknown -> join(pair, dimensions.engines()));
        final int end = rank == pair.low ? 0 : 1;
        return new ProcessPeer(
                peer, dimensions, joined.stream().map(ends -> (Link) ends[end]).toList());
    }

    private static List<MemoryLink[]> join(Pair pair, int engines) {
        final List<MemoryLink[]> joined = new ArrayList<>();
        for (int engine = 0; engine < engines; engine++) {
            joined.add(MemoryLink.join(pair.low, pair.high, MemoryLink.DEFAULT_BYTES, MemoryLink.DEFAULT_FRAME_LIMIT));
        }
        return joined;
    }

    /**
     * A peer in this process without mapped memory. Its links stay up when a node closes them: the hub tells the other
     * ranks why it has left.
     */
    private record ProcessPeer(int rank, NodeDimensions dimensions, List<Link> links) implements LinkedPeer {
        @Override
        public Link link(int engine) {
            return links.get(engine);
        }

        @Override
        public void close() {
            // The links are memory of this process.
        }
    }
}
