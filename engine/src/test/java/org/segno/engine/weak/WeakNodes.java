package org.segno.engine.weak;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Logger;
import org.segno.context.Client;
import org.segno.context.CollectiveSettings;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.context.NodeShare;
import org.segno.engine.combine.UserOperators;
import org.segno.engine.dma.DmaEngine;
import org.segno.engine.doorbell.Doorbell;
import org.segno.engine.fifo.DirectExecution;
import org.segno.engine.fifo.Exclusion;
import org.segno.engine.fifo.LinkedLanes;
import org.segno.engine.job.Inquiries;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NameLookups;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Half;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.memory.PeerTable;
import org.segno.engine.memory.RankTable;
import org.segno.engine.metrics.ErrorLog;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.packet.Frame;
import org.segno.engine.reuse.WindowArena;
import org.segno.engine.work.Pass;
import org.segno.link.Link;
import org.segno.link.MemoryLink;
import org.segno.operation.MessageLimits;
import org.segno.operation.ThreadLevel;

/** Nodes assembled as a job assembles them, with engines on their own threads, on weak memory. */
final class WeakNodes {
    /**
     * Logger that is silent, because runs without an ordering refuse and quarantine. The field keeps it reachable: a
     * logger without a reference loses its settings.
     */
    private static final Logger QUIET = Logger.getLogger("org.segno");

    private static final int LINK_BYTES = 1024;
    private static final long LANE_BYTES = 1 << 16;

    private final WeakModel model;
    private final List<NodeMemory> nodes = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final List<List<DmaEngine>> engines = new ArrayList<>();
    private final List<WeakDoorbell> doorbells = new ArrayList<>();

    /** Ends of the link between the first two nodes; empty where nodes map the memory of each other. */
    private final List<Link> ends = new ArrayList<>();

    private boolean invoked;
    private int busy;

    private WeakNodes(WeakModel model) {
        this.model = model;
    }

    /** Opens nodes of these dimensions, whose waits park at doorbells or not. */
    static WeakNodes open(WeakModel model, NodeDimensions dimensions, boolean parks) {
        return new WeakNodes(model).open(dimensions, parks);
    }

    /** Opens nodes of these dimensions. The thread of rank 0's application runs its only engine. */
    static WeakNodes invoked(WeakModel model, NodeDimensions dimensions) {
        final WeakNodes nodes = new WeakNodes(model);
        nodes.invoked = true;
        return nodes.open(dimensions, false);
    }

    /** Opens two nodes of these dimensions, which are joined by a link of memory. */
    static WeakNodes linked(WeakModel model, NodeDimensions dimensions) {
        final WeakNodes nodes = new WeakNodes(model);
        final int length = MemoryLink.lengthFor(LINK_BYTES, Frame.MIN_LIMIT);
        nodes.ends.addAll(List.of(
                MemoryLink.join(0, 1, LINK_BYTES, Frame.MIN_LIMIT, nodes.memory(length), nodes.memory(length))));
        return nodes.open(dimensions, false);
    }

    private WeakNodes open(NodeDimensions dimensions, boolean parks) {
        QUIET.setUseParentHandlers(false);
        final NodeLayout layout = NodeLayout.of(dimensions);
        for (int rank = 0; rank < dimensions.size(); rank++) {
            nodes.add(new NodeMemory(
                    rank,
                    layout,
                    new WeakMemory(model, layout.length(Half.OWNER)),
                    new WeakMemory(model, layout.length(Half.PEERS)),
                    new WeakMemory(model, layout.length(Half.ARENA))));
            if (parks) {
                doorbells.add(WeakDoorbell.make(model, nodes.get(rank)));
            }
        }
        for (int rank = 0; rank < dimensions.size(); rank++) {
            assemble(rank, dimensions.size());
        }
        return this;
    }

