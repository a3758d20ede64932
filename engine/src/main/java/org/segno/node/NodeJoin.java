package org.segno.node;

import java.math.BigInteger;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.segno.engine.doorbell.Doorbells;
import org.segno.engine.job.Attachment;
import org.segno.engine.job.CoreMask;
import org.segno.engine.job.Inquiries;
import org.segno.engine.job.JobId;
import org.segno.engine.job.JobVariables;
import org.segno.engine.job.Membership;
import org.segno.engine.job.Platform;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.memory.PeerTable;
import org.segno.link.Connection;
import org.segno.link.MappedPeer;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.SegnoException;

/**
 * The join of one rank, in steps, so that one thread can take several ranks of its process through them side by side.
 * After the join it receives the notifications of the job for this rank. One thread calls the steps; the membership
 * thread calls the listener's methods.
 */
final class NodeJoin implements Membership.Listener {
    private static final long NEWS_LIMIT_MS = 1_000;

    private final JobConfig job;
    private final NodeConfig config;
    private NodeLayout layout;
    private final long deadlineNs;
    private final Membership membership;
    private final Inquiries inquiries;
    private volatile @Nullable NodeFiles files;
    private volatile @Nullable Node node;
    private volatile @Nullable NodeMemory memory;
    private volatile @Nullable NodeHeader header;
    private volatile Doorbells doorbells = Doorbells.none();

    NodeJoin(JobConfig job, NodeConfig config) {
        this.job = job;
        this.config = config;
        this.layout = layout(config.transport().contains(NodeFiles.MAPPED) ? job.localSize() : 1);
        this.deadlineNs = Deadline.in(job.joinTimeout().toNanos(), TimeUnit.NANOSECONDS);
        config.threading(job.localSize());
        this.inquiries = new Inquiries(this::write);
        this.membership = Membership.register(job.settings(), this);
    }

    private NodeLayout layout(int mapped) {
        return NodeLayout.of(config.dimensions(job.size(), mapped, job.localSize()));
    }

    /** Returns the ranks that may map this node's memory: those of its host. */
    private int[] origins() {
        if (!config.transport().contains(NodeFiles.MAPPED)) {
            return new int[] {job.rank()};
        }
        return IntStream.range(0, job.size())
                .filter(rank -> isMeantToBeOneHost() || isHere(rank))
                .toArray();
    }

    /** Returns whether all ranks should be on this host. Whether they are is known when all have made their files. */
    private boolean isMeantToBeOneHost() {
        return job.localSize() == job.size();
    }

    private boolean isHere(int rank) {
        return membership.host(rank) == membership.host(job.rank());
    }

    /** Finds the hub and the hosts of all ranks, creates the node file and reports it. */
    void makeFile() {
        membership.awaitWelcome(job.rank(), deadlineNs);
        if (!isMeantToBeOneHost()) {
            membership.awaitPlaces(job.rank(), deadlineNs);
        }
        final NodeFiles taken = NodeFiles.take(membership);
        files = taken;
        final int[] origins = origins();
        layout = layout(origins.length);
        final NodeMemory made = taken.create(layout, identity(job.rank()), origins, config.transport());
        made.touch();
        // Before the peers map the file: a peer then knows whether waits of this node may park at doorbells.
        doorbells = config.parks(job.localSize()) ? Doorbells.make(made) : Doorbells.none();
        // The membership thread continues the heartbeat and may start late. Until then the node does not appear
        // stalled.
        final NodeHeader beating = new NodeHeader(made.owner());
        beating.heartbeatRelease(System.nanoTime());
        header = beating;
        memory = made;
        if (origins.length < job.size()) {
            state(taken);
        }
        membership.made(job.rank());
    }

    /** States what peers need to know that links reach. */
    private void state(NodeFiles taken) {
        final boolean isOneHost =
                isMeantToBeOneHost() || IntStream.range(0, job.size()).allMatch(this::isHere);
        final boolean isNetworked = config.transport().stream()
                .anyMatch(name -> !name.equals(NodeFiles.MAPPED) && !name.equals(ProcessLinks.NAME));
        if (isNetworked) {
            taken.secret(membership.awaitLinkSecret(job.rank(), deadlineNs));
        }
        final long[] address = isNetworked ? taken.addressOf(config.transport(), isOneHost) : new long[0];
        Statements.state(membership, job.rank(), layout.dimensions(), address);
    }

