package org.segno.node;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.context.NodeShare;
import org.segno.engine.combine.UserOperators;
import org.segno.engine.dma.DmaEngine;
import org.segno.engine.doorbell.Doorbell;
import org.segno.engine.doorbell.Doorbells;
import org.segno.engine.doorbell.PeerDoorbells;
import org.segno.engine.fifo.LinkedLanes;
import org.segno.engine.job.Attachment;
import org.segno.engine.job.JobDirectory;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.NameLookups;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.memory.PeerTable;
import org.segno.engine.memory.RankTable;
import org.segno.engine.metrics.ErrorLog;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.reuse.WindowArena;
import org.segno.status.Deadline;

/**
 * One rank of a job: its memory, its engine and its client.
 *
 * <p>{@link #join} returns when every rank is ready. The thread that uses a node's context closes the node, or another
 * thread once that one has ended. All injected descriptors are then carried out first, and the peers are notified
 * afterwards. If the node is closed while another thread uses it, that thread's waits end at once. If the application's
 * thread runs the engine, the descriptors that it had not carried out are then lost, and peers that close windows or
 * counters wait until this process has ended.
 */
public final class Node implements AutoCloseable {
    /** State of a rank as a node sees it. */
    public enum PeerState {
        /** The rank takes part, and its process is scheduled. */
        RUNNING,

        /**
         * The rank takes part, but its process has not been scheduled for a second: it is stopped or starved. It is not
         * dead.
         */
        STALLED,

        /** The rank has left the job properly. */
        LEFT,

        /** The rank's process has ended without leaving the job. */
        DEAD,

        /** The rank takes part, but the link to it has failed. Nothing more arrives from it. */
        CUT
    }

    private static final Logger LOGGER = System.getLogger(Node.class.getName());

    private static final long CLOSE_LIMIT_NS = TimeUnit.SECONDS.toNanos(5);

    /** Limit of the wait for the locks of contexts. */
    private static final long LOCK_LIMIT_NS = TimeUnit.SECONDS.toNanos(1);

    /** After the end of the job most peers are about to end too, and no longer read. */
    private static final long ENDED_CLOSE_LIMIT_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long STALLED_NS = TimeUnit.SECONDS.toNanos(1);

    private final JobConfig job;
    private final Attachment attachment;
    private final NodeMemory memory;

    /** Headers of the ranks; null for a rank that links reach. */
    private final PeerTable peers;

    private final PeerStates states;
    private final NodeMetrics metrics;
    private final Client client;
    private final Engines engines;
    private final UserOperators operators = new UserOperators();
    private final NodeLimits limits;
    private final ErrorLog errors;
    private final PeerWatch watch;
    private final Doorbells doorbells;
    private final PeerDoorbells peerDoorbells;
    private volatile boolean started;
    private boolean closed;
    private @Nullable NodeTrace trace;

    /** Failed part and its reason. They are written in this order, once. */
    private volatile String failedPart = "";

    private volatile @Nullable Throwable failure;
    private volatile boolean failureReported;

    Node(JobConfig job, NodeConfig config, Attachment attachment, Ranks ranks, Doorbells doorbells) {
        this.job = job;
        this.attachment = attachment;
        this.memory = ranks.own();
        this.states = new PeerStates(memory);
        this.metrics = new NodeMetrics(memory);
        this.peers = ranks.peers();
        final WindowArena windows = new WindowArena(memory);
        final ErrorLog errors = new ErrorLog(memory, attachment.isSilent());
        this.errors = errors;
        this.watch = new PeerWatch(job.rank(), attachment::isProcessGone, peers.mapped(), states);
        this.doorbells = doorbells;
        this.peerDoorbells = new PeerDoorbells(peers);
        final List<GuardedEngine> made = new ArrayList<>();
        final int count = memory.layout().dimensions().engines();
        final boolean isInvoked = config.isInvoked(job.localSize());
        final boolean isShared = isInvoked && ranks.areLinked();
        for (int number = 0; number < count; number++) {
            final DmaEngine engine = engine(new DmaEngine.Share(number, count, isInvoked), ranks);
            made.add(new GuardedEngine(engine, isShared, errors::record, this::fail));
        }
        this.engines = new Engines(config, job.localSize(), made, isShared);
        this.limits = NodeLimits.of(memory.layout().dimensions(), config.messageLimits());
        this.client = ContextAccess.openOwnClient(new NodeShare(
                memory,
                peers,
                ranks.names(),
                ranks.lanes(),
                states,
                windows,
                metricsByContext(),
                errors,
                engines.invoked(),
                config.idle(job.localSize()),
                usable(doorbells, isInvoked && ranks.areLinked()),
                config.threadLevel(),
                attachment::isProcessGone,
                config.messageLimits(),
                operators,
                config.collectives(),
                attachment.inquiries()));
    }

