package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.segno.context.Client;
import org.segno.context.ContextAccess;
import org.segno.context.NodeShare;
import org.segno.engine.fifo.LinkedLanes;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.MappedMemory;
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
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.engine.reuse.WindowArena;
import org.segno.link.Link;
import org.segno.link.MemoryLink;
import org.segno.link.PacketEnd;
import org.segno.operation.MessageLimits;
import org.segno.operation.ThreadLevel;

/** A node of a large job takes memory for the ranks with which it works. */
class LargeJobTest {
    private static final int ID = 5;
    private static final int LARGE = 32_768;
    private static final int ACTIVE = 8;
    private static final int LINK_BYTES = 2048;

    /** A node that links reach from all others of its job, and the far ends of its links. */
    private static final class LinkedNode implements DmaEngine.LinkSource {
        final Map<Integer, PacketEnd> ends = new HashMap<>();
        final Queue<DmaEngine.LinkedPeer> callers = new ArrayDeque<>();
        final NodeLayout layout;
        final PeerTable peers;
        final List<Throwable> thrown = new ArrayList<>();
        final Client client;

        LinkedNode(int size) {
            final NodeDimensions one = new NodeDimensions(size, 1, 1, 1, 2, 64, 64, 8, 16, 16, 16, 4, 8, 4096, 0);
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
                    List.of(new EngineFixture.EnginePass(engine, thrown)),
                    YieldingIdleStrategy::new,
                    List.of(),
                    ThreadLevel.SERIALIZED,
                    gone -> false,
                    MessageLimits.DEFAULT));
        }

        private MappedMemory half(Half half) {
            return MappedMemory.ofProcess((int) Math.max(NodeLayout.PAGE, layout.length(half)));
        }

        @Override
        public DmaEngine.LinkedPeer connect(int rank) {
            final Link[] link = MemoryLink.join(0, rank, LINK_BYTES, Frame.MIN_LIMIT);
            ends.put(rank, new PacketEnd(link[1]));
            return new DmaEngine.LinkedPeer(peers.get(rank), link[0]);
        }

        @Override
        public DmaEngine.@Nullable LinkedPeer next() {
            return callers.poll();
        }
    }

    /** Exchanges a message with the ranks of eight links, half of which the peers have made. */
    private static void exchange(LinkedNode node, int size) {
        final List<Integer> received = new ArrayList<>();
        node.client
                .context()
                .handler(ID, (from, buffer, m, ml, payload, length) -> received.add(buffer.getInt(payload)));
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[4]);
        for (int i = 0; i < ACTIVE; i++) {
            final int rank = size - 1 - i * (size / 16 + 1) % (size - 1);
            if (i % 2 == 0) {
                node.callers.add(node.connect(rank));
            } else {
                assertThat(node.client.context().sendImmediate(rank, ID, bytes, 0, 4))
                        .isNotNegative();
            }
            node.client.context().advance();
            final PacketEnd end = Objects.requireNonNull(node.ends.get(rank));
            if (i % 2 != 0) {
                end.poll(Frame.REQUESTS, packet -> assertThat(packet.kind()).isEqualTo(PacketKind.DEMAND), 1);
                end.provideLane(Frame.REQUESTS, 0, 4096, rank, 0);
                node.client.context().advance();
                end.poll(Frame.REQUESTS, packet -> assertThat(packet.kind()).isEqualTo(PacketKind.SEND), 1);
                end.acknowledge();
            }
            end.demandLane(Frame.REQUESTS, 4096, rank, 0);
            node.client.context().advance();
            final Packet message = end.claim(Frame.REQUESTS).head(PacketKind.SEND, Packet.FIRST, rank, 0);
            message.target(ID, 0, 0).bodyLength(4).payloadLength(4);
            message.memory().putInt(message.payload(), rank);
            end.publish(Frame.REQUESTS);
            node.client.context().advance();
            node.client.context().advance();
            assertThat(received).last().isEqualTo(rank);
        }
        assertThat(received).hasSize(ACTIVE);
        assertThat(node.ends).hasSize(ACTIVE);
        assertThat(node.thrown).isEmpty();
        assertThat(node.client.context().isDrained()).isTrue();
    }

    private static long bytes(int size) {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final long before = threads.getCurrentThreadAllocatedBytes();
        final LinkedNode node = new LinkedNode(size);
        exchange(node, size);
        final long heap = threads.getCurrentThreadAllocatedBytes() - before;
        return heap + node.layout.fileLength();
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
}
