package org.segno.demo.neighbours;

import java.util.ArrayList;
import java.util.List;
import org.segno.demo.comparison.DemoWorkload;
import org.segno.demo.comparison.MeasuredExchange;
import org.segno.demo.comparison.VirtualRanks;
import org.segno.demo.manytomany.ExchangeMemory;
import org.segno.demo.manytomany.ManyToManyExchange.Windows;
import org.segno.node.Node;
import org.segno.node.NodeConfig;

/**
 * Both exchanges of a rank: in four dimensions with the neighbours at the faces, in three also with those at edges and
 * corners.
 */
final class NeighbourWorkload implements DemoWorkload {
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
        return memory().nodeConfig();
    }

    @Override
    public long windowBytes() {
        return memory().windowBytes();
    }

    private ExchangeMemory memory() {
        final ExchangeMemory memory = new ExchangeMemory(plans.get(0).ranks().size());
        plans.forEach(plan -> memory.with(plan.pieces()));
        return memory;
    }

    @Override
    public List<MeasuredExchange> open(Node node) {
        final Windows windows = memory().windows(node.client());
        final List<MeasuredExchange> exchanges = new ArrayList<>();
        for (int i = 0; i < plans.size(); i++) {
            exchanges.add(new NeighbourExchange(node.client(), i, plans.get(i), windows));
        }
        return exchanges;
    }
}