    /**
     * The ranks of the job as one node reaches them.
     *
     * @param own the node's memory
     * @param peers the ranks, the node included
     * @param links links of the engine of a number; null if links reach no rank
     * @param names lookups of names of linked ranks
     * @param lanes lanes from linked ranks
     */
    record Ranks(
            NodeMemory own,
            PeerTable peers,
            @Nullable IntFunction<DmaEngine.LinkSource> links,
            NameLookups names,
            LinkedLanes lanes) {
        /**
         * Creates the ranks as a node with this memory reaches them.
         *
         * @param laneBytes bytes that the lanes from linked ranks may take
         */
        static Ranks of(
                NodeMemory own, PeerTable peers, @Nullable IntFunction<DmaEngine.LinkSource> links, long laneBytes) {
            final int contexts = own.layout().dimensions().contexts();
            return links == null
                    ? new Ranks(own, peers, null, NameLookups.NONE, LinkedLanes.NONE)
                    : new Ranks(
                            own,
                            peers,
                            links,
                            new NameLookups(contexts),
                            new LinkedLanes(contexts, laneBytes / own.engines(), MappedMemory::ofProcess));
        }

        boolean areLinked() {
            return links != null;
        }

        DmaEngine.LinkSource links(int engine) {
            return links == null ? DmaEngine.LinkSource.NONE : links.apply(engine);
        }
    }

    private DmaEngine engine(DmaEngine.Share share, Ranks ranks) {
        final NodeMetrics counts = new NodeMetrics(memory, share.engine());
        final RankTable<Landing> landings = new RankTable<>(peers.size());
        for (final Peer peer : peers.mapped()) {
            landings.set(peer.rank(), new Landing(peer.requireMemory(), job.rank(), share.engine(), states, counts));
        }
        final DmaEngine.Reach reach =
                new DmaEngine.Reach(landings, ranks.links(share.engine()), ranks.names(), ranks.lanes());
        final DmaEngine engine = new DmaEngine(share, memory, reach, counts, errors, peerDoorbells);
        engine.operators(operators);
        return engine;
    }

    /**
     * Returns the doorbells of the contexts, or none if some peer cannot ring them, or {@code areDeaf}: packets arrive
     * where only the waiting threads receive.
     */
    private List<Doorbell> usable(Doorbells made, boolean areDeaf) {
        if (areDeaf) {
            return List.of();
        }
        final int unreachable = made.byContext().isEmpty() ? -1 : peerDoorbells.unreachable();
        if (unreachable < 0) {
            return made.byContext();
        }
        LOGGER.log(
                Level.INFO,
                "rank {0} does not see the process of rank {1}, which can therefore not wake it: its waits park for up"
                        + " to 60 ms; run all ranks of the host in one PID namespace, under one user",
                rank(),
                unreachable);
        return List.of();
    }

    private List<NodeMetrics> metricsByContext() {
        final List<NodeMetrics> counts = new ArrayList<>();
        for (int context = 0; context < memory.layout().dimensions().contexts(); context++) {
            counts.add(new NodeMetrics(memory, context));
        }
        return counts;
    }

    /**
     * Joins the job as one rank. Returns when all ranks are ready.
     *
     * @throws org.segno.status.DeadlineException after the job's join timeout; the message names the missing ranks
     * @throws org.segno.status.PeerFailedException if a rank dies meanwhile
     * @throws org.segno.status.SegnoException if the file system has no room, a peer differs, or the rank is taken
     */
    public static Node join(JobConfig job, NodeConfig config) {
        Objects.requireNonNull(job, "job");
        return joinAll(List.of(job), config).get(0);
    }

