package org.segno.transport.shm;

import org.segno.engine.memory.NodeFile;
import org.segno.engine.memory.NodeHeader;
import org.segno.link.MappedPeer;
import org.segno.link.Transport;
import org.segno.link.TransportJob;
import org.segno.link.TransportProvider;

/** Factory of links to nodes in other processes of this host. */
public final class ShmTransportProvider implements TransportProvider {
    /** Creates a factory, for {@link java.util.ServiceLoader}. */
    public ShmTransportProvider() {}

    @Override
    public String name() {
        return "shm";
    }

    @Override
    public Transport join(TransportJob job) {
        return new ShmTransport(job);
    }

    /** Node files of a job on this host. */
    private record ShmTransport(TransportJob job) implements Transport {
        @Override
        public MappedPeer connect(NodeHeader.Identity peer) {
            final NodeFile opened = NodeFile.open(job.nodeFile(peer.rank()), peer, job.size());
            try {
                return new ShmPeer(peer.rank(), opened, opened.mapAsPeer());
            } catch (final RuntimeException e) {
                opened.close();
                throw e;
            }
        }

        @Override
        public void close() {
            // Each peer is closed by its user.
        }
    }
}
