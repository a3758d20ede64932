package org.segno.transport.shm;

import org.segno.engine.memory.NodeFile;
import org.segno.engine.memory.NodeMemory;
import org.segno.link.MappedPeer;

/**
 * Link through a peer's mapped node file.
 *
 * @param rank the peer
 * @param file node file, kept open while the job runs, so that tools find the job through this process
 * @param memory the peer's memory
 */
record ShmPeer(int rank, NodeFile file, NodeMemory memory) implements MappedPeer {
    @Override
    public boolean isPeerGone() {
        return file.isOwnerGone();
    }

    @Override
    public void close() {
        file.close();
    }
}
