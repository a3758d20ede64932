package org.segno.node;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeHeader;
import org.segno.link.IncomingLinks;
import org.segno.link.Link;
import org.segno.link.LinkedPeer;
import org.segno.link.MemoryLink;
import org.segno.link.Transport;

/**
 * The transport {@value #NAME}: links between ranks of this process, through its memory. Nodes that it joins share no
 * memory and behave as nodes of different hosts do. Any thread.
 *
 * <p>A link stays up when a node at one end closes. The hub reports to the other ranks that it has left.
 */
final class ProcessLinks implements Transport {
    /** Name of the transport. */
    static final String NAME = "process";

    private final IntFunction<NodeDimensions> nodes;
    private final IncomingLinks incoming;
    private final Map<Ends, MemoryLink[]> links = new HashMap<>();

    /** Creates the links between nodes of this process. {@code nodes} returns the dimensions of each rank. */
    ProcessLinks(IntFunction<NodeDimensions> nodes, IncomingLinks incoming) {
        this.nodes = nodes;
        this.incoming = incoming;
    }

    /** Two ranks, the lower one first, and the engine of each. */
    private record Ends(int low, int high, int engine) {}

    @Override
    public LinkedPeer connect(NodeHeader.Identity peer) {
        return new ProcessPeer(this, peer.rank(), nodes.apply(peer.rank()));
    }

    @Override
    public void close() {
        // The links are memory of this process.
    }

    private synchronized Link link(int rank, int peer, int engine) {
        final Ends ends = new Ends(Math.min(rank, peer), Math.max(rank, peer), engine);
        MemoryLink[] joined = links.get(ends);
        if (joined == null) {
            joined = join(ends);
            links.put(ends, joined);
            incoming.made(peer, rank, engine);
        }
        return joined[rank == ends.low ? 0 : 1];
    }

    private MemoryLink[] join(Ends ends) {
        try {
            return MemoryLink.join(ends.low, ends.high, MemoryLink.DEFAULT_BYTES, MemoryLink.DEFAULT_FRAME_LIMIT);
        } catch (final OutOfMemoryError e) {
            final Error named = new OutOfMemoryError("no direct memory for a link between the ranks " + ends.low
                    + " and "
                    + ends.high + ", beside " + links.size() + " links of "
                    + 2 * MemoryLink.lengthFor(MemoryLink.DEFAULT_BYTES, MemoryLink.DEFAULT_FRAME_LIMIT)
                    + " bytes: raise -XX:MaxDirectMemorySize, or use the transport \"" + NodeFiles.MAPPED + "\"");
            named.initCause(e);
            throw named;
        }
    }

    /**
     * A rank of this process that links reach.
     *
     * @param links those of the process
     * @param rank the peer
     * @param dimensions of the peer
     */
    private record ProcessPeer(ProcessLinks links, int rank, NodeDimensions dimensions) implements LinkedPeer {
        @Override
        public Link link(int node, int engine) {
            return links.link(node, rank, engine);
        }

        @Override
        public void close() {
            // The links are memory of this process.
        }
    }
}
