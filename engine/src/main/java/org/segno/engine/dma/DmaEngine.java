package org.segno.engine.dma;

import java.util.Iterator;
import java.util.List;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.jspecify.annotations.Nullable;
import org.segno.engine.combine.UserOperators;
import org.segno.engine.doorbell.Ringer;
import org.segno.engine.fifo.DirectExecution;
import org.segno.engine.fifo.Exclusion;
import org.segno.engine.fifo.LinkedLanes;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.landing.Arrivals;
import org.segno.engine.landing.Landing;
import org.segno.engine.landing.UnderflowHandler;
import org.segno.engine.memory.NameLookups;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.engine.memory.RankTable;
import org.segno.engine.memory.WindowTable;
import org.segno.engine.metrics.ErrorLog;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.packet.Frame;
import org.segno.engine.reuse.QuietCount;
import org.segno.engine.trace.TraceRing;
import org.segno.engine.trace.TraceScope;
import org.segno.link.Link;

/**
 * The DMA engine of a node. It drains the node's injection FIFOs and lands their messages. One thread at a time runs
 * it: its own ({@code DEDICATED}) or the application's ({@code INVOKER}). A pass never waits.
 */
public final class DmaEngine implements Agent {
    /** Ringer where no waiter parks at a doorbell. */
    private static final Ringer NOBODY = (rank, context) -> false;

    private final String roleName;
    private final InjectionUnit injection;
    private final @Nullable Ports ports;
    private final Targets targets;
    private final QuietCount quiet;
    private final Arrivals arrivals;
    private final Landing self;
    private final DirectUnit direct;
    private final RefusalReport report;
    private final CombineFunctions functions;

    /** Contexts of this node, as bits, whose waiters do not run this engine themselves. */
    private final long others;

    /**
     * Creates the engine of {@code node}.
     *
     * @param landings landings of this engine by rank; null for a peer without mapped memory
     */
    public DmaEngine(NodeMemory node, @Nullable Landing[] landings, NodeMetrics metrics, ErrorLog errors) {
        this(Share.ALL, node, Reach.ofMemory(RankTable.of(landings)), metrics, errors, NOBODY);
    }

    /**
     * Creates the engine of a node that reaches some peers over links, and whose waiters do not park at doorbells.
     *
     * @param reach peers of this engine; only this engine uses the landings and the links
     */
    public DmaEngine(NodeMemory node, Reach reach, NodeMetrics metrics, ErrorLog errors) {
        this(Share.ALL, node, reach, metrics, errors, NOBODY);
    }

    /**
     * Creates one of several engines of {@code node}. Only this engine uses the landings, the links and the metrics.
     *
     * @param ringer wakes the parked waiters of peers and of this node
     */
    public DmaEngine(Share share, NodeMemory node, Reach reach, NodeMetrics metrics, ErrorLog errors, Ringer ringer) {
        final WindowTable windows = new WindowTable(node);
        this.report = new RefusalReport(node, metrics, errors);
        this.functions = new CombineFunctions(node);
        this.targets = new Targets(node, reach.landings(), report);
        final Targets replyTargets = new Targets(node, reach.replies(), report);
        final Visit visit = new Visit();
        reach.onUnderflow(report::underflow);
        this.quiet = new QuietCount(node, share.engine());
        this.self = targets.self();
        final long all = -1L >>> (Long.SIZE - node.layout().dimensions().contexts());
        this.others = share.byContext() ? all & ~(1L << share.engine()) : all;
        this.arrivals = new Arrivals(node.owner(), ringer, metrics);
        reach.reportTo(arrivals);
        this.roleName = "segno-dma-" + node.rank() + (share.engines() == 1 ? "" : "-" + share.engine());
        final Ports linked =
                reach.links() == LinkSource.NONE ? null : new Ports(node, share, reach, targets, report, arrivals);
        this.ports = linked;
        final TransmitUnit requests =
                linked == null ? null : new TransmitUnit(node, windows, targets, visit, linked, Frame.REQUESTS);
        final TransmitUnit replies =
                linked == null ? null : new TransmitUnit(node, windows, targets, visit, linked, Frame.HANDLER_REPLIES);
        final DescriptorUnit ordinary = new DescriptorUnit(node, functions, targets, visit, report, requests);
        this.direct = new DirectUnit(quiet, ordinary, visit, this::ring);
        final InjectionUnit.Units units = new InjectionUnit.Units(
                ordinary, new DescriptorUnit(node, functions, replyTargets, visit, report, replies), report, direct);
        this.injection = new InjectionUnit(share, node, units, targets, visit, metrics);
    }

    /**
     * Share of one engine in the injection FIFOs of its node. Exactly one engine serves each FIFO.
     *
     * @param engine number of the engine, below {@code engines}
     * @param engines engines of the node
     * @param byContext true if an engine serves all FIFOs of the context of its number, because the thread that holds
     *     that context runs the engine; false if the FIFOs of each context are distributed over all engines
     */
    public record Share(int engine, int engines, boolean byContext) {
        /** Share of the only engine of a node. */
        public static final Share ALL = new Share(0, 1, false);

        /** Returns true if the engine asks for the names that a context looks for. */
        boolean asksFor(int context) {
            return context % engines == engine;
        }

        /**
         * Returns the index, among the FIFOs of all contexts, of the FIFO of the context that runs this engine; -1 if
         * the engine has a thread of its own.
         */
        int directFifo(int fifosPerContext) {
            return byContext ? engine * fifosPerContext : -1;
        }

