package org.segno.engine.dma;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.segno.engine.landing.Arrivals;
import org.segno.engine.landing.Landing;
import org.segno.engine.landing.LanePools;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.memory.RankTable;

/**
 * Ports of an engine's links, with their receivers. A port is opened when something is first sent to its peer, or when
 * the peer has made the link. Used only by the engine's thread.
 */
final class Ports {
    private final NodeMemory node;
    private final DmaEngine.Share share;
    private final DmaEngine.LinkSource source;
    private final Targets targets;
    private final RefusalReport report;
    private final Arrivals arrivals;
    private final NameUnit names;
    private final LanePools pools;
    private final RankTable<LinkPort> ports;
    private ReceptionUnit[] receptions = {};
    private int count;

    Ports(
            NodeMemory node,
            DmaEngine.Share share,
            DmaEngine.Reach reach,
            Targets targets,
            RefusalReport report,
            Arrivals arrivals) {
        this.node = node;
        this.share = share;
        this.source = reach.links();
        this.targets = targets;
        this.report = report;
        this.arrivals = arrivals;
        this.ports = new RankTable<>(node.layout().dimensions().size());
        this.pools = LanePools.of(reach.lanes(), node.layout().dimensions().laneBytes());
        this.names = new NameUnit(node, reach.names(), this, share);
        accept();
    }

    /** Opens the ports of links that peers have made. */
    void accept() {
        for (DmaEngine.LinkedPeer made = source.next(); made != null; made = source.next()) {
            if (ports.get(made.peer().rank()) == null) {
                open(made);
            }
        }
    }

    /** Returns true if the rank exists and its memory is not mapped. */
    boolean reaches(int rank) {
        return rank >= 0 && rank < ports.size() && targets.landing(rank) == null;
    }

    /**
     * Returns the port to a rank that this engine {@link #reaches}, which is opened now if necessary; null for none.
     */
    @Nullable
    LinkPort port(int rank) {
        final LinkPort known = ports.get(rank);
        if (known != null) {
            return known;
        }
        final DmaEngine.LinkedPeer made = source.connect(rank);
        return made == null ? null : open(made);
    }

    private LinkPort open(DmaEngine.LinkedPeer made) {
        final Peer peer = made.peer();
        final LinkPort port = new LinkPort(made.link(), node, peer, share, targets, report);
        final Landing landing = Landing.ofLink(node, peer.rank(), new PeerStates(node), port.hits());
        landing.reportTo(arrivals);
        final ContextMirror contexts = new ContextMirror(port, node, peer, share.engine());
        if (count == receptions.length) {
            receptions = Arrays.copyOf(receptions, Math.max(4, 2 * count));
        }
        receptions[count++] = new ReceptionUnit(port, landing, names, contexts, pools, report);
        ports.set(peer.rank(), port);
        return port;
    }

    /** Receives over all links. Returns the amount of work done. */
    int receive() {
        int work = 0;
        for (int i = 0; i < count; i++) {
            work += receptions[i].doWork();
        }
        return work;
    }

    /** Asks for the names that contexts look for. Returns the number of questions. */
    int ask() {
        return names.doWork();
    }

    /** Ends a pass: what it has sent over the links leaves now. */
    void flush() {
        for (int i = 0; i < count; i++) {
            receptions[i].flush();
        }
    }

    /** Acknowledges everything, because passes may be rare from now on. */
    void rest() {
        for (int i = 0; i < count; i++) {
            receptions[i].rest();
        }
    }

    /** Returns true while something that was sent over a link has not landed. */
    boolean isPending() {
        for (int i = 0; i < count; i++) {
            if (receptions[i].isPending()) {
                return true;
            }
        }
        return false;
    }
}
