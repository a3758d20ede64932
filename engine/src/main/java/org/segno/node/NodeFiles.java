package org.segno.node;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.JobId;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeFile;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.link.Connection;
import org.segno.link.LinkedPeer;
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

    /** Peers whose memory this process has mapped, by rank. All nodes of the process use them. */
    private final Map<Integer, MappedPeer> mappedPeers = new ConcurrentHashMap<>();

    /** Peers that links reach; shared by all nodes of this process. */
    private final Map<Way, LinkedPeer> linkedPeers = new HashMap<>();

    private final Callers callers = new Callers();
    private final ProcessLinks links = new ProcessLinks(this::dimensions);
    private int users;

    /** A transport and the peer that it reaches. */
    private record Way(String transport, int rank) {}

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
                linkedPeers.values().forEach(LinkedPeer::close);
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

    /** Returns the queues of the peers that have made links to nodes of this process. */
    Callers callers() {
        return callers;
    }

    private NodeDimensions dimensions(int rank) {
        synchronized (OPEN) {
            return own(rank).layout.dimensions();
        }
    }

    private OwnFile own(int rank) {
        final OwnFile file = own.get(rank);
        if (file == null) {
            throw new IllegalStateException("rank " + rank + " has no node file in this process");
        }
        return file;
    }

    /**
     * Connects a rank of this process to a peer, once for all nodes of the process: within this process by the first of
     * the rank's transports, which the peer must share, and otherwise by the first one that reaches other processes.
     *
     * @param identity of the peer
     * @throws SegnoException if none reaches it
     */
    Connection connect(int rank, int peer, int size, Supplier<NodeHeader.Identity> identity) {
        synchronized (OPEN) {
            final String name = transport(rank, peer);
            final OwnFile local = own.get(peer);
            return local != null && name.equals(MAPPED)
                    ? mappedPeers.computeIfAbsent(peer, unknown -> new LocalPeer(peer, local.file.mapAsPeer()))
                    : between(name, peer, size, identity);
        }
    }

    /**
     * Returns the dimensions of a peer of this process if the transport that {@link #connect} would use reaches it by
     * links, so that it can be connected later; null for any other peer.
     *
     * @throws SegnoException if no transport reaches it
     */
    @Nullable
    NodeDimensions linkedLater(int rank, int peer) {
        synchronized (OPEN) {
            final OwnFile local = own.get(peer);
            return local != null && transport(rank, peer).equals(ProcessLinks.NAME) ? local.layout.dimensions() : null;
        }
    }

    /** Returns the transport by which a rank of this process reaches a peer. */
    private String transport(int rank, int peer) {
        final List<String> transports = own(rank).transports;
        final OwnFile local = own.get(peer);
        if (local != null) {
            return within(rank, transports, peer, local.transports);
        }
        for (final String name : transports) {
            if (!name.equals(ProcessLinks.NAME)) {
                return name;
            }
        }
        throw new SegnoException("rank " + rank + " does not reach rank " + peer
                + ", which is in another process, by the transports " + transports + ": add \"" + MAPPED
                + "\" to " + NodeSetting.TRANSPORT.variable() + " or NodeConfig.withTransport");
    }

    /** Returns the transport between two ranks of this process. */
    private static String within(int rank, List<String> transports, int peer, List<String> others) {
        final String name = transports.get(0);
        if (!others.get(0).equals(name)) {
            throw new SegnoException("rank " + rank + " uses the transport \"" + name + "\" for rank " + peer
                    + ", which uses \"" + others.get(0) + "\": set the same NodeConfig.withTransport for all ranks");
        }
        return name;
    }

    private Connection between(String name, int peer, int size, Supplier<NodeHeader.Identity> identity) {
        final MappedPeer mapped = name.equals(MAPPED) ? mappedPeers.get(peer) : null;
        final Connection known = mapped == null ? linkedPeers.get(new Way(name, peer)) : mapped;
        if (known != null) {
            return known;
        }
        final Connection made = provider(name).connect(path(peer), identity.get(), size, callers);
        if (made instanceof LinkedPeer more) {
            linkedPeers.put(new Way(name, peer), more);
            return more;
        }
        if (!name.equals(MAPPED)) {
            made.close();
            throw new SegnoException("the transport \"" + name + "\" has mapped the memory of rank " + peer
                    + ", which only \"" + MAPPED + "\" may do: its provider must return a LinkedPeer");
        }
        mappedPeers.put(peer, (MappedPeer) made);
        return made;
    }

    /**
     * Returns true once the process of a rank has ended, and always false for a rank of this process. Does not wait.
     */
    boolean isProcessGone(int rank) {
        final MappedPeer peer = mappedPeers.get(rank);
        return peer != null && peer.isPeerGone();
    }

    private TransportProvider provider(String name) {
        if (name.equals(ProcessLinks.NAME)) {
            return links;
        }
        final List<String> found = new ArrayList<>();
        for (final TransportProvider provider : ServiceLoader.load(TransportProvider.class)) {
            if (provider.name().equals(name)) {
                return provider;
            }
            found.add(provider.name());
        }
        throw new SegnoException("no transport \"" + name
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
