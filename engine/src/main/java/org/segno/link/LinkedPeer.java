package org.segno.link;

import org.segno.engine.memory.NodeDimensions;

/** Connection of this node to a peer without mapped memory. Each engine of this node has a link to one of the peer. */
public non-sealed interface LinkedPeer extends Connection {
    /** Returns the peer's dimensions. It has as many engines as this node. */
    NodeDimensions dimensions();

    /** Returns this node's end of the link between the engines of a number, from 0, at both ranks. */
    Link link(int engine);
}
