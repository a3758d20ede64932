package org.segno.link;

import org.segno.engine.memory.NodeFile;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeMemory;

/** A transport that maps the memory of peers, which no other than that of a host may do. */
public final class MappingTransport implements TransportProvider {
    /** Name of the transport. */
    public static final String NAME = "mapping";

    /** Creates the transport, for {@link java.util.ServiceLoader}. */
    public MappingTransport() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Transport join(TransportJob job) {
        return new Transport() {
            @Override
            public Connection connect(NodeHeader.Identity peer) {
                final NodeFile opened = NodeFile.open(job.nodeFile(peer.rank()), peer, job.size());
                return new MappingPeer(peer.rank(), opened, opened.mapAsPeer());
            }

            @Override
            public void close() {
                // Each peer is closed by its user.
            }
        };
    }

    private record MappingPeer(int rank, NodeFile file, NodeMemory memory) implements MappedPeer {
        @Override
        public boolean isPeerGone() {
            return false;
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
