package org.segno.node;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.JobId;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeFile;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.link.Connection;
import org.segno.link.MappedPeer;
import org.segno.link.TransportProvider;
import org.segno.status.SegnoException;

/**
 * The node files that this process has open, and the connections of its nodes, by job. Each file is opened once and
 * shared by all nodes of the process, because closing any descriptor of a file frees every lock that the process has on
 * it. Usable from any thread.
 */
final class NodeFiles {
    /** Name of the transport over mapped memory. It joins ranks of one process without a provider. */
    static final String MAPPED = "shm";

    private static final Map<JobId, NodeFiles> OPEN = new HashMap<>();

    private final Path directory;
    private final JobId job;
    private final Map<Integer, OwnFile> own = new HashMap<>();

    /** Peers of other processes, and mapped peers of this one, by rank; shared by all nodes of this process. */
    private final Map<Integer, MappedPeer> mappedPeers = new ConcurrentHashMap<>();

    /** All other connections. */
    private final List<Connection> connections = new ArrayList<>();

    private final ProcessLinks links = new ProcessLinks();
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
                own.values().forEach(one -> one.file.close());
                mappedPeers.values().forEach(MappedPeer::close);
                connections.forEach(Connection::close);
            }
        }
    }

    /**
     * Creates the file of a node of this process, which the ranks {@code origins} map, and which uses
     * {@code transports}.
     */
    NodeMemory create(NodeLayout layout, NodeHeader.Identity identity, int[] origins, List<String> transports) {
        synchronized (OPEN) {
            final NodeFile file = NodeFile.create(path(identity.rank()), layout, identity, origins);
            own.put(identity.rank(), new OwnFile(file, layout, transports));
            return file.mapAsOwner();
        }
    }

    /**
     * Returns the dimensions of a peer of this process that a rank of this process reaches by {@link #links}, or null
     * for any other one.
     *
     * @throws SegnoException if the peer is in this process and uses another transport
     */
    @Nullable
    NodeDimensions linked(int rank, int peer) {
        synchronized (OPEN) {
            final OwnFile self = own.get(rank);
            final OwnFile local = own.get(peer);
            if (self == null || local == null) {
                return null;
            }
            final String name = inProcess(self.transports);
            final String other = inProcess(local.transports);
            if (!name.isEmpty() && !other.isEmpty() && !other.equals(name)) {
                throw new SegnoException("rank " + rank + " uses the transport \"" + name + "\" for rank " + peer
                        + ", which uses \"" + other + "\": set the same NodeConfig.withTransport for all ranks");
            }
            return name.equals(ProcessLinks.NAME) ? local.layout.dimensions() : null;
        }
    }

    /** Returns the first transport that joins ranks of one process, or an empty string. */
    private static String inProcess(List<String> transports) {
        return transports.stream()
                .filter(name -> name.equals(MAPPED) || name.equals(ProcessLinks.NAME))
                .findFirst()
                .orElse("");
    }

    /** Returns the links between ranks of this process. */
    ProcessLinks links() {
        return links;
    }

    /**
     * Connects a rank of this process to a peer, by the first of the named transports that reaches it, but not by
     * {@link #links}.
     *
     * @throws SegnoException if none reaches it
     */
    Connection connect(int rank, NodeHeader.Identity peer, int size, List<String> transports) {
        synchronized (OPEN) {
            final OwnFile local = own.get(peer.rank());
            for (final String name : transports) {
                if (local != null && name.equals(MAPPED)) {
                    return mappedPeers.computeIfAbsent(
                            peer.rank(), unknown -> new LocalPeer(peer.rank(), local.file.mapAsPeer()));
                }
                if (local == null && !name.equals(ProcessLinks.NAME)) {
                    return between(name, peer, size);
                }
            }
            throw new SegnoException("rank " + rank + " does not reach rank " + peer.rank() + ", which is in "
                    + (local == null ? "another process" : "this process") + ", by the transports " + transports
                    + ": add \"" + MAPPED + "\" to " + NodeSetting.TRANSPORT.variable()
                    + " or NodeConfig.withTransport");
        }
    }

    private Connection between(String name, NodeHeader.Identity peer, int size) {
        final MappedPeer known = mappedPeers.get(peer.rank());
        if (known != null && name.equals(MAPPED)) {
            return known;
        }
        final Connection made = provider(name).connect(path(peer.rank()), peer, size);
        if (made instanceof MappedPeer mapped) {
            mappedPeers.put(peer.rank(), mapped);
        } else {
            connections.add(made);
        }
        return made;
    }

    /**
     * Returns true once the process of a rank has ended, and always false for a rank of this process. Does not wait.
     */
    boolean isProcessGone(int rank) {
        final MappedPeer peer = mappedPeers.get(rank);
        return peer != null && peer.isPeerGone();
    }

    private static TransportProvider provider(String name) {
        final List<String> found = new ArrayList<>();
        for (final TransportProvider provider : ServiceLoader.load(TransportProvider.class)) {
            if (provider.name().equals(name)) {
                return provider;
            }
            found.add(provider.name());
        }
        throw new SegnoException("some ranks are in other processes, and no transport \"" + name
                + "\" is on the class path, which has " + found
                + (name.equals(MAPPED)
                        ? ": add org.segno:segno-shm-transport"
                        : ": correct " + NodeSetting.TRANSPORT.variable() + " or NodeConfig.withTransport"));
    }

    private Path path(int rank) {
        return directory.resolve("node-" + rank);
    }

    /** File of a node of this process. */
    private record OwnFile(NodeFile file, NodeLayout layout, List<String> transports) {}

    /**
     * A rank of this process whose memory is mapped a second time, as another process would.
     *
     * @param rank the peer
     * @param memory the peer's memory
     */
    private record LocalPeer(int rank, NodeMemory memory) implements MappedPeer {
        @Override
        public boolean isPeerGone() {
            return false;
        }

        @Override
        public void close() {
            // The node's own file is closed beside it.
        }
    }
}
