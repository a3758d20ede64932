package org.segno.node;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.JobDirectory;
import org.segno.engine.job.JobId;
import org.segno.engine.job.Membership;
import org.segno.engine.job.Statement;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeFile;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.link.Connection;
import org.segno.link.IncomingLinks;
import org.segno.link.LinkedPeer;
import org.segno.link.MappedPeer;
import org.segno.link.Transport;
import org.segno.link.TransportJob;
import org.segno.link.TransportProvider;
import org.segno.status.SegnoException;

/**
 * The node files that this process has open, and the connections of its nodes, by job. Each file is opened once and
 * shared by all nodes of the process, because closing any descriptor of a file frees every lock that the process has on
 * it. Usable from any thread.
 */
final class NodeFiles implements TransportJob {
    /** Name of the transport over mapped memory. It joins ranks of one process without a provider. */
    static final String MAPPED = "shm";

    /** Name of the transport between hosts. */
    static final String NETWORK = "aeron";

    private static final Map<Place, NodeFiles> OPEN = new HashMap<>();

    private final Membership membership;
    private final JobId job;
    private final Map<String, Transport> transports = new HashMap<>();
    private final Map<Integer, OwnFile> own = new HashMap<>();

    /** Peers whose memory this process has mapped, by rank. All nodes of the process use them. */
    private final Map<Integer, MappedPeer> mappedPeers = new ConcurrentHashMap<>();

    /** Peers that links reach; shared by all nodes of this process. */
    private final Map<Way, LinkedPeer> linkedPeers = new HashMap<>();

    /** Names of the transports that have an address. Their peers are connected when a node first uses them. */
    private final Set<String> addressed = new HashSet<>();

    private final Callers callers = new Callers();
    private final ProcessLinks links = new ProcessLinks(this::ownDimensions, callers);
    private volatile byte[] secret = {};

    /** The dimensions that were read last, and the statements that gave them. Most ranks have made the same ones. */
    private volatile Shape stated = new Shape(List.of(), null);

    private int users;

    /** A run of a job and the directory of the host. Two hosts may be in one process, in tests. */
    private record Place(Path directory, JobId job) {}

    /** A transport and the peer that it reaches. */
    private record Way(String transport, int rank) {}

    /** Statements and the dimensions that they state. */
    private record Shape(
            List<Statement> statements, @Nullable NodeDimensions dimensions) {}

    private NodeFiles(Membership membership) {
        this.membership = membership;
        this.job = membership.jobId();
    }

    /** Returns the files of a job that this process has entered. They are released as often as they are taken. */
    static NodeFiles take(Membership membership) {
        synchronized (OPEN) {
            final NodeFiles files = OPEN.computeIfAbsent(placeOf(membership), unknown -> new NodeFiles(membership));
            files.users++;
            return files;
        }
    }

    private static Place placeOf(Membership membership) {
        return new Place(membership.directory(), membership.jobId());
    }

