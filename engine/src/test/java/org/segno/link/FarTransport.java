package org.segno.link;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeHeader;

/** A transport that reaches ranks by address, whose far ends are those that a test plays. */
public final class FarTransport implements TransportProvider {
    /** Name of the transport. */
    public static final String NAME = "far";

    private static final Map<Integer, FarTransport.Part> PARTS = new ConcurrentHashMap<>();

    /** Creates the transport, for {@link java.util.ServiceLoader}. */
    public FarTransport() {}

    /** Returns the far ranks of the job of a size that is running now, and how many of them were connected. */
    public static Part part(int size) {
        return PARTS.computeIfAbsent(size, unknown -> new Part());
    }

    /** Ends what a test has played. */
    public static void end(int size) {
        PARTS.remove(size);
    }

    /** The part of the transport in the process of a test. */
    public static final class Part {
        private final FarRanks ranks = new FarRanks();
        private final AtomicInteger connected = new AtomicInteger();
        private volatile IncomingLinks incoming = (node, peer, engine) -> {};

        private Part() {}

        /** Returns the ranks that the test plays. */
        public FarRanks ranks() {
            return ranks;
        }

        /** Returns the number of ranks to which the node has been connected. */
        public int connected() {
            return connected.get();
        }

        /** Makes the link of a rank from its own side. */
        public void call(int rank) {
            incoming.made(0, rank, 0);
        }

        private Link link(int node, int rank) {
            connected.incrementAndGet();
            return ranks.link(node, rank);
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Transport join(TransportJob job) {
        final Part part = part(job.size());
        part.incoming = job.incoming();
        return new Transport() {
            @Override
            public long[] address() {
                return new long[] {7};
            }

            @Override
            public LinkedPeer connect(NodeHeader.Identity peer) {
                return new FarPeer(part, peer.rank(), job.dimensions(peer.rank()));
            }

            @Override
            public void close() {
                // The test ends its part.
            }
        };
    }

    private record FarPeer(Part part, int rank, NodeDimensions dimensions) implements LinkedPeer {
        @Override
        public Link link(int node, int engine) {
            return part.link(node, rank);
        }

        @Override
        public void close() {
            // Has nothing.
        }
    }
}