    /** Connects to every peer and assembles the node, so that it can receive before any rank sends. Then reports it. */
    void mapPeers() {
        membership.awaitAllMade(job.rank(), deadlineNs);
        final NodeFiles taken = files;
        final NodeMemory own = memory;
        if (taken == null || own == null) {
            throw new IllegalStateException("rank " + job.rank() + " has no node file yet");
        }
        requirePlaces();
        final List<Peer> mapped = new ArrayList<>();
        final LinkedPeers linked = new LinkedPeers(job.size(), rank -> connect(taken, rank));
        for (int rank = 0; rank < job.size(); rank++) {
            if (rank == job.rank()) {
                mapped.add(Peer.mapped(own));
            } else {
                meet(taken, rank, mapped, linked);
            }
        }
        final PeerTable peers = new PeerTable(
                job.size(), mapped, rank -> Peer.linked(rank, linked.get(rank).dimensions()));
        final Node.Ranks ranks = Node.Ranks.of(
                own,
                peers,
                mapped.size() == job.size()
                        ? null
                        : engine -> new EngineLinks(
                                job.rank(),
                                engine,
                                peers,
                                linked,
                                taken.callers().of(job.rank(), engine)),
                config.laneBudgetBytes());
        final NodeConfig settled = settled();
        final Attachment attachment = new JoinedNode(job, membership, taken, inquiries);
        final Node assembled = new Node(job, settled, attachment, ranks, doorbells);
        node = assembled;
        final NodeTrace trace = NodeTrace.begin(job.jobName(), own);
        if (trace != null) {
            assembled.trace(trace);
        }
        membership.mapped(job.rank());
    }

    /** Returns the configuration for the cores of all ranks, and withdraws the doorbells if waits never park then. */
    private NodeConfig settled() {
        final NodeConfig settled = haveOwnCores() ? config.onOwnCores() : config;
        if (!settled.parks(job.localSize())) {
            doorbells.withdraw();
            doorbells = Doorbells.none();
        }
        return settled;
    }

    /**
     * Returns true if there are fewer cores than threads for this process alone, but the ranks of this host have enough
     * together: a launcher has bound each to its own.
     */
    private boolean haveOwnCores() {
        final BigInteger online = Platform.onlineCores();
        final BigInteger own = membership.cores(job.rank()).and(online);
        // A rank that may run on all cores shares them: the threads of all outnumber them. A number of cores that is
        // not that of the mask comes from a limit of another kind, such as a quota.
        return config.isOversubscribed(job.localSize())
                && !own.equals(online)
                && own.bitCount() == Platform.cores()
                && CoreMask.haveOwnCores(
                        own,
                        IntStream.range(0, job.size())
                                .filter(this::isHere)
                                .mapToObj(rank -> membership.cores(rank).and(online))
                                .toList(),
                        config.spinningThreads(job.localSize()));
    }

    /** Checks the ranks that were taken for those of this host. */
    private void requirePlaces() {
        for (int rank = 0; rank < job.size() && isMeantToBeOneHost(); rank++) {
            if (!isHere(rank)) {
                throw new SegnoException("rank " + rank + " is on another host than rank " + job.rank()
                        + ", which has " + JobVariables.LOCAL_SIZE + "=" + job.localSize()
                        + ", all ranks of the job: give each rank its " + JobVariables.LOCAL_RANK + " and "
                        + JobVariables.LOCAL_SIZE);
            }
        }
    }

    /** Maps the memory of a rank, or finds out how links reach it. */
    private void meet(NodeFiles taken, int rank, List<Peer> mapped, LinkedPeers linked) {
        final NodeDimensions later = taken.linkedLater(job.rank(), rank);
        if (later != null) {
            requireAsManyEngines(rank, later);
        } else if (connect(taken, rank) instanceof MappedPeer other) {
            map(rank, other.memory(), mapped);
        } else {
            requireAsManyEngines(rank, linked.get(rank).dimensions());
        }
    }

    private Connection connect(NodeFiles taken, int rank) {
        return taken.connect(job.rank(), rank, () -> identity(rank));
    }

