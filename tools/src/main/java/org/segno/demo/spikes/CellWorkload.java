package org.segno.demo.spikes;

import java.util.List;
import java.util.Locale;
import org.agrona.BitUtil;
import org.segno.demo.comparison.DemoWorkload;
import org.segno.demo.comparison.MeasuredExchange;
import org.segno.node.Node;
import org.segno.node.NodeConfig;

/** Cells of a rank, and the settings of its node. */
final class CellWorkload implements DemoWorkload {
    private static final int DESCRIPTOR_BYTES = 64;
    private static final int OTHER_PATTERNS = 8;
    private static final int LEAST_SLOTS = 64;

    /**
     * Upper limit of slots. Slots that are reused soon are still in the cache; beyond this limit it is better for the
     * application to advance than to have room.
     */
    private static final int MOST_SLOTS = 4_096;

    private final Cells cells;
    private final int rank;

    CellWorkload(Cells cells, int rank) {
        this.cells = cells;
        this.rank = rank;
    }

    @Override
    public String title() {
        return String.format(
                Locale.ROOT,
                "%,d cells of each rank with %,d targets each, %,d fire at a time",
                cells.perRank(),
                cells.targets(),
                cells.spikes());
    }

    @Override
    public NodeConfig nodeConfig() {
        final int messages = Math.multiplyExact(cells.spikes(), cells.targets());
        return NodeConfig.defaults()
                .withFifoSlots(slots(messages))
                .withRunSlots(slots(cells.spikes()))
                .withPatterns(cells.perRank() + OTHER_PATTERNS)
                .withPatternBufferBytes(DESCRIPTOR_BYTES
                                * ((long) cells.perRank() * cells.targets()
                                        + cells.ranks().size())
                        + DESCRIPTOR_BYTES * (long) LEAST_SLOTS);
    }

    private static int slots(int wanted) {
        return BitUtil.findNextPositivePowerOfTwo(Math.min(MOST_SLOTS, Math.max(LEAST_SLOTS, wanted)));
    }

    @Override
    public long windowBytes() {
        return (long) cells.perRank() * ReceivedSpikes.SPIKE_BYTES + DESCRIPTOR_BYTES;
    }

    @Override
    public List<MeasuredExchange> open(Node node) {
        return List.of(new SpikeExchange(node, cells, rank));
    }
}