    void release() {
        synchronized (OPEN) {
            users--;
            if (users == 0) {
                OPEN.remove(placeOf(membership), this);
                // Each of them, although one may throw.
                final List<AutoCloseable> all = new ArrayList<>();
                own.values().forEach(one -> all.add(one.file));
                all.addAll(mappedPeers.values());
                all.addAll(linkedPeers.values());
                all.add(() -> membership.endWatch(this));
                all.addAll(transports.values());
                CloseHelper.closeAll(all);
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

    private NodeDimensions ownDimensions(int rank) {
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
    Connection connect(int rank, int peer, Supplier<NodeHeader.Identity> identity) {
        synchronized (OPEN) {
            final String name = transport(rank, peer);
            final OwnFile local = own.get(peer);
            return local != null && name.equals(MAPPED)
                    ? mappedPeers.computeIfAbsent(peer, unknown -> new LocalPeer(peer, local.file.mapAsPeer()))
                    : between(name, peer, identity);
        }
    }

    /**
     * Returns the dimensions of a peer that the transport of {@link #connect} reaches by links without its node file,
     * so that it can be connected later; null for any other peer.
     *
     * @throws SegnoException if no transport reaches it, or it has another build
     */
    @Nullable
    NodeDimensions linkedLater(int rank, int peer) {
        synchronized (OPEN) {
            final String name = transport(rank, peer);
            if (addressed.contains(name)) {
                joined(name).requireReach(peer);
                return dimensions(peer);
            }
            return name.equals(ProcessLinks.NAME) ? own(peer).layout.dimensions() : null;
        }
    }

    /** Returns the transport by which a rank of this process reaches a peer. */
    private String transport(int rank, int peer) {
        final List<String> transports = own(rank).transports;
        final OwnFile local = own.get(peer);
        if (local != null) {
            return within(rank, transports, peer, local.transports);
        }
        final boolean isHere = membership.host(rank) == membership.host(peer);
        for (final String name : transports) {
            if (!name.equals(ProcessLinks.NAME) && (isHere || !name.equals(MAPPED))) {
                return name;
            }
        }
        throw new SegnoException("rank " + rank + " does not reach rank " + peer
                + ", which is "
                + (isHere ? "in another process" : "on another host") + ", by the transports " + transports + ": add \""
                + (isHere ? MAPPED : NETWORK) + "\" to " + NodeSetting.TRANSPORT.variable()
                + " or NodeConfig.withTransport");
    }

    /**
     * Begins the transport that reaches the linked peers of a rank, and returns the words by which they reach this
     * process.
     */
    long[] addressOf(List<String> named, boolean isOneHost) {
        for (final String name : named) {
            if (!name.equals(ProcessLinks.NAME) && (isOneHost || !name.equals(MAPPED))) {
                synchronized (OPEN) {
                    final long[] address = joined(name).address();
                    if (address.length > 0) {
                        addressed.add(name);
                    }
                    return address;
                }
            }
        }
        return new long[0];
    }

    private Transport joined(String name) {
        return name.equals(ProcessLinks.NAME)
                ? links
                : transports.computeIfAbsent(name, unknown -> provider(unknown).join(this));
    }

    /** Passes a letter to the transports. They know their own. */
    void received(int node, int peer, int word, long second, long third) {
        synchronized (OPEN) {
            transports.values().forEach(transport -> transport.received(node, peer, word, second, third));
        }
    }

    @Override
    public Path directory() {
        return membership.directory();
    }

    @Override
    public Path nodeFile(int rank) {
        return path(rank);
    }

    @Override
    public int size() {
        return membership.size();
    }

    @Override
    public int engines() {
        synchronized (OPEN) {
            return own.values().iterator().next().layout.dimensions().engines();
        }
    }

    @Override
    public long idHigh() {
        return job.high();
    }

    @Override
    public long idLow() {
        return job.low();
    }

    @Override
    public IncomingLinks incoming() {
        return callers;
    }

    @Override
    public NodeDimensions dimensions(int rank) {
        final List<Statement> made = membership.statements(rank);
        final Shape last = stated;
        final NodeDimensions known = last.dimensions();
        if (last.statements() == made && known != null) {
            return known;
        }
        final NodeDimensions dimensions = Statements.dimensions(made, rank, membership.size());
        stated = new Shape(made, dimensions);
        return dimensions;
    }

    @Override
    public long[] address(int rank) {
        return Statements.address(membership.statements(rank));
    }

    /** Sets the secret of links, which the hub has sent. */
    void secret(byte[] received) {
        secret = received;
    }

    @Override
    public byte[] secret() {
        return secret.clone();
    }

    @Override
    public @Nullable InetAddress hostAddress() {
        synchronized (OPEN) {
            return membership.hostAddress(own.keySet().iterator().next());
        }
    }

    @Override
    public void write(int from, int to, int word, long second, long third) {
        membership.write(from, to, word, second, third);
    }

    @Override
    public void watch(LongPredicate watch) {
        membership.watch(this, watch);
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

    private Connection between(String name, int peer, Supplier<NodeHeader.Identity> identity) {
        final MappedPeer mapped = name.equals(MAPPED) ? mappedPeers.get(peer) : null;
        final Connection known = mapped == null ? linkedPeers.get(new Way(name, peer)) : mapped;
        if (known != null) {
            return known;
        }
        final Connection made = joined(name).connect(identity.get());
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
        final List<String> found = new ArrayList<>();
        for (final TransportProvider provider : ServiceLoader.load(TransportProvider.class)) {
            if (provider.name().equals(name)) {
                return provider;
            }
            found.add(provider.name());
        }
        throw new SegnoException("no transport \"" + name
                + "\" is on the class path, which has " + found
                + (name.equals(MAPPED) || name.equals(NETWORK)
                        ? ": add org.segno:segno-" + name + "-transport"
                        : ": correct " + NodeSetting.TRANSPORT.variable() + " or NodeConfig.withTransport"));
    }

    private Path path(int rank) {
        return JobDirectory.nodeFile(membership.directory(), rank);
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
