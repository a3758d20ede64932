package org.segno.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Context;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;

/** Ranks of a large job that a test plays: the far ends of the links of one node. */
public final class FarRanks {
    private static final int ID = 5;
    private static final int LINK_BYTES = 2048;

    private final Map<Integer, PacketEnd> ends = new ConcurrentHashMap<>();

    /** Returns the node's end of its link to a rank, which exists once. */
    public Link link(int node, int rank) {
        final Link[] made = new Link[1];
        ends.computeIfAbsent(rank, unknown -> {
            final Link[] link = MemoryLink.join(node, rank, LINK_BYTES, Frame.MIN_LIMIT);
            made[0] = link[0];
            return new PacketEnd(link[1]);
        });
        return Objects.requireNonNull(made[0], "the link is made");
    }

    /** Returns the number of links. */
    public int links() {
        return ends.size();
    }

    /**
     * Exchanges a message with each of {@code active} ranks, half of which make their links themselves.
     *
     * @param context of rank 0 of a job of {@code size}; its caller runs the engine
     * @param call makes the link of a rank from its own side
     */
    public void exchange(Context context, int size, int active, IntConsumer call) {
        final List<Integer> received = new ArrayList<>();
        context.handler(ID, (from, buffer, m, ml, payload, length) -> received.add(buffer.getInt(payload)));
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[4]);
        for (int i = 0; i < active; i++) {
            final int rank = size - 1 - i * (size / 16 + 1) % (size - 1);
            if (i % 2 == 0) {
                call.accept(rank);
            } else {
                assertThat(context.sendImmediate(rank, ID, bytes, 0, 4)).isNotNegative();
            }
            context.advance();
            final PacketEnd end = Objects.requireNonNull(ends.get(rank), "the link is made");
            if (i % 2 != 0) {
                end.poll(Frame.REQUESTS, packet -> assertThat(packet.kind()).isEqualTo(PacketKind.DEMAND), 1);
                end.provideLane(Frame.REQUESTS, 0, 4096, rank, 0);
                context.advance();
                end.poll(Frame.REQUESTS, packet -> assertThat(packet.kind()).isEqualTo(PacketKind.SEND), 1);
                end.acknowledge();
            }
            end.demandLane(Frame.REQUESTS, 4096, rank, 0);
            context.advance();
            final Packet message = end.claim(Frame.REQUESTS).head(PacketKind.SEND, Packet.FIRST, rank, 0);
            message.target(ID, 0, 0).bodyLength(4).payloadLength(4);
            message.memory().putInt(message.payload(), rank);
            end.publish(Frame.REQUESTS);
            context.advance();
            context.advance();
            assertThat(received).last().isEqualTo(rank);
        }
        assertThat(received).hasSize(active);
        assertThat(ends).hasSize(active);
        assertThat(context.isDrained()).isTrue();
    }
}
