package org.segno.node;

import java.util.ArrayList;
import java.util.List;
import org.segno.engine.memory.NodeDimensions;
import org.segno.node.NodeConfig.Threading;

/** Configurations of small nodes. */
final class SmallNodes {
    private SmallNodes() {}

    /** Returns a configuration with the smallest possible lanes in a job of {@code size}. */
    static NodeConfig config(Threading threading, int size) {
        return NodeConfig.defaults()
                .withThreading(threading)
                .withFifoSlots(16)
                .withPatternBufferBytes(1 << 12)
                .withPatterns(16)
                .withRunSlots(2)
                .withCounters(16, 16)
                .withLaneBudgetBytes((long) size * NodeDimensions.MIN_LANE_BYTES)
                .withWindowBytes(1 << 16);
    }

    /** Returns one configuration per rank, with the {@code modes} in turn. */
    static List<NodeConfig> configs(int size, List<Threading> modes) {
        final List<NodeConfig> configs = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
            configs.add(config(modes.get(rank % modes.size()), size));
        }
        return configs;
    }

    /**
     * Returns the modes named by a test's parameter: {@code INVOKER}, {@code DEDICATED}, {@code SHARED} or all in turn,
     * {@code MIXED}.
     */
    static List<Threading> modes(String words) {
        return words.equals("MIXED")
                ? List.of(Threading.INVOKER, Threading.DEDICATED, Threading.SHARED)
                : List.of(Threading.valueOf(words));
    }
}
