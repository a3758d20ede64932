package org.segno.tools.demo.neighbours;

import java.util.ArrayList;
import java.util.List;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.tools.demo.pieces.PieceExchange.Windows;
import org.segno.tools.demo.pieces.Room;
import org.segno.tools.demo.ways.Part;
import org.segno.tools.demo.ways.VirtualRanks;
import org.segno.tools.demo.ways.Workload;

/**
 * Both exchanges of a rank: in four dimensions with the neighbours at the faces, in three also with those at edges and
 * corners.
 */
final class NeighbourWorkload implements Workload {
    private final int bytes;
    private final List<NeighbourPlan> plans;

    NeighbourWorkload(int bytes, VirtualRanks ranks, int rank) {
        this.bytes = bytes;
        this.plans = List.of(
                new NeighbourPlan(Neighbourhood.ofFaces(ranks.count(), 4), ranks, rank, bytes),
                new NeighbourPlan(Neighbourhood.ofAll(ranks.count(), 3), ranks, rank, bytes));
    }

    @Override
    public String title() {
        return "exchange of " + bytes + " bytes with each neighbour, 8 in four dimensions and 26 in three";
    }

    @Override
    public NodeConfig nodeConfig() {
        return room().nodeConfig();
    }

    @Override
    public long windowBytes() {
        return room().windowBytes();
    }

    private Room room() {
        final Room room = new Room(plans.get(0).ranks().size());
        plans.forEach(plan -> room.with(plan.traffic()));
        return room;
    }

    @Override
    public List<Part> open(Node node) {
        final Windows windows = room().windows(node.client());
        final List<Part> parts = new ArrayList<>();
        for (int i = 0; i < plans.size(); i++) {
            parts.add(new NeighbourExchange(node.client(), i, plans.get(i), windows));
        }
        return parts;
    }
}
