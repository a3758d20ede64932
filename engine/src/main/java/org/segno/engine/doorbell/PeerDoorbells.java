package org.segno.engine.doorbell;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.Platform;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.engine.memory.PeerTable;
import org.segno.engine.memory.RankTable;

/**
 * The doorbells of the nodes of a job as one node rings them, as far as it has mapped their memory. Each pipe is opened
 * at its first ring. Any thread.
 *
 * <p>What a peer publishes is checked: its process must have started when the header says so, and the descriptor must
 * refer to a pipe with the published number.
 */
public final class PeerDoorbells implements Ringer, AutoCloseable {
    private static final Logger LOGGER = System.getLogger(PeerDoorbells.class.getName());
    private static final int MAX_DESCRIPTOR = 1 << 24;

    private final PeerTable peers;

    /** By rank, the pipes of the contexts; null for a rank without mapped memory. */
    private final RankTable<AtomicReferenceArray<@Nullable PipeFile>> files;

    /** Creates the doorbells of all ranks with mapped memory. */
    public PeerDoorbells(PeerTable peers) {
        this.peers = peers;
        this.files = new RankTable<>(peers.size());
        for (final Peer peer : peers.mapped()) {
            files.set(peer.rank(), new AtomicReferenceArray<>(peer.dimensions().contexts()));
        }
    }

    @Override
    public boolean ring(int rank, int context) {
        try {
            final PipeFile file = file(rank, context);
            if (file == null) {
                return false;
            }
            file.ring();
            return true;
        } catch (IOException e) {
            LOGGER.log(Level.DEBUG, "rank " + rank + " is not woken", e);
            return false;
        }
    }

    private @Nullable PipeFile file(int rank, int context) throws IOException {
        final AtomicReferenceArray<@Nullable PipeFile> pipes = files.get(rank);
        if (pipes == null) {
            return null;
        }
        final PipeFile known = pipes.get(context);
        if (known != null) {
            return known;
        }
        final NodeMemory peer = peers.get(rank).requireMemory();
        final DoorbellRecord record = new DoorbellRecord(peer, context);
        if (!isReachable(peer, context, record.pipe())) {
            return null;
        }
        final PipeFile opened = PipeFile.open(PipeFile.path(new NodeHeader(peer.owner()).pid(), record.file()));
        if (pipes.compareAndSet(context, null, opened)) {
            return opened;
        }
        // Another engine of this node was faster.
        opened.close();
        return pipes.get(context);
    }

    /**
     * Returns the first rank whose process is not visible here, or -1. Visibility is mutual: processes see each other
     * in one PID namespace, and neither sees the other across two.
     */
    public int unreachable() {
        for (final Peer mapped : peers.mapped()) {
            final NodeMemory peer = mapped.requireMemory();
            // Once, because it may be withdrawn meanwhile.
            final long pipe = new DoorbellRecord(peer, 0).pipe();
            if (pipe == 0 ? !isVisible(peer) : !isReachable(peer, 0, pipe)) {
                return mapped.rank();
            }
        }
        return -1;
    }

    private static boolean isReachable(NodeMemory peer, int context, long inode) {
        final int descriptor = new DoorbellRecord(peer, context).file();
        return inode != 0
                && descriptor >= 0
                && descriptor < MAX_DESCRIPTOR
                && isVisible(peer)
                && PipeFile.inode(PipeFile.path(new NodeHeader(peer.owner()).pid(), descriptor)) == inode;
    }

    /** Returns true if the process id in the header is here that of the process that wrote the header. */
    private static boolean isVisible(NodeMemory peer) {
        final NodeHeader.Identity identity = new NodeHeader(peer.owner()).identity();
        final long started = Platform.startTime(identity.pid());
        return started != 0 && started == identity.processStart();
    }

    /** Closes the opened pipes. Called after the last pass of the node's engines. */
    @Override
    public void close() {
        final List<PipeFile> opened = new ArrayList<>();
        for (final Peer peer : peers.mapped()) {
            final AtomicReferenceArray<@Nullable PipeFile> pipes = files.get(peer.rank());
            for (int i = 0; pipes != null && i < pipes.length(); i++) {
                final PipeFile file = pipes.getAndSet(i, null);
                if (file != null) {
                    opened.add(file);
                }
            }
        }
        for (final PipeFile file : opened) {
            try {
                file.close();
            } catch (IOException e) {
                LOGGER.log(Level.DEBUG, "a pipe is not closed", e);
            }
        }
    }
}