    /**
     * Joins as several ranks of one job that are in this process, on one thread. Returns when all ranks are ready, with
     * the nodes in the same order.
     *
     * @throws org.segno.status.SegnoException under the conditions of {@link #join}; then none of these ranks has
     *     joined
     * @throws IllegalArgumentException if they are not different ranks of one job; the message names two
     */
    public static List<Node> joinAll(List<JobConfig> jobs, NodeConfig config) {
        Objects.requireNonNull(config, "config");
        requireRanksOfOneJob(jobs);
        final List<NodeJoin> joinings = new ArrayList<>();
        try {
            for (final JobConfig job : jobs) {
                joinings.add(new NodeJoin(job, config));
            }
            joinings.forEach(NodeJoin::makeFile);
            joinings.forEach(NodeJoin::mapPeers);
            final List<Node> nodes = new ArrayList<>();
            for (final NodeJoin joining : joinings) {
                nodes.add(joining.finish());
            }
            return nodes;
        } catch (final RuntimeException e) {
            final RuntimeException reason =
                    joinings.isEmpty() ? e : joinings.get(0).reason(e);
            giveUp(joinings, reason);
            throw reason;
        } catch (final Error e) {
            giveUp(joinings, e);
            throw e;
        }
    }

    /** Gives up all joins, even if one of them cannot be cleaned up. */
    private static void giveUp(List<NodeJoin> joinings, Throwable reason) {
        for (final NodeJoin joining : joinings) {
            try {
                joining.giveUp();
            } catch (final RuntimeException | Error e) {
                reason.addSuppressed(e);
            }
        }
    }

    /**
     * Checks that the ranks belong to one job. Ranks of different jobs that wait for each other on one thread would
     * wait until their timeout.
     */
    private static void requireRanksOfOneJob(List<JobConfig> jobs) {
        final Map<Integer, JobConfig> ranks = new HashMap<>();
        for (final JobConfig job : jobs) {
            final JobConfig first = jobs.get(0);
            if (job.size() != first.size()
                    || !JobDirectory.pathOf(job.settings()).equals(JobDirectory.pathOf(first.settings()))) {
                throw new IllegalArgumentException(
                        "ranks that join together must have the same job, size and directory: " + first + "; " + job);
            }
            if (ranks.put(job.rank(), job) != null) {
                throw new IllegalArgumentException("each rank must join only once; this one was given twice: " + job);
            }
        }
    }

    /** Records the traffic of the node, which ends the trace when it is closed. Called before {@link #start}. */
    void trace(NodeTrace begun) {
        trace = begun;
        engines.trace(begun);
    }

    /** Starts the engine. */
    void start() {
        new NodeHeader(memory.owner()).stateRelease(NodeHeader.RUNNING);
        engines.start(EngineBinding.of(job));
        if (engines.areShared()) {
            attachment.regularly(engines::attend);
        }
        started = true;
    }

    /** Returns this rank, from 0. */
    public int rank() {
        return job.rank();
    }

    /** Returns the number of ranks of the job. */
    public int size() {
        return job.size();
    }

    /** Returns this rank among those of its host, from 0, as the launcher or {@code JobConfig.withLocal} gave it. */
    public int localRank() {
        return job.localRank();
    }

    /** Returns the number of ranks on this host, as the launcher or {@code JobConfig.withLocal} gave it. */
    public int localSize() {
        return job.localSize();
    }

    /**
     * Returns the ranks whose memory this process can access directly, in ascending order: all ranks of this host,
     * including this one. If {@link NodeConfig#withTransport} allows only links, it returns this rank alone. A put or a
     * get of a mapped rank is a copy in memory; other ranks, among them all of other hosts, are reached over links.
     * {@link #localSize} is the number of ranks on this host. Every call returns a new array.
     */
    public int[] mappedRanks() {
        return peers.mapped().stream().mapToInt(Peer::rank).toArray();
    }

    /** Returns the threading of the engines: what {@code NodeConfig.withThreading} chose, or the default here. */
    public NodeConfig.Threading threading() {
        return engines.threading();
    }

    /** Returns the number of DMA engines of this node; under {@code INVOKER} one for each context. */
    public int engines() {
        return memory.layout().dimensions().engines();
    }

    /** Returns the limits of the resources and of the lengths of messages. */
    public NodeLimits limits() {
        return limits;
    }

