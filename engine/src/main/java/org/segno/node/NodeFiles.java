package org.segno.node;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.JobId;
import org.segno.engine.memory.NodeFile;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.link.MappedPeer;
import org.segno.link.TransportProvider;
import org.segno.status.SegnoException;

/**
 * The node files that this process has open, by job. Each file is opened once and shared by all nodes of the process,
 * because closing any descriptor of a file frees every lock that the process has on it. Usable from any thread.
 */
final class NodeFiles {
    private static final String TRANSPORT = "shm";
    private static final Map<JobId, NodeFiles> OPEN = new HashMap<>();

    private final Path directory;
    private final JobId job;
    private final Map<Integer, NodeFile> own = new HashMap<>();
    private final Map<Integer, NodeMemory> peers = new HashMap<>();
    private final Map<Integer, MappedPeer> mappedPeers = new ConcurrentHashMap<>();
    private int users;

    private NodeFiles(Path directory, JobId job) {
        this.directory = directory;
        this.job = job;
    }

    /** Returns the files of a job in {@code directory}. They are released as often as they are taken. */
    static NodeFiles take(Path directory, JobId job) {
        synchronized (OPEN) {
            final NodeFiles files = OPEN.computeIfAbsent(job, unknown -> new NodeFiles(directory, unknown));
            files.users++;
            return files;
        }
    }

    void release() {
        synchronized (OPEN) {
            users--;
            if (users == 0) {
                OPEN.remove(job, this);
                own.values().forEach(NodeFile::close);
                mappedPeers.values().forEach(MappedPeer::close);
            }
        }
    }

    /** Creates the file of a node of this process. */
    NodeMemory create(NodeLayout layout, NodeHeader.Identity identity) {
        synchronized (OPEN) {
            final NodeFile file = NodeFile.create(path(identity.rank()), layout, identity);
            own.put(identity.rank(), file);
            return file.mapAsOwner();
        }
    }

    /** Returns the memory of a peer, which is in this process or another. */
    NodeMemory peer(NodeHeader.Identity identity, int size) {
        synchronized (OPEN) {
            final NodeMemory known = peers.get(identity.rank());
            if (known != null) {
                return known;
            }
            final NodeFile local = own.get(identity.rank());
            final NodeMemory memory = local != null ? local.mapAsPeer() : connect(identity, size);
            peers.put(identity.rank(), memory);
            return memory;
        }
    }

    /**
     * Returns true once the process of a rank has ended, and always false for a rank of this process. Does not wait.
     */
    boolean isProcessGone(int rank) {
        final MappedPeer peer = mappedPeers.get(rank);
        return peer != null && peer.isPeerGone();
    }

    private NodeMemory connect(NodeHeader.Identity identity, int size) {
        final TransportProvider provider = transport();
        if (provider == null) {
            throw new SegnoException("rank " + identity.rank() + " is in another process, and no transport \""
                    + TRANSPORT + "\" is on the class path: add org.segno:segno-shm-transport");
        }
        final MappedPeer peer = provider.connect(path(identity.rank()), identity, size);
        mappedPeers.put(identity.rank(), peer);
        return peer.memory();
    }

    private static @Nullable TransportProvider transport() {
        for (final TransportProvider provider : ServiceLoader.load(TransportProvider.class)) {
            if (provider.name().equals(TRANSPORT)) {
                return provider;
            }
        }
        return null;
    }

    private Path path(int rank) {
        return directory.resolve("node-" + rank);
    }
}
