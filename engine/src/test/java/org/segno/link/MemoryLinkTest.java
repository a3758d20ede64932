package org.segno.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Test;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.status.Deadline;

class MemoryLinkTest {
    private static final int PACKETS = 4;
    private static final int TRANSFERS = 200_000;

    private final MemoryLink[] ends = MemoryLink.join(3, 7, PACKETS);
    private final List<Integer> received = new ArrayList<>();

    @Test
    void shouldJoinTheTwoRanks() {
        assertThat(ends[0].rank()).isEqualTo(7);
        assertThat(ends[1].rank()).isEqualTo(3);
        assertThat(ends[0].capacity()).isEqualTo(PACKETS);
    }

    @Test
    void shouldTakeAsManyPacketsAsItHoldsAndNoMore() {
        for (int i = 0; i < PACKETS; i++) {
            assertThat(ends[0].room(Packet.REQUESTS)).isEqualTo(PACKETS - i);
            send(ends[0], PacketKind.COUNT, i);
        }
        assertThat(ends[0].room(Packet.REQUESTS)).isZero();
        assertThat(ends[0].room(Packet.REPLIES)).as("the other channel").isEqualTo(PACKETS);
        assertThat(ends[1].room(Packet.REQUESTS)).as("the other direction").isEqualTo(PACKETS);

        assertThat(ends[1].poll(Packet.REQUESTS, this::take, 3)).isEqualTo(3);
        assertThat(received).containsExactly(0, 1, 2);
        assertThat(ends[0].room(Packet.REQUESTS)).isEqualTo(3);
        assertThat(ends[1].poll(Packet.REPLIES, this::take, 10)).isZero();
    }

    @Test
    void shouldKeepAPacketThatIsNotTakenAndThoseBehindIt() {
        send(ends[0], PacketKind.COUNT, 1);
        send(ends[0], PacketKind.COUNT, 2);
        assertThat(ends[1].poll(Packet.REQUESTS, packet -> packet.target() == 1 && take(packet), 10))
                .isEqualTo(1);
        assertThat(ends[1].poll(Packet.REQUESTS, packet -> false, 10)).isZero();
        assertThat(ends[1].poll(Packet.REQUESTS, this::take, 10)).isEqualTo(1);
        assertThat(received).containsExactly(1, 2);
    }

    @Test
    void shouldSendNothingOfAPacketThatIsNotPublished() {
        ends[0].claim(Packet.REQUESTS).head(PacketKind.COUNT, 0, 3, 7).target(9, 0, 0);
        assertThat(ends[1].poll(Packet.REQUESTS, this::take, 10)).isZero();
        send(ends[0], PacketKind.COUNT, 5);
        ends[1].poll(Packet.REQUESTS, this::take, 10);
        assertThat(received).containsExactly(5);
    }

    @Test
    void shouldBeDownAtBothEndsOnceOneIsClosedAndStillShowReceivedPackets() {
        send(ends[0], PacketKind.COUNT, 1);
        assertThat(ends[1].state()).isEqualTo(LinkState.UP);
        ends[1].close();
        assertThat(ends[0].state()).isEqualTo(LinkState.DOWN);
        assertThat(ends[0].room(Packet.REQUESTS)).isZero();
        assertThat(ends[1].poll(Packet.REQUESTS, this::take, 10)).isEqualTo(1);
    }

    @Test
    void shouldNameACapacityThatIsNone() {
        for (final int packets : new int[] {-1, 0, 3}) {
            assertThatThrownBy(() -> MemoryLink.join(0, 1, packets)).hasMessageContaining("packets=" + packets);
        }
    }

    @Test
    void shouldKeepTheOrderAndEveryWordBetweenTwoThreads() throws InterruptedException {
        final Thread sender = new Thread(() -> {
            for (int i = 0; i < TRANSFERS; i++) {
                while (ends[0].room(Packet.REPLIES) == 0) {
                    YieldingIdleStrategy.INSTANCE.idle();
                }
                final Packet packet = ends[0].claim(Packet.REPLIES).head(PacketKind.GET_DATA, 0, 3, 7);
                packet.target(i, ~i, i * 31L).payloadLength(Packet.PAYLOAD_LIMIT);
                packet.memory().putLong(packet.payload() + Packet.PAYLOAD_LIMIT - Long.BYTES, i * 37L);
                ends[0].publish(Packet.REPLIES);
            }
        });
        sender.setDaemon(true);
        sender.start();
        final long deadlineNs = Deadline.in(30, TimeUnit.SECONDS);
        final int[] next = new int[1];
        while (next[0] < TRANSFERS) {
            assertThat(Deadline.reached(deadlineNs))
                    .as("the deadline has passed")
                    .isFalse();
            final int before = next[0];
            ends[1].poll(
                    Packet.REPLIES,
                    packet -> {
                        assertThat(packet.target()).isEqualTo(next[0]);
                        assertThat(packet.detail()).isEqualTo(~next[0]);
                        assertThat(packet.offset()).isEqualTo(next[0] * 31L);
                        assertThat(packet.memory().getLong(packet.payload() + Packet.PAYLOAD_LIMIT - Long.BYTES))
                                .isEqualTo(next[0]++ * 37L);
                        return true;
                    },
                    10);
            if (before == next[0]) {
                YieldingIdleStrategy.INSTANCE.idle();
            }
        }
        sender.join();
        assertThat(next[0]).isEqualTo(TRANSFERS);
    }

    private boolean take(Packet packet) {
        received.add(packet.target());
        return true;
    }

    private static void send(Link link, int kind, int target) {
        link.claim(PacketKind.channel(kind)).head(kind, Packet.FIRST, 3, 7).target(target, 0, 0);
        link.publish(PacketKind.channel(kind));
    }
}
