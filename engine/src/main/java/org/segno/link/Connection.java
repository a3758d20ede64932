package org.segno.link;

/** This node's connection to one peer: by the peer's memory, or by links. */
public sealed interface Connection extends AutoCloseable permits MappedPeer, LinkedPeer {
    /** Returns the peer's rank. */
    int rank();

    /** Releases the transport's resources, after the last pass of this node's engines. Mappings in use stay valid. */
    @Override
    void close();
}
