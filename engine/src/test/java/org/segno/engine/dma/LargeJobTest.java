package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.segno.context.Client;
import org.segno.context.CollectiveSettings;
import org.segno.context.ContextAccess;
import org.segno.context.NodeShare;
import org.segno.engine.combine.UserOperators;
import org.segno.engine.fifo.LinkedLanes;
import org.segno.engine.job.Inquiries;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.NameLookups;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Half;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.memory.PeerTable;
import org.segno.engine.memory.RankTable;
import org.segno.engine.metrics.ErrorLog;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.reuse.WindowArena;
import org.segno.link.FarRanks;
import org.segno.operation.MessageLimits;
import org.segno.operation.ThreadLevel;

/** A node of a large job takes memory for the ranks with which it works. */
class LargeJobTest {
    private static final int LARGE = 32_768;
    private static final int ACTIVE = 8;

    /** Parts of the file that the program sizes: FIFOs, patterns, counters, windows and lanes. */
    private static final Set<Part> USED = EnumSet.of(
            Part.TAILS,
            Part.HEADS,
            Part.FIFO_SETTINGS,
            Part.FIFO_SLOTS,
            Part.PATTERN_BUFFER,
            Part.RUN_RINGS,
            Part.PATTERN_STATES,
            Part.PATTERN_TABLE,
            Part.NAMES,
            Part.COUNTER_SETTINGS,
            Part.COUNTER_VALUES,
            Part.RANK_SETS,
            Part.OWED_EVENTS,
            Part.WINDOW_TABLE,
            Part.WINDOWS,
            Part.LANE_ORIGINS,
            Part.LANE_HEADS,
            Part.LANES,
            Part.REPLY_LANES);

    /** A node that links reach from all others of its job, and the far ends of its links. */
    private static final class LinkedNode implements DmaEngine.LinkSource {
        final FarRanks far = new FarRanks();
        final Queue<DmaEngine.LinkedPeer> callers = new ArrayDeque<>();
        final NodeLayout layout;
        final PeerTable peers;
        final List<Throwable> thrown = new ArrayList<>();
        final Client client;

        LinkedNode(int size) {
            final NodeDimensions one = dimensions(size);
            layout = NodeLayout.of(one);
            final NodeMemory own = new NodeMemory(0, layout, half(Half.OWNER), half(Half.PEERS), half(Half.ARENA));
            final PeerStates states = new PeerStates(own);
            final NodeMetrics metrics = new NodeMetrics(own);
            final ErrorLog errors = new ErrorLog(own);
            peers = new PeerTable(size, List.of(Peer.mapped(own)), rank -> Peer.linked(rank, one));
            final RankTable<Landing> landings = new RankTable<>(size);
            landings.set(0, new Landing(own, 0, states, metrics));
            final NameLookups names = new NameLookups(1);
            final LinkedLanes lanes = new LinkedLanes(1, 1 << 20, MappedMemory::ofProcess);
            final DmaEngine engine =
                    new DmaEngine(own, new DmaEngine.Reach(landings, this, names, lanes), metrics, errors);
            client = ContextAccess.openOwnClient(new NodeShare(
                    own,
                    peers,
                    names,
                    lanes,
                    states,
                    new WindowArena(own),
                    List.of(metrics),
                    errors,
                    List.of(new EngineFixture.EnginesPass(List.of(engine), thrown)),
                    YieldingIdleStrategy::new,
                    List.of(),
                    ThreadLevel.SERIALIZED,
                    gone -> false,
                    MessageLimits.DEFAULT,
                    new UserOperators(),
                    CollectiveSettings.DEFAULT,
                    Inquiries.none()));
        }

        private MappedMemory half(Half half) {
            return MappedMemory.ofProcess((int) Math.max(NodeLayout.PAGE, layout.length(half)));
        }

        @Override
        public DmaEngine.LinkedPeer connect(int rank) {
            return new DmaEngine.LinkedPeer(peers.get(rank), far.link(0, rank));
        }

        @Override
        public DmaEngine.@Nullable LinkedPeer next() {
            return callers.poll();
        }
    }

    /** Exchanges a message with the ranks of eight links, half of which the peers have made. */
    private static void exchange(LinkedNode node, int size) {
        node.far.exchange(node.client.context(), size, ACTIVE, rank -> node.callers.add(node.connect(rank)));
        assertThat(node.thrown).isEmpty();
    }

    private static long bytes(int size) {
        return heapBytes(size) + layout(size).fileLength();
    }

    /** Returns the bytes of heap that a node allocates until it has exchanged messages over its links. */
    private static long heapBytes(int size) {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final long before = threads.getCurrentThreadAllocatedBytes();
        exchange(new LinkedNode(size), size);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static NodeLayout layout(int size) {
        return NodeLayout.of(dimensions(size));
    }

    private static NodeDimensions dimensions(int size) {
        return new NodeDimensions(size, 1, 1, 1, 2, 64, 64, 8, 16, 16, 16, 4, 8, 4096, 0);
    }

    @Test
    void shouldTakeLessThanThreeBytesForEachSilentRank() {
        // The first nodes load classes.
        bytes(64);
        bytes(LARGE);
        final long small = bytes(64);
        final long large = bytes(LARGE);
        assertThat(large - small).isLessThan(80 * 1024);
    }

    /**
     * What a program chooses and fills is use: FIFOs, patterns, counters with the sets of ranks that they admit,
     * windows, lanes, and the objects for its contexts and links, which do not depend on the size of the job. The rest
     * is taken whatever the program does: in the file the states of all ranks, the header, the counts and the error
     * log, and on the heap the tables by rank. The latter are found by comparison with a small job, in which the same
     * node has equally many links and exchanges the same messages.
     */
    @Test
    void shouldTakeAtMost128KiBBesideWhatItUses() {
        bytes(64);
        bytes(LARGE);
        final NodeLayout large = layout(LARGE);
        final long used = USED.stream().mapToLong(large::length).sum();
        long tables = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            tables = Math.min(tables, heapBytes(LARGE) - heapBytes(64));
        }
        assertThat(large.length(Part.PEER_STATES)).isLessThan(LARGE + 256);
        assertThat(tables).as("bytes of heap").isLessThan(20 * 1024);
        assertThat(large.fileLength() - used + tables)
                .as("of %d bytes of the file %d are used, %d of heap are tables", large.fileLength(), used, tables)
                .isLessThanOrEqualTo(128 * 1024);
    }
}