    private void assemble(int rank, int size) {
        final NodeMemory own = nodes.get(rank);
        final PeerStates states = new PeerStates(own);
        final NodeMetrics counts = new NodeMetrics(own);
        final ErrorLog errors = new ErrorLog(own);
        final WindowArena windows = new WindowArena(own);
        final LinkedLanes lanes = ends.isEmpty()
                ? LinkedLanes.NONE
                : new LinkedLanes(own.layout().dimensions().contexts(), LANE_BYTES, this::memory);
        engines.add(new ArrayList<>());
        final int count = own.layout().dimensions().engines();
        for (int engine = 0; engine < count; engine++) {
            final NodeMetrics itsCounts = new NodeMetrics(own, engine);
            final Landing[] landings = new Landing[size];
            for (int peer = 0; peer < size; peer++) {
                landings[peer] = peer != rank && !ends.isEmpty()
                        ? null
                        : new Landing(nodes.get(peer), rank, engine, states, itsCounts);
            }
            final DmaEngine.Share share = new DmaEngine.Share(engine, count, isInvoked(rank));
            engines.get(rank)
                    .add(
                            ends.isEmpty()
                                    ? new DmaEngine(
                                            share,
                                            own,
                                            reach(landings, List.of(), LinkedLanes.NONE),
                                            itsCounts,
                                            errors,
                                            this::ring)
                                    : new DmaEngine(own, reach(landings, linkOf(rank), lanes), itsCounts, errors));
        }
        final List<Peer> peers = new ArrayList<>();
        for (int peer = 0; peer < size; peer++) {
            peers.add(peerOf(rank, peer));
        }
        final List<Doorbell> itsDoorbells =
                doorbells.isEmpty() ? List.of() : List.of(doorbells.get(rank).doorbell());
        clients.add(ContextAccess.openOwnClient(new NodeShare(
                own,
                PeerTable.of(peers),
                NameLookups.NONE,
                lanes,
                states,
                windows,
                List.of(counts),
                errors,
                isInvoked(rank) ? List.of(pass(dmaEngine(rank))) : List.of(),
                () -> new WeakIdle(model),
                itsDoorbells,
                ThreadLevel.SERIALIZED,
                gone -> false,
                MessageLimits.DEFAULT,
                new UserOperators(),
                CollectiveSettings.DEFAULT,
                Inquiries.none())));
    }

    private boolean isInvoked(int rank) {
        return invoked && rank == 0;
    }

    private static Pass pass(DmaEngine engine) {
        return new Pass() {
            @Override
            public int run() {
                return engine.doWork();
            }

            @Override
            public void rest() {
                engine.rest();
            }

            @Override
            public boolean isBlocked() {
                return engine.isBlocked();
            }

            @Override
            public DirectExecution direct() {
                return engine.direct(Exclusion.NONE, failure -> {
                    throw new AssertionError(failure);
                });
            }
        };
    }

    private static DmaEngine.Reach reach(Landing[] landings, List<DmaEngine.LinkedPeer> links, LinkedLanes lanes) {
        return new DmaEngine.Reach(
                RankTable.of(landings),
                links.isEmpty() ? DmaEngine.LinkSource.NONE : DmaEngine.LinkSource.of(links),
                NameLookups.NONE,
                lanes);
    }

    private List<DmaEngine.LinkedPeer> linkOf(int rank) {
        final Link end = ends.get(rank);
        return List.of(new DmaEngine.LinkedPeer(peerOf(rank, end.rank()), end));
    }

    private Peer peerOf(int rank, int peer) {
        return peer != rank && !ends.isEmpty()
                ? Peer.linked(peer, nodes.get(peer).layout().dimensions())
                : Peer.mapped(nodes.get(peer));
    }

    private boolean ring(int rank, int context) {
        doorbells.get(rank).ring();
        return true;
    }

    /** Returns the doorbell of a rank. */
    Doorbell doorbell(int rank) {
        return doorbells.get(rank).doorbell();
    }

    NodeMemory node(int rank) {
        return nodes.get(rank);
    }

    /** Returns zeroed memory of no node. */
    Memory memory(long length) {
        return new WeakMemory(model, length);
    }

    Client client(int rank) {
        return clients.get(rank);
    }

    Context context(int rank) {
        return clients.get(rank).context();
    }

    /** Returns the body of an application's thread: engines run until the last of them has ended. */
    Runnable application(Runnable body) {
        busy++;
        return () -> {
            try {
                body.run();
            } finally {
                busy--;
            }
        };
    }

    /** Returns the body of the thread of a node's only engine. */
    Runnable engine(int rank) {
        return engine(rank, 0);
    }

    /** Returns the body of the thread of one of a node's engines. */
    Runnable engine(int rank, int number) {
        return () -> {
            final DmaEngine engine = engines.get(rank).get(number);
            while (isBusy()) {
                if (engine.doWork() == 0) {
                    model.pause();
                }
            }
        };
    }

    /** Returns the only engine of a node, for a thread that also does more than passes. */
    DmaEngine dmaEngine(int rank) {
        return engines.get(rank).get(0);
    }

    /** Returns true until the threads of all applications have ended. */
    boolean isBusy() {
        return busy != 0;
    }

    /** Records a violation unless {@code holds}; the figures are the values of each # in {@code what}. */
    void require(boolean holds, String what, long... figures) {
        if (!holds) {
            model.violated(what + " " + Arrays.toString(figures));
        }
    }

    /** Lets other threads run. */
    void pause() {
        model.pause();
    }
}
