package org.segno.transport.shm;

import java.nio.file.Path;
import org.segno.engine.memory.NodeFile;
import org.segno.engine.memory.NodeHeader;
import org.segno.link.IncomingLinks;
import org.segno.link.MappedPeer;
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
    public MappedPeer connect(Path file, NodeHeader.Identity peer, int size, IncomingLinks incoming) {
        final NodeFile opened = NodeFile.open(file, peer, size);
        try {
            return new ShmPeer(peer.rank(), opened, opened.mapAsPeer());
        } catch (final RuntimeException e) {
            opened.close();
            throw e;
        }
    }
}