    /**
     * Returns the node's own client, with which the application works. It has everything that no other client was
     * given.
     */
    public Client client() {
        return client;
    }

    /**
     * Opens a further client, for a library that works beside others in this process. It gets an exclusive share of the
     * rest of the node's own client, its own handlers, patterns and names, and its own threads may use it. Its peers
     * open a client of the same name, in any order. It exists until it or the node is closed. Any thread may call this
     * method.
     *
     * @throws IllegalStateException if the rest is smaller than the requested share; the message has the rest and the
     *     other holders
     * @throws IllegalArgumentException if the name is too long, contains a slash or was opened before, or the tasks are
     *     not different ranks of the job with this one among them
     */
    public Client openClient(ClientConfig config) {
        return ContextAccess.openClient(
                client,
                new ContextAccess.ClientRequest(
                        config.name(),
                        config.contexts(),
                        config.injectionCounters(),
                        config.receptionCounters(),
                        config.windowBytes(),
                        config.tasks().stream().mapToInt(Integer::intValue).toArray()));
    }

    /**
     * Returns the node's memory, for programs that drive descriptors and FIFOs by hand with the types of
     * {@link org.segno.engine.fifo} and {@link org.segno.engine.descriptor}. The application owns the injection FIFOs
     * that no context opens: of each context those after the last one that {@link Client} and
     * {@link org.segno.context.Context} open, and before the last FIFO of all, which sends of handlers use. Every other
     * word is read only: a store to it breaks the waits, the FIFOs and the counters of this rank.
     *
     * <p>Arguments are not checked. The engine validates each descriptor and refuses an invalid one.
     */
    public NodeMemory memory() {
        return memory;
    }

    /** Returns the node's metrics. */
    public Metrics metrics() {
        return new Metrics(metrics);
    }

    /**
     * Returns the current state of a rank.
     *
     * @throws IllegalArgumentException if the job has no such rank
     */
    public PeerState peerState(int rank) {
        if (rank < 0 || rank >= size()) {
            throw new IllegalArgumentException("rank must be 0 to " + (size() - 1) + ": rank=" + rank);
        }
        return switch (states.stateAcquire(rank)) {
            case PeerStates.LEFT -> PeerState.LEFT;
            case PeerStates.DEAD -> PeerState.DEAD;
            case PeerStates.CUT -> PeerState.CUT;
            default -> isStalled(rank) ? PeerState.STALLED : PeerState.RUNNING;
        };
    }

    private boolean isStalled(int rank) {
        // The heartbeat of a rank that links reach is not visible here.
        final NodeMemory mapped = peers.get(rank).memory();
        return mapped != null && Deadline.nowNs() - new NodeHeader(mapped.owner()).heartbeatAcquire() > STALLED_NS;
    }

    /**
     * Fails the node because one of its parts cannot continue. Its waits end with the reason, and its peers are
     * notified that the rank has died. Any thread may call this method; only the first failure counts.
     */
    void fail(String part, Throwable cause) {
        synchronized (errors) {
            if (failure != null) {
                return;
            }
            failedPart = part;
            failure = cause;
        }
        retryFailureReport();
    }

    /** Updates the node on a heartbeat. Called by the membership thread four times a second. */
    void heartbeat(long nowNs) {
        retryFailureReport();
        if (started) {
            final long changes = states.changesAcquire();
            watch.look(nowNs);
            if (states.changesAcquire() != changes) {
                doorbells.ring();
            }
        }
    }

    /** Reports a failure that could not be reported before: an error may be a lack of memory. Called by any thread. */
    private void retryFailureReport() {
        final Throwable cause = failure;
        if (cause == null || failureReported) {
            return;
        }
        try {
            try {
                // First, because the hub ends with its last rank: then the node's waits would end without the reason.
                ContextAccess.close(client, "rank " + rank() + " has failed: " + failedPart + " ended with " + cause);
            } finally {
                attachment.fail();
            }
            failureReported = true;
            errors.record(cause);
        } catch (Throwable later) {
            LOGGER.log(Level.DEBUG, "a failure is reported by a later heartbeat", later);
        }
    }

