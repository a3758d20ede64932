package org.segno.link;

import java.nio.file.Path;
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
    public Connection connect(Path file, NodeHeader.Identity peer, int size, IncomingLinks incoming) {
        final NodeFile opened = NodeFile.open(file, peer, size);
        return new MappingPeer(peer.rank(), opened, opened.mapAsPeer());
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
