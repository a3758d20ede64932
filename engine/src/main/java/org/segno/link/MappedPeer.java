package org.segno.link;

import org.segno.engine.memory.NodeMemory;

/** Connection of this node to a peer whose memory it has mapped. */
public non-sealed interface MappedPeer extends Connection {
    /** Returns the peer's memory as mapped by this process. This node's engine lands there itself. */
    NodeMemory memory();

    /** Returns true once the peer's process has ended with all its threads, so that it can no longer write anywhere. */
    boolean isPeerGone();
}
