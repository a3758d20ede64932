package org.segno.bench.stress;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.AtomicBuffer;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Half;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;

/**
 * Memory of the smallest nodes, zeroed again for every iteration. jcstress makes states by the hundred thousand and a
 * node takes 100 KB, so nodes are reused in turn. There are twice as many as states at a time, because each round of
 * states is made while the previous one is in use. A state takes one node.
 */
final class StressNode {
    /** States in a row that run without the two threads meeting in between. */
    static final int STRIDE_SIZE = 16;

    /** Strides in one round of states. */
    static final int STRIDE_COUNT = 16;

    private static final int NODES = 2 * STRIDE_SIZE * STRIDE_COUNT;
    private static final int WINDOW_BYTES = NodeLayout.PAGE;
    private static final int USED_WINDOW_BYTES = 512;
    private static final NodeLayout LAYOUT = NodeLayout.of(
            new NodeDimensions(2, 2, 1, 1, 1, 2, 8, 1, 2, 1, 1, 1, 1, NodeDimensions.MIN_LANE_BYTES, WINDOW_BYTES));
    private static final StressNode[] POOL = new StressNode[NODES];
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final NodeMemory memory;
    private final AtomicBuffer settings;
    private final AtomicBuffer heads;
    private final AtomicBuffer peers;
    private final AtomicBuffer windows;
    private final AtomicBuffer values;

    static {
        Arrays.setAll(POOL, rank -> new StressNode());
    }

    private StressNode() {
        final MappedMemory owner = MappedMemory.ofProcess((int) LAYOUT.length(Half.OWNER));
        final MappedMemory peersHalf = MappedMemory.ofProcess((int) LAYOUT.length(Half.PEERS));
        final MappedMemory arena = MappedMemory.ofProcess((int) LAYOUT.length(Half.ARENA));
        memory = new NodeMemory(0, LAYOUT, owner, peersHalf, arena);
        settings = between(owner, Part.TAILS, Part.METRICS);
        heads = between(owner, Part.LANE_HEADS, Part.QUIET_COUNTS);
        peers = peersHalf.buffer(0, (int) LAYOUT.length(Half.PEERS));
        windows = arena.buffer(0, USED_WINDOW_BYTES);
        values = arena.buffer(LAYOUT.offset(Part.COUNTER_VALUES), (int) LAYOUT.length(Part.COUNTER_VALUES));
    }

    private static AtomicBuffer between(MappedMemory half, Part first, Part end) {
        return half.buffer(LAYOUT.offset(first), (int) (LAYOUT.offset(end) - LAYOUT.offset(first)));
    }

    /** Returns an empty node of rank 0 of two. Can be called by any thread. */
    static NodeMemory next() {
        final StressNode node = POOL[NEXT.getAndIncrement() & (NODES - 1)];
        clear(node.settings);
        clear(node.heads);
        clear(node.peers);
        clear(node.windows);
        clear(node.values);
        return node.memory;
    }

    private static void clear(AtomicBuffer part) {
        part.setMemory(0, part.capacity(), (byte) 0);
    }
}
