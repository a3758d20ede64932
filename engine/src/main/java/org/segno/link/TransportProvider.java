package org.segno.link;

import java.nio.file.Path;
import org.segno.engine.memory.NodeHeader;

/** Factory of connections to peers, one per transport, which {@link java.util.ServiceLoader} finds. */
public interface TransportProvider {
    /** Returns the transport's name, for settings, messages and tools: lower-case letters, digits and hyphens. */
    String name();

    /**
     * Connects to a peer in another process.
     *
     * @param file the peer's node file in the job's directory
     * @param peer identity that the file must have; pid and start time are not compared
     * @param size ranks of the job
     * @throws org.segno.status.SegnoException if the peer cannot be reached; the message has the reason
     */
    Connection connect(Path file, NodeHeader.Identity peer, int size);
}