    /**
     * Abandons the open loans of this thread, and those of threads that have ended, and logs them. Carries out the
     * injected descriptors, for five seconds at most, and logs the remaining ones with their targets. Then ends the
     * node's waits, notifies the peers and stops the engine. May be called twice.
     *
     * <p>Where the application's threads run the engine, the closing thread carries them out. While another living
     * thread was the last to use a context it does not, because that thread may be in a pass: they are logged as lost.
     * Under {@code ThreadLevel.MULTIPLE} it holds the contexts' locks meanwhile, unless another thread does not release
     * one within a second.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        final String reason = "rank " + rank() + " was closed";
        ContextAccess.endProgress(client);
        final List<Context> held = ContextAccess.hold(client, Deadline.in(LOCK_LIMIT_NS, TimeUnit.NANOSECONDS));
        try {
            close(reason);
        } finally {
            ContextAccess.release(held);
        }
    }

    private void close(String reason) {
        final boolean free = ContextAccess.isFreeFor(client, Thread.currentThread());
        if (!free) {
            ContextAccess.close(client, reason);
        }
        // An error of an engine must not keep the rank in the job.
        try {
            ContextAccess.abandonRecordings(client);
            // First, because a record that is lent holds the descriptors behind it.
            abandonLoans();
            if (free) {
                reportUnfinished();
            }
            if (free || !engines.areInvoked()) {
                drain();
            } else if (!ContextAccess.isDrained(client)) {
                // That thread may be in a pass, and two must not run one engine.
                warn("rank " + rank() + " closes on " + Thread.currentThread().getName() + ", but "
                        + ContextAccess.otherUsers(client) + " and still lives: close on that thread, or after its end;"
                        + " the remaining descriptors are lost" + ContextAccess.pending(client));
            }
        } finally {
            try {
                ContextAccess.close(client, reason);
                engines.close();
                if (free || !engines.areInvoked()) {
                    // Otherwise the other thread may be in a pass, and peers wait until this process has ended.
                    engines.ended();
                }
            } finally {
                leave();
            }
        }
    }

    private void reportUnfinished() {
        final String unfinished = ContextAccess.unfinished(client);
        if (!unfinished.isEmpty() && failure == null && !states.isHubLost()) {
            warn("rank " + rank() + " closes with " + unfinished + "; their senders are notified that it has left");
        }
    }

    private void abandonLoans() {
        final String abandoned = ContextAccess.abandonLoans(client);
        if (!abandoned.isEmpty()) {
            warn("rank " + rank() + " closes with open loans, which are abandoned: publish or abandon them before"
                    + abandoned);
        }
    }

    private void warn(String text) {
        if (!attachment.isSilent()) {
            LOGGER.log(Level.WARNING, text);
        }
    }

    private void leave() {
        if (failure == null) {
            new NodeHeader(memory.owner()).stateRelease(NodeHeader.CLOSED);
        }
        try {
            attachment.leave();
        } finally {
            if (trace != null) {
                trace.end();
            }
            doorbells.close();
            peerDoorbells.close();
            attachment.release();
        }
    }

    private void drain() {
        final long limitNs = states.isHubLost() ? ENDED_CLOSE_LIMIT_NS : CLOSE_LIMIT_NS;
        final long deadlineNs = Deadline.in(limitNs, TimeUnit.NANOSECONDS);
        final IdleStrategy idle = engines.newIdle();
        while (failure == null && !isExhausted() && !Deadline.reached(deadlineNs)) {
            if (engines.areInvoked()) {
                ContextAccess.exclusively(client, engines::invoke);
            }
            // It waits for its peers' engines and must not park long.
            idle.reset();
            idle.idle();
        }
        // Once the job has ended there is no reader for this message. A failure has its own.
        if (failure == null && !states.isHubLost() && !ContextAccess.isDrained(client)) {
            warn("rank " + rank() + " closes"
                    + (isExhausted() ? "" : " after " + TimeUnit.NANOSECONDS.toSeconds(CLOSE_LIMIT_NS) + " s")
                    + "; its remaining descriptors are lost" + ContextAccess.pending(client));
        }
    }

    private boolean isExhausted() {
        return ContextAccess.isDrained(client)
                || (ContextAccess.isFreeFor(client, Thread.currentThread()) && ContextAccess.isExhausted(client));
    }
}
