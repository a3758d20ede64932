package org.segno.engine.dma;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.CollectiveSettings;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.context.NodeShare;
import org.segno.engine.combine.UserOperators;
import org.segno.engine.fifo.LinkedLanes;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.job.Inquiries;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NameLookups;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.memory.PeerTable;
import org.segno.engine.memory.RankTable;
import org.segno.engine.metrics.ErrorLog;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.reuse.WindowArena;
import org.segno.engine.trace.TraceRing;
import org.segno.engine.trace.TraceScope;
import org.segno.engine.work.Pass;
import org.segno.link.FlushedLink;
import org.segno.link.Link;
import org.segno.link.MemoryLink;
import org.segno.operation.MessageLimits;
import org.segno.operation.ThreadLevel;

/**
 * Nodes assembled as a job assembles them, on real mapped files and with real engines, but without a hub. Tests have
 * access to their memory, their engines and their records of their peers.
 */
public final class EngineFixture implements AutoCloseable {
    /** Length in bytes of the longest payload of a packet on the links of a fixture. */
    static final int PAYLOAD_LIMIT = 512;

    /** Minimum length in bytes of the streams of links that carry two of the longest packets in succession. */
    public static final int SMALL_LINK = 2048;

    /** Bytes that the lanes from linked ranks may take. */
    private static final long LANE_BYTES = 1 << 20;

    private static final int FRAME_LIMIT = Frame.LENGTH + Packet.LENGTH + PAYLOAD_LIMIT;

    /**
     * Logger that is silent, because tests provoke thousands of refusals. The field keeps it reachable: a logger
     * without a reference loses its settings.
     */
    private static final Logger QUIET = Logger.getLogger("org.segno");

    private static final int IDLE_PASSES = 40;

    /** Longer than an acknowledgement over a link is delayed. */
    private static final long QUIET_NS = 5 * Acknowledgement.WAIT_NS;

    private final MappedNodes files;
    private final List<PeerStates> states = new ArrayList<>();
    private final List<NodeMetrics> metrics = new ArrayList<>();
    private final List<Pass> engines = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final List<List<Link>> ends = new ArrayList<>();

    /** Exceptions that engines threw; there must be none. */
    private final List<Throwable> thrown = new ArrayList<>();

    /** Ranks of ended processes, as far as the other ranks can see. */
    private final Set<Integer> ended = new HashSet<>();

    /** Bytes that the lanes from linked ranks may take in each node. */
    private final long laneBytes;

    /** Bytes of lanes that each node has allocated. */
    private final List<AtomicLong> allocated = new ArrayList<>();

    private EngineFixture(MappedNodes files) {
        this(files, LANE_BYTES);
    }

    private EngineFixture(MappedNodes files, long laneBytes) {
        this.files = files;
        this.laneBytes = laneBytes;
    }

    /** Opens nodes of equal dimensions, one per rank of the job. */
    public static EngineFixture open(Path directory, NodeDimensions dimensions) {
        return open(directory, dimensions, UnaryOperator.identity());
    }

    /** Opens nodes as above; their accesses to their peers go through {@code lens}. */
    public static EngineFixture open(Path directory, NodeDimensions dimensions, UnaryOperator<NodeMemory> lens) {
        return open(MappedNodes.create(directory, dimensions), dimensions, lens);
    }

    /** Opens nodes on existing files, which are closed with the fixture. */
    public static EngineFixture open(MappedNodes files, NodeDimensions dimensions, UnaryOperator<NodeMemory> lens) {
        QUIET.setUseParentHandlers(false);
        final EngineFixture engines = new EngineFixture(files);
        for (int rank = 0; rank < dimensions.size(); rank++) {
            engines.assemble(rank, dimensions.size(), lens);
        }
        return engines;
    }

    /**
     * Opens nodes that have mapped no memory of each other, joined by links of memory with {@code bytes} in each
     * stream, whose longest payload has {@link #PAYLOAD_LIMIT} bytes.
     */
    public static EngineFixture linked(Path directory, NodeDimensions dimensions, int bytes) {
        return open(directory, dimensions, Reach.LINKED, bytes);
    }

    /**
     * Opens nodes that reach each other as {@code reach} states. Links of memory have {@code bytes} in each stream.
     */
    public static EngineFixture open(Path directory, NodeDimensions dimensions, Reach reach, int bytes) {
        return open(directory, dimensions, reach, bytes, LANE_BYTES);
    }

    /** Opens nodes as above; the lanes from linked ranks take at most {@code laneBytes} in each node. */
    static EngineFixture open(Path directory, NodeDimensions dimensions, Reach reach, int bytes, long laneBytes) {
        return open(directory, dimensions, reach, inMemory(bytes), laneBytes);
    }

    /** Opens nodes as above, joined by the links that {@code links} makes. */
    public static EngineFixture open(Path directory, NodeDimensions dimensions, Reach reach, Links links) {
        return open(directory, dimensions, reach, links, LANE_BYTES);
    }

