package org.segno.tools.inspect;

import java.util.List;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.Metric;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.status.Refusal;
import org.segno.tools.inspect.record.Broken;
import org.segno.tools.inspect.record.Words;
import org.segno.tools.observe.ObservedRank;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;

/** View of the header of a node's file, the states of its peers, and the offsets of its parts. */
final class NodeView implements View {
    private static final List<String> PEER_STATES = List.of("joined", "left", "dead", "cut off");

    /** Reserved ranges of the header: first byte and the byte after the last. */
    private static final int[][] RESERVED = {{136, 256}, {264, 512}, {512 + 16 * Part.values().length, NodeLayout.PAGE}
    };

    /** Largest process id that Linux assigns. */
    private static final long LARGEST_PID = 1 << 22;

    private final Selection selection;
    private final Broken broken;
    private final Table nodes = Table.of(
            "nodes", "rank", "size", "pid", "state", "heartbeatMs", "contexts", "fifos", "windowBytes", "fileBytes");
    private final Table words = Words.table();
    private final Table peers = Table.of("peers", "rank", "peer", "state");
    private final Table parts = Table.of("parts", "part", "half", "offset", "length");

    NodeView(Selection selection, Broken broken) {
        this.selection = selection;
        this.broken = broken;
    }

    @Override
    public void look(ObservedRank node) {
        final int rank = node.rank();
        final NodeLayout layout = node.memory().layout();
        final NodeDimensions d = layout.dimensions();
        final Double heartbeat = node.heartbeatMs();
        nodes.row(
                rank,
                d.size(),
                node.identity().pid(),
                node.state(),
                heartbeat == null ? null : Double.valueOf(heartbeat),
                d.contexts(),
                d.fifos(),
                d.windowBytes(),
                layout.fileLength());
        final Memory owner = node.memory().owner();
        Words.NODE_HEADER.addTo(words, rank, "header", owner, layout.offset(Part.HEADER), selection.hex());
        checkHeader(node, owner);
        lookAtPeers(node, d.size());
        checkCounts(node);
        if (parts.size() == 0) {
            for (final Part part : Part.values()) {
                parts.row(part.name(), part.half().name(), layout.offset(part), layout.length(part));
            }
        }
    }

    private void checkHeader(ObservedRank node, Memory owner) {
        final int rank = node.rank();
        broken.unless(rank == node.named(), rank, "header", "rank " + rank + " is in the file of rank " + node.named());
        final long state = node.header().stateAcquire();
        broken.unless(state >= NodeHeader.MADE && state <= NodeHeader.CLOSED, rank, "header", "unknown state " + state);
        final long pid = node.identity().pid();
        broken.unless(pid > 0 && pid <= LARGEST_PID, rank, "header", "invalid process id " + pid);
        broken.unless(
                node.identity().processStart() >= 0,
                rank,
                "header",
                "process start " + node.identity().processStart());
        final Double heartbeat = node.heartbeatMs();
        broken.unless(
                node.header().heartbeatAcquire() >= 0 && (heartbeat == null || heartbeat >= 0),
                rank,
                "header",
                "heartbeat " + node.header().heartbeatAcquire() + " is in the future");
        for (final int[] range : RESERVED) {
            for (int offset = range[0]; offset < range[1]; offset += Integer.BYTES) {
                broken.unless(owner.getInt(offset) == 0, rank, "header", "reserved offset " + offset + " is not zero");
            }
        }
    }

    private void lookAtPeers(ObservedRank node, int size) {
        final PeerStates states = new PeerStates(node.memory());
        for (int peer = 0; peer < size; peer++) {
            final long state = states.byteAcquire(peer);
            final boolean known = state >= 0 && state < PEER_STATES.size();
            broken.unless(known, node.rank(), "peer " + peer, "unknown state " + state);
            if (known && state != PeerStates.JOINED) {
                peers.row(node.rank(), peer, PEER_STATES.get((int) state));
            }
        }
        broken.unless(states.changesAcquire() >= 0, node.rank(), "peers", "the count of changes is negative");
    }

    private void checkCounts(ObservedRank node) {
        final NodeMetrics metrics = new NodeMetrics(node.memory());
        for (final Metric metric : Metric.values()) {
            broken.unless(metrics.get(metric) >= 0, node.rank(), "metric " + metric, "count " + metrics.get(metric));
        }
        for (final Refusal refusal : Refusal.values()) {
            broken.unless(
                    metrics.get(refusal) >= 0, node.rank(), "refusal " + refusal, "count " + metrics.get(refusal));
        }
    }

    @Override
    public void addTo(Report report) {
        addNodes(report);
        report.add("words of the header", words).add("peers that are no longer joined: " + peers.size(), peers);
        report.add("parts, offsets in their half (the same in every node)", parts);
    }

    /** Adds the summary alone. */
    void addNodes(Report report) {
        report.add(nodes);
    }
}
