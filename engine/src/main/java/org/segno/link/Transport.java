package org.segno.link;

import org.segno.engine.memory.NodeHeader;

/** The part of a transport in one process and one job. Any thread. */
public interface Transport extends AutoCloseable {
    /** Maximum number of words of an {@link #address}. */
    int MAX_ADDRESS_WORDS = 16;

    /**
     * Connects this process to a peer: to each once, when its first node joins, or, if this transport has an
     * {@link #address}, when a node first uses the peer; it must not block then. Peers of this process are among them
     * if its nodes name this transport first. Links are made later. Only the transport {@code shm} may return a
     * {@link MappedPeer}.
     *
     * @param peer identity that the peer's node file must have, if the transport opens it; pid and start time are not
     *     compared
     * @throws org.segno.status.SegnoException if the peer cannot be reached; the message has the reason
     */
    Connection connect(NodeHeader.Identity peer);

    /**
     * Returns words by which the transport of other processes can reach this one, at most {@link #MAX_ADDRESS_WORDS}:
     * they obtain them by {@link TransportJob#address}, before they connect.
     */
    default long[] address() {
        return new long[0];
    }

    /**
     * Checks that links can join this process to a peer, before any node here uses it. Called for each peer once all
     * ranks have stated their {@link #address}; does not wait.
     *
     * @param peer rank of another process
     * @throws org.segno.status.SegnoException if no link can; the message has the reason and the remedy
     */
    default void requireReach(int peer) {}

    /**
     * Receives a letter that the transport of a peer's process has written by {@link TransportJob#write}. Letters
     * between two ranks come in order. Called by the membership thread, so it is short and does not wait.
     *
     * @param node rank of this process
     * @param peer rank that has written it
     */
    default void received(int node, int peer, int word, long second, long third) {}

    /** Ends this part, after the last pass of the engines of this process. */
    @Override
    void close();
}
