package org.segno.link;

import java.nio.file.Path;
import org.segno.engine.memory.NodeHeader;

/** Factory of connections to peers, one per transport, which {@link java.util.ServiceLoader} finds. */
public interface TransportProvider {
    /** Returns the transport's name, for settings, messages and tools: lower-case letters, digits and hyphens. */
    String name();

    /**
     * Connects this process to a peer: to each once, when its first node joins. Peers of this process are among them if
     * its nodes name this transport first. Links are made later. Only the transport {@code shm} may return a
     * {@link MappedPeer}.
     *
     * @param file the peer's node file in the job's directory
     * @param peer identity that the file must have; pid and start time are not compared
     * @param size ranks of the job
     * @param incoming notified of the links that the peer makes
     * @throws org.segno.status.SegnoException if the peer cannot be reached; the message has the reason
     */
    Connection connect(Path file, NodeHeader.Identity peer, int size, IncomingLinks incoming);
}
