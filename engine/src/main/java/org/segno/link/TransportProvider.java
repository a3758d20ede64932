package org.segno.link;

import java.nio.file.Path;
import org.segno.engine.memory.NodeHeader;

/** Factory of connections to peers, one per transport, which {@link java.util.ServiceLoader} finds. */
public interface TransportProvider {
    /** Returns the transport's name, for messages and tools. */
    String name();

    /**
     * Connects to a peer in another process through its node file in the job's directory.
     *
     * @param file the peer's node file
     * @param peer identity that the file must have; pid and start time are not compared
     * @param size ranks of the job
     * @throws org.segno.status.SegnoException if the peer's file cannot be used; the message has the reason
     */
    MappedPeer connect(Path file, NodeHeader.Identity peer, int size);
}