    private void map(int rank, NodeMemory memory, List<Peer> mapped) {
        if (memory.lane(job.rank(), 0) < 0) {
            throw new SegnoException("rank " + job.rank() + " uses the transport \"" + NodeFiles.MAPPED
                    + "\" for rank " + rank + ", which has no lane in its memory for it:"
                    + " set the same NodeConfig.withTransport for all ranks");
        }
        memory.touch();
        requireAsManyEngines(rank, memory.layout().dimensions());
        mapped.add(Peer.mapped(memory));
    }

    /**
     * Checks the number of engines: each engine has its own lanes at every rank, so every rank has room for the same
     * number.
     */
    private void requireAsManyEngines(int rank, NodeDimensions peer) {
        final int engines = layout.dimensions().engines();
        final int found = peer.engines();
        if (found != engines) {
            throw new SegnoException("rank " + rank + " has " + found + " engines, rank " + job.rank() + " has "
                    + engines + "; configure the same number for all ranks (NodeConfig.withEngines, or"
                    + " withContexts under INVOKER)");
        }
    }

    /** Waits until every rank has mapped all others, then starts the node. */
    Node finish() {
        membership.awaitGo(job.rank(), deadlineNs);
        final Node assembled = node;
        if (assembled == null) {
            throw new IllegalStateException("rank " + job.rank() + " has not mapped its peers yet");
        }
        assembled.start();
        return assembled;
    }

    /**
     * Returns the reason for the failure of a step of this rank. When a join fails, the job directory is deleted,
     * possibly before the notification of the reason arrives. In that case the notification is the reason, and not the
     * file that could not be created or opened.
     */
    RuntimeException reason(RuntimeException trouble) {
        // The subclasses come from waits and already name the reason.
        if (trouble.getClass() != SegnoException.class || Files.exists(membership.directory())) {
            return trouble;
        }
        try {
            membership.awaitGo(job.rank(), Deadline.in(NEWS_LIMIT_MS, TimeUnit.MILLISECONDS));
        } catch (final DeadlineException ignored) {
            return trouble;
        } catch (final SegnoException reason) {
            if (Objects.equals(reason.getMessage(), trouble.getMessage())) {
                // The failed wait has named the reason, and both exceptions may have one cause.
                return trouble;
            }
            reason.addSuppressed(trouble);
            return reason;
        }
        return trouble;
    }

    /** Cleans up after a failed step of this rank or of another rank of this process. */
    void giveUp() {
        final Node assembled = node;
        if (assembled != null) {
            assembled.close();
            return;
        }
        doorbells.close();
        try {
            membership.goodbye(job.rank());
        } finally {
            if (files != null) {
                files.release();
            }
        }
    }

    private NodeHeader.Identity identity(int rank) {
        final JobId id = membership.jobId();
        final long pid = rank == job.rank() ? Platform.pid() : membership.pid(rank);
        return new NodeHeader.Identity(id.high(), id.low(), rank, pid, Platform.startTime(pid));
    }

    @Override
    public void left(int rank) {
        change(rank, PeerStates.LEFT);
    }

    @Override
    public void dead(int rank) {
        change(rank, PeerStates.DEAD);
    }

    private void change(int rank, int state) {
        // Without a node file the join itself fails, and there are no other waiters.
        final NodeMemory own = memory;
        if (own != null) {
            new PeerStates(own).change(rank, state);
            doorbells.ring();
        }
    }

    @Override
    public void hubLost() {
        final NodeMemory own = memory;
        if (own != null) {
            new PeerStates(own).loseHub();
            doorbells.ring();
        }
    }

    @Override
    public void letter(int from, int word, long second, long third) {
        final NodeFiles taken = files;
        if (taken != null && !inquiries.received(from, word, second, third)) {
            taken.received(job.rank(), from, word, second, third);
        }
    }

    private void write(int to, int word, long second, long third) {
        membership.write(job.rank(), to, word, second, third);
    }

    @Override
    public void heartbeat(long nowNs) {
        final NodeHeader beating = header;
        if (beating != null) {
            beating.heartbeatRelease(nowNs);
        }
        final Node assembled = node;
        if (assembled != null) {
            assembled.heartbeat(nowNs);
        }
    }

    @Override
    public void failed(String part, Throwable cause) {
        final Node assembled = node;
        if (assembled != null) {
            assembled.fail(part, cause);
        }
    }
}