    /** Links between the nodes of a fixture. */
    @FunctionalInterface
    public interface Links {
        /** Returns both ends of a new link between two ranks. Their node files exist. */
        Link[] join(int low, int high);

        /** Returns both ends of a new link between the engines of this number. */
        default Link[] join(int low, int high, int engine) {
            return join(low, high);
        }
    }

    /** Returns links of memory with {@code bytes} in each stream. They deliver what is flushed. */
    public static Links inMemory(int bytes) {
        return (low, high) -> FlushedLink.over(MemoryLink.join(low, high, bytes, FRAME_LIMIT));
    }

    /** Returns the same, with replies that arrive later than what was sent after them in other streams. */
    public static Links withLateReplies(int bytes) {
        return (low, high) -> FlushedLink.withLateReplies(MemoryLink.join(low, high, bytes, FRAME_LIMIT));
    }

    private static EngineFixture open(
            Path directory, NodeDimensions dimensions, Reach reach, Links links, long laneBytes) {
        QUIET.setUseParentHandlers(false);
        final EngineFixture engines = new EngineFixture(MappedNodes.create(directory, dimensions), laneBytes);
        final int perNode = dimensions.engines();
        final List<List<List<Link>>> ends = new ArrayList<>();
        for (int rank = 0; rank < dimensions.size(); rank++) {
            ends.add(Stream.generate(ArrayList<Link>::new).limit(perNode).collect(Collectors.toList()));
            for (int peer = 0; peer < rank; peer++) {
                for (int engine = 0; engine < perNode && !reach.isMapped(rank, peer); engine++) {
                    final Link[] link = links.join(peer, rank, engine);
                    ends.get(peer).get(engine).add(link[0]);
                    ends.get(rank).get(engine).add(link[1]);
                }
            }
        }
        for (int rank = 0; rank < dimensions.size(); rank++) {
            engines.assemble(rank, reach, ends.get(rank));
        }
        return engines;
    }

    /** Assembles a node; the links are those of each of its engines. */
    private void assemble(int rank, Reach reach, List<List<Link>> links) {
        final NodeMemory own = files.own(rank);
        final List<Peer> peers = new ArrayList<>();
        for (int peer = 0; peer < own.layout().dimensions().size(); peer++) {
            if (reach.isMapped(rank, peer)) {
                peers.add(Peer.mapped(peer == rank ? own : files.asPeer(peer)));
            } else {
                peers.add(Peer.linked(peer, own.layout().dimensions()));
            }
        }
        assemble(rank, peers, links);
    }

    private void assemble(int rank, int size, UnaryOperator<NodeMemory> lens) {
        final List<Peer> peers = new ArrayList<>();
        for (int peer = 0; peer < size; peer++) {
            peers.add(Peer.mapped(peer == rank ? files.own(rank) : lens.apply(files.asPeer(peer))));
        }
        assemble(rank, peers, List.of(List.of()));
    }

    private void assemble(int rank, List<Peer> peers, List<List<Link>> links) {
        final NodeMemory own = files.own(rank);
        final PeerStates peerStates = new PeerStates(own);
        final ErrorLog errors = new ErrorLog(own);
        final NameLookups names = new NameLookups(own.layout().dimensions().contexts());
        final LinkedLanes lanes = lanes(names, links);
        final List<DmaEngine> made = new ArrayList<>();
        final UserOperators operators = new UserOperators();
        for (int number = 0; number < links.size(); number++) {
            final NodeMetrics counts = new NodeMetrics(own, number);
            final RankTable<Landing> landings = new RankTable<>(peers.size());
            final List<DmaEngine.LinkedPeer> linked = links.get(number).stream()
                    .map(link -> new DmaEngine.LinkedPeer(peers.get(link.rank()), link))
                    .toList();
            for (final Peer peer : peers) {
                if (peer.isMapped()) {
                    landings.set(peer.rank(), new Landing(peer.requireMemory(), rank, number, peerStates, counts));
                }
            }
            made.add(new DmaEngine(
                    new DmaEngine.Share(number, links.size(), false),
                    own,
                    new DmaEngine.Reach(
                            landings,
                            linked.isEmpty() ? DmaEngine.LinkSource.NONE : DmaEngine.LinkSource.of(linked),
                            names,
                            lanes),
                    counts,
                    errors,
                    (peer, context) -> false));
        }
        final Pass pass = pass(made, operators);
        ends.add(links.stream().flatMap(List::stream).toList());
        states.add(peerStates);
        metrics.add(new NodeMetrics(own));
        engines.add(pass);
        clients.add(ContextAccess.openOwnClient(new NodeShare(
                own,
                PeerTable.of(peers),
                names,
                lanes,
                peerStates,
                new WindowArena(own),
                nodeMetricsOf(own),
                errors,
                Collections.nCopies(own.layout().dimensions().contexts(), pass),
                YieldingIdleStrategy::new,
                List.of(),
                ThreadLevel.SERIALIZED,
                ended::contains,
                MessageLimits.DEFAULT,
                operators,
                CollectiveSettings.DEFAULT,
                Inquiries.none())));
    }