        /** Returns the index of the FIFO of that context's replays, its last one; -1 as {@link #directFifo}. */
        int replayFifo(int fifosPerContext) {
            return byContext ? (engine + 1) * fifosPerContext - 1 : -1;
        }

        boolean serves(int context, int fifo) {
            return engine == (byContext ? context : (context + fifo) % engines);
        }
    }

    /**
     * A peer without mapped memory, and this engine's link to it.
     *
     * @param peer as the node knows it
     * @param link used only by this engine
     */
    public record LinkedPeer(Peer peer, Link link) {}

    /** Links of one engine to peers without mapped memory. Used by the engine's thread. */
    public interface LinkSource {
        /** Source of an engine without links. */
        LinkSource NONE = of(List.of());

        /**
         * Returns the link to a rank without mapped memory, which is made now if necessary; null if none reaches it.
         */
        @Nullable
        LinkedPeer connect(int rank);

        /** Returns a link that exists and was not returned before, because its peer has made it; null for none. */
        @Nullable
        LinkedPeer next();

        /** Returns the source of links that exist. */
        static LinkSource of(List<LinkedPeer> all) {
            final Iterator<LinkedPeer> left = all.iterator();
            return new LinkSource() {
                @Override
                public @Nullable LinkedPeer connect(int rank) {
                    return null;
                }

                @Override
                public @Nullable LinkedPeer next() {
                    return left.hasNext() ? left.next() : null;
                }
            };
        }
    }

    /**
     * Peers that an engine reaches.
     *
     * @param landings in mapped memory
     * @param links to other peers
     * @param names lookups of names of other peers
     * @param lanes lanes from other peers
     */
    public record Reach(RankTable<Landing> landings, LinkSource links, NameLookups names, LinkedLanes lanes) {
        /** Returns the peers of an engine without links. */
        public static Reach ofMemory(RankTable<Landing> landings) {
            return new Reach(landings, LinkSource.NONE, NameLookups.NONE, LinkedLanes.NONE);
        }

        void onUnderflow(UnderflowHandler handler) {
            landings.forEach(landing -> landing.onUnderflow(handler));
        }

        void reportTo(Arrivals arrivals) {
            landings.forEach(landing -> landing.reportTo(arrivals));
        }

        RankTable<Landing> replies() {
            final RankTable<Landing> replies = new RankTable<>(landings.size());
            landings.forEach(landing -> replies.set(landing.rank(), landing.replies()));
            return replies;
        }
    }

    /** Writes a trace of everything that the engine carries out. Called before the first pass. */
    public void trace(TraceRing ring, TraceScope scope, boolean withPayloads) {
        injection.trace(ring, scope, withPayloads);
        report.trace(ring);
    }

    /** Uses the operators that applications of the node register. Called before the first pass. */
    public void operators(UserOperators ofNode) {
        functions.operators(ofNode);
    }

    @Override
    public int doWork() {
        quiet.begin();
        int work = injection.doWork();
        final Ports links = ports;
        if (links != null) {
            links.accept();
            // What this pass and calls of the application have sent leaves before the links are polled, which takes
            // long.
            links.flush();
            final int received = links.receive();
            if (received != 0) {
                // It may be what a FIFO has waited for.
                work += received + injection.doWork();
            }
            work += links.ask();
            links.flush();
        }
        if (work != 0) {
            ring();
        } else {
            arrivals.ring();
        }
        quiet.passed(work != 0);
        return work;
    }

    private void ring() {
        if (others != 0) {
            // Completions at this node: counters, heads and rounds.
            self.arrivedAt(others);
        }
        arrivals.ring();
    }

    /**
     * Receives over the links, without serving a FIFO. Called between two passes, by a thread that does not run them
     * and excludes the one that does. Returns the amount of work done.
     */
    public int receive() {
        quiet.begin();
        int work = 0;
        if (ports != null) {
            ports.accept();
            work = ports.receive();
            ports.flush();
        }
        if (work != 0) {
            self.arrivedAt(others);
        }
        arrivals.ring();
        quiet.rest();
        return work;
    }

    /**
     * Returns the producer of the lane into a context of a rank, or null if the rank's memory is not mapped or it has
     * no such context. Used between two passes, on the thread that runs them.
     */
    public @Nullable ReceptionFifoProducer lane(int rank, int context) {
        final Landing landing = targets.landing(rank);
        return landing == null || context >= landing.contexts() ? null : landing.lane(context);
    }

    /**
     * Returns the direct execution of descriptors of the context of this engine's number. Used by the thread
     * that runs the passes, between two of them.
     *
     * @param exclusion of other threads that use the engine
     * @param errors receives what the engine throws meanwhile
     */
    public DirectExecution direct(Exclusion exclusion, ErrorHandler errors) {
        direct.use(exclusion, errors);
        return direct;
    }

    /** Wakes the waiter of a context of a rank if it is parked. Used as {@link #lane}, which has returned its lane. */
    public void arrived(int rank, int context) {
        final Landing landing = targets.landing(rank);
        if (landing != null) {
            landing.arrived(context);
            arrivals.ring();
        }
    }

    /** Counts as quiet until the next pass. Called between two passes, on the thread that runs them. */
    public void rest() {
        if (ports != null) {
            ports.rest();
        }
        quiet.rest();
    }

    /**
     * Returns true if only further passes carry something out: a descriptor that found no room in the last pass, or
     * what was sent over a link and has not landed.
     */
    public boolean isBlocked() {
        return injection.isBlocked() || (ports != null && ports.isPending());
    }

    /** Counts as quiet for ever. Called after the last pass. */
    public void ended() {
        quiet.end();
    }

    @Override
    public String roleName() {
        return roleName;
    }
}
