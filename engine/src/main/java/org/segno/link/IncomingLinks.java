package org.segno.link;

/**
 * Receiver of the notifications that peers have made links to nodes of this process. Any thread; no method blocks.
 */
@FunctionalInterface
public interface IncomingLinks {
    /**
     * Notifies a node of this process that {@code peer} has made the link to the node's engine of a number. The engine
     * then calls {@link LinkedPeer#link}, in one of its next passes.
     */
    void made(int node, int peer, int engine);
}