    private LinkedLanes lanes(NameLookups names, List<List<Link>> links) {
        final AtomicLong bytes = new AtomicLong();
        allocated.add(bytes);
        return links.get(0).isEmpty()
                ? LinkedLanes.NONE
                : new LinkedLanes(names.contexts(), laneBytes / links.size(), length -> {
                    bytes.addAndGet(length);
                    return MappedMemory.ofProcess(length);
                });
    }

    private Pass pass(List<DmaEngine> made, UserOperators operators) {
        made.forEach(engine -> engine.operators(operators));
        return new EnginesPass(made, thrown);
    }

    /** One pass of each engine of a node; keeps the exceptions that the engines throw. */
    record EnginesPass(List<DmaEngine> engines, List<Throwable> thrown) implements Pass {
        @Override
        public int run() {
            int work = 0;
            for (int i = 0; i < engines.size(); i++) {
                work += run(engines.get(i));
            }
            return work;
        }

        private int run(DmaEngine engine) {
            try {
                return engine.doWork();
            } catch (RuntimeException | Error e) {
                thrown.add(e);
                return 0;
            }
        }

        @Override
        public void rest() {
            engines.forEach(DmaEngine::rest);
        }

        @Override
        public boolean isBlocked() {
            boolean isBlocked = false;
            for (int i = 0; i < engines.size(); i++) {
                isBlocked |= engines.get(i).isBlocked();
            }
            return isBlocked;
        }

        @Override
        public @Nullable ReceptionFifoProducer lane(int rank, int context) {
            // Records of several engines in one lane of a context have no order.
            return engines.size() == 1 ? engines.get(0).lane(rank, context) : null;
        }

        @Override
        public void arrived(int rank, int context) {
            engines.get(0).arrived(rank, context);
        }
    }

    private static List<NodeMetrics> nodeMetricsOf(NodeMemory own) {
        final List<NodeMetrics> counts = new ArrayList<>();
        for (int context = 0; context < own.layout().dimensions().contexts(); context++) {
            counts.add(new NodeMetrics(own, context));
        }
        return counts;
    }

    public Client client(int rank) {
        return clients.get(rank);
    }

    public Context context(int rank) {
        return clients.get(rank).context();
    }

    /** Returns a rank's end of the link of its first engine to a peer, where links join them. */
    public Link link(int rank, int peer) {
        return links(rank, peer).get(0);
    }

    /** Returns a rank's ends of its links to a peer, one for each engine. */
    public List<Link> links(int rank, int peer) {
        return ends.get(rank).stream().filter(link -> link.rank() == peer).toList();
    }

    /** Returns the node as its owner sees it. */
    public NodeMemory memory(int rank) {
        return files.own(rank);
    }

    /** Makes the others see that the process of {@code rank} has ended. */
    public void endProcess(int rank) {
        ended.add(rank);
    }

    /** Returns the bytes that a node has allocated for lanes from linked ranks, in all. */
    long allocatedLaneBytes(int rank) {
        return allocated.get(rank).get();
    }

    public PeerStates states(int rank) {
        return states.get(rank);
    }

    public NodeMetrics metrics(int rank) {
        return metrics.get(rank);
    }

    /** Writes a trace of a node with one engine. Called before the first pass. */
    public void trace(int rank, TraceRing ring, TraceScope scope, boolean withPayloads) {
        ((EnginesPass) engines.get(rank)).engines().get(0).trace(ring, scope, withPayloads);
    }

    /** Runs one pass of a node's engine alone, without its lanes. */
    public int pass(int rank) {
        return engines.get(rank).run();
    }

    /** Advances every node until all have nothing to do. */
    public void settle() {
        final long quietNs = ends.stream().allMatch(List::isEmpty) ? 0 : QUIET_NS;
        long workedNs = System.nanoTime();
        int idle = 0;
        // A pass polls only some of many idle FIFOs. Passes count once the time has passed, which another thread may
        // have had.
        while (idle < IDLE_PASSES) {
            final boolean isQuiet = System.nanoTime() - workedNs >= quietNs;
            int work = 0;
            for (final Client client : clients) {
                work += client.context().advance();
            }
            if (work != 0) {
                workedNs = System.nanoTime();
                idle = 0;
            } else if (isQuiet) {
                idle++;
            }
        }
    }

    /** Fails if an engine has thrown anything. */
    public void requireNothingThrown() {
        if (!thrown.isEmpty()) {
            throw new AssertionError("an engine threw", thrown.get(0));
        }
    }

    @Override
    public void close() {
        files.close();
        requireNothingThrown();
    }
}
