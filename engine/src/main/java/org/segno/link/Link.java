package org.segno.link;

import org.segno.memory.NodeMemory;

/** Joins this node to one peer. */
public interface Link extends AutoCloseable {
    /** The peer's rank. */
    int rank();

    /** The peer's memory as this process has mapped it: this node's engine lands there itself. */
    NodeMemory memory();

    /** True once the peer's process has ended, with all its threads: it can write nowhere any more. */
    boolean isPeerGone();

    /** Gives back what the transport holds. Mappings stay valid while anybody may use them. */
    @Override
    void close();
}
