package org.segno.link;

import org.segno.engine.memory.NodeDimensions;

/**
 * Connection of this process to a peer without mapped memory. Each engine of a node has a link to one of the peer. A
 * link is made when an engine at either end first uses it, so that a process has those of the peers with which it
 * works.
 */
public non-sealed interface LinkedPeer extends Connection {
    /** Returns the peer's dimensions. It has as many engines as each node of this process. */
    NodeDimensions dimensions();

    /**
     * Returns the end of {@code node}, a rank of this process, of the link between the engines of a number, from 0, at
     * both ranks. Unless the peer has made the link, it is made now, and the peer is notified by its
     * {@link IncomingLinks}. If both ends begin at once, they get the ends of one link. Further calls return the same
     * end. Called by the engine's thread; does not block.
     */
    Link link(int node, int engine);
}
