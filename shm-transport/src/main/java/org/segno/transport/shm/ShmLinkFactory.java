package org.segno.transport.shm;

import java.nio.file.Path;
import org.segno.link.Link;
import org.segno.link.LinkFactory;
import org.segno.memory.NodeFile;
import org.segno.memory.NodeHeader;

/** Factory of links to nodes in other processes of this host. */
public final class ShmLinkFactory implements LinkFactory {
    /** Creates a factory, for {@link java.util.ServiceLoader}. */
    public ShmLinkFactory() {}

    @Override
    public String name() {
        return "shm";
    }

    @Override
    public Link connect(Path file, NodeHeader.Identity peer, int size) {
        final NodeFile opened = NodeFile.open(file, peer, size);
        try {
            return new ShmLink(peer.rank(), opened, opened.mapAsPeer());
        } catch (final RuntimeException e) {
            opened.close();
            throw e;
        }
    }
}
