package org.segno.node;

import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.RankTable;
import org.segno.link.Connection;
import org.segno.link.LinkedPeer;

/**
 * Connections of a node to the peers that links reach. Each is made when it is first used, so that a node of a large
 * job has those of the peers with which it works. Any thread.
 */
final class LinkedPeers {
    private final RankTable<LinkedPeer> known;
    private final IntFunction<Connection> source;

    /**
     * Creates the connections of a node in a job of {@code size}.
     *
     * @param source connects the node to a rank
     */
    LinkedPeers(int size, IntFunction<Connection> source) {
        this.known = new RankTable<>(size);
        this.source = source;
    }

    /**
     * Returns the connection to a rank that links reach.
     *
     * @throws IllegalStateException if its memory is mapped
     */
    LinkedPeer get(int rank) {
        final LinkedPeer peer = find(rank);
        if (peer == null) {
            throw new IllegalStateException("rank " + rank + " is not linked");
        }
        return peer;
    }

    /** Returns the connection to a rank, or null if its memory is mapped. */
    synchronized @Nullable LinkedPeer find(int rank) {
        final LinkedPeer peer = known.get(rank);
        if (peer != null) {
            return peer;
        }
        if (!(source.apply(rank) instanceof LinkedPeer made)) {
            return null;
        }
        known.set(rank, made);
        return made;
    }
}
