package org.segno.link;

import java.nio.file.Path;
import org.segno.memory.NodeHeader;

/** Makes links; one per transport, found by {@link java.util.ServiceLoader}. */
public interface LinkFactory {
    /** The transport's name, as {@code SEGNO_TRANSPORT} gives it. */
    String name();

    /**
     * Connects to a peer in another process whose node file lies in the job's directory.
     *
     * @param file the peer's node file
     * @param peer who must be found there; pid and start time are not compared
     * @param size ranks of the job
     * @throws org.segno.status.SegnoException if the peer's file cannot be used; says why
     */
    Link connect(Path file, NodeHeader.Identity peer, int size);
}
