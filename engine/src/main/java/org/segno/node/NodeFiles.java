package org.segno.node;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import org.segno.engine.job.JobId;
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

    /** Transport that each rank of this process uses for each other one, to find two that differ. */
    private final Map<String, String> chosen = new HashMap<>();

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

    /** Creates the file of a node of this process, which the ranks {@code origins} map. */
    NodeMemory create(NodeLayout layout, NodeHeader.Identity identity, int[] origins) {
        synchronized (OPEN) {
            final NodeFile file = NodeFile.create(path(identity.rank()), layout, identity, origins);
            own.put(identity.rank(), new OwnFile(file, layout));
            return file.mapAsOwner();
        }
    }

    /**
     * Connects a rank of this process to a peer, by the first of the named transports that reaches it.
     *
     * @throws SegnoException if none reaches it, or the peer is in this process too and uses another one
     */
    Connection connect(int rank, NodeHeader.Identity peer, int size, List<String> transports) {
        synchronized (OPEN) {
            final OwnFile local = own.get(peer.rank());
            for (final String name : transports) {
                if (local != null && isInProcess(name)) {
                    requireSame(rank, peer.rank(), name);
                    return inProcess(name, rank, peer.rank(), local);
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

    private static boolean isInProcess(String name) {
        return name.equals(MAPPED) || name.equals(ProcessLinks.NAME);
    }

    private Connection inProcess(String name, int rank, int peer, OwnFile local) {
        if (name.equals(ProcessLinks.NAME)) {
            return links.connect(rank, peer, local.layout.dimensions());
        }
        return mappedPeers.computeIfAbsent(peer, unknown -> new LocalPeer(peer, local.file.mapAsPeer()));
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

    /** Checks that two ranks of this process use the same transport for each other. */
    private void requireSame(int rank, int peer, String name) {
        final String other = chosen.get(peer + "-" + rank);
        if (other != null && !other.equals(name)) {
            throw new SegnoException("rank " + rank + " uses the transport \"" + name + "\" for rank " + peer
                    + ", which uses \"" + other + "\": set the same NodeConfig.withTransport for all ranks");
        }
        chosen.put(rank + "-" + peer, name);
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
    private record OwnFile(NodeFile file, NodeLayout layout) {}

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
