package org.segno.engine.dma;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.link.PacketEnd;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;

/** Names of linked peers: asked for over the link, answered by the peer's engine, refused if nobody asked. */
class NameLookupTest {
    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context asker;
    private Window window;

    @BeforeEach
    void make() {
        engines = EngineFixture.linked(
                directory, NodeSize.small().contexts(2).windowBytes(4096).dimensions(), EngineFixture.SMALL_LINK);
        asker = engines.context(0);
        window = engines.client(1).window(1024);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private Target attach(Context context, String name) {
        for (int turn = 0; turn < 1000; turn++) {
            try {
                return context.attach(1, name, Deadline.in(1, MILLISECONDS));
            } catch (DeadlineException notYet) {
                engines.context(1).advance();
            }
        }
        throw new AssertionError("not found: " + name);
    }

    @Test
    void shouldFindCountersAndPairsByNamesOfAnyLength() {
        final String longest = "ü".repeat(NameDirectory.MAX_NAME_BYTES / 2);
        final ReceptionCounter counter = engines.client(1).receptionCounter(window, 0, 64);
        final CounterPair pair = engines.client(1).counterPair(window, 64, 128, 64);
        engines.client(1).publish("a", counter);
        engines.client(1).publish(longest, pair);
        assertThat(attach(asker, "a"))
                .isEqualTo(new Target(1, counter.id(), counter.incarnation(), counter.length(), false));
        assertThat(attach(asker, longest)).isEqualTo(new Target(1, pair.id(), pair.incarnation(), pair.length(), true));
        assertThatThrownBy(() -> asker.attach(1, longest + "x", Deadline.in(1, SECONDS)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to " + NameDirectory.MAX_NAME_BYTES);
    }

    @Test
    void shouldLookForOneNameInEachContext() {
        final Context other = engines.client(0).context(1);
        final List<ReceptionCounter> counters = new ArrayList<>();
        for (final String name : new String[] {"x", "y"}) {
            counters.add(engines.client(1).receptionCounter(window, 0, 64));
            assertThatThrownBy(() -> asker.attach(1, name, Deadline.in(1, MILLISECONDS)))
                    .isInstanceOf(DeadlineException.class);
            assertThatThrownBy(() -> other.attach(1, name, Deadline.in(1, MILLISECONDS)))
                    .isInstanceOf(DeadlineException.class);
        }
        engines.settle();
        engines.client(1).publish("x", counters.get(0));
        engines.client(1).publish("y", counters.get(1));
        assertThat(attach(asker, "x").counter()).isEqualTo(counters.get(0).id());
        assertThat(attach(other, "y").counter()).isEqualTo(counters.get(1).id());
        assertThat(attach(asker, "y").counter()).isEqualTo(counters.get(1).id());
    }

    @Test
    void shouldEndALookupWhenThePeerIsLostOrHasLeft() {
        engines.states(0).change(1, PeerStates.LEFT);
        assertThatThrownBy(() -> asker.attach(1, "in", Deadline.in(10, SECONDS)))
                .isInstanceOf(ClosedException.class);
    }

    @Test
    void shouldEndALookupWhenTheLinkFails() {
        engines.link(0, 1).close();
        assertThatThrownBy(() -> asker.attach(1, "in", Deadline.in(10, SECONDS)))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("the link to rank 1 has failed");
    }

    @Test
    void shouldAcceptOnlyTheAnswerToTheOpenQuestion() {
        final PacketEnd peer = new PacketEnd(engines.link(1, 0));
        final List<Integer> requests = new ArrayList<>();
        for (final String name : new String[] {"old", "in"}) {
            assertThatThrownBy(() -> asker.attach(1, name, Deadline.in(1, MILLISECONDS)))
                    .isInstanceOf(DeadlineException.class);
            peer.poll(Frame.REQUESTS, packet -> requests.add(packet.request()), 10);
        }
        assertThat(requests).hasSize(2);
        final int open = requests.get(1);
        // The answer to the first question, which nobody waits for, arrives once.
        for (final int late : new int[] {requests.get(0), requests.get(0), open + 1, open + 256, open + 7, -1, 0}) {
            answer(peer, late, NameDirectory.COUNTER, 16);
            engines.pass(0);
        }
        assertThat(engines.metrics(0).get(Refusal.NOT_ASKED_FOR)).isEqualTo(6);
        answer(peer, open, NameDirectory.WITHDRAWN, 16);
        engines.pass(0);
        answer(peer, open, NameDirectory.COUNTER, 8);
        engines.pass(0);
        answer(peer, open, 0, 16);
        engines.pass(0);
        assertThat(engines.metrics(0).get(Refusal.BAD_PACKET)).isEqualTo(3);

        answer(peer, open, NameDirectory.COUNTER, 16);
        // The peer does not answer this call: at its deadline it returns what the answer before has told.
        assertThat(asker.attach(1, "in", Deadline.in(100, MILLISECONDS))).isEqualTo(new Target(1, 3, 4, 64, false));
        answer(peer, open, NameDirectory.COUNTER, 16);
        engines.pass(0);
        assertThat(engines.metrics(0).get(Refusal.NOT_ASKED_FOR)).isEqualTo(7);
    }

    private static void answer(PacketEnd peer, int request, int kind, int length) {
        final Packet packet = peer.claim(Frame.REPLIES)
                .head(PacketKind.NAME, Packet.FIRST, 1, 0)
                .target(request, kind, 0)
                .payloadLength(length);
        packet.memory().putLong(packet.payload(), 3 | 4L << Integer.SIZE);
        packet.memory().putLong(packet.payload() + Long.BYTES, 64);
        peer.publish(Frame.REPLIES);
    }

    @Test
    void shouldRefuseAQuestionOfAnotherLength() {
        final PacketEnd peer = new PacketEnd(engines.link(1, 0));
        for (final int length : new int[] {0, 96, 112}) {
            peer.claim(Frame.REQUESTS)
                    .head(PacketKind.ASK_NAME, Packet.FIRST, 1, 0)
                    .target(0, 0, 0)
                    .request(5)
                    .payloadLength(length);
            peer.publish(Frame.REQUESTS);
            engines.pass(0);
        }
        assertThat(engines.metrics(0).get(Refusal.BAD_PACKET)).isEqualTo(3);
        final List<Integer> kinds = new ArrayList<>();
        peer.poll(Frame.REPLIES, packet -> kinds.add(packet.kind()), 10);
        assertThat(kinds).containsExactly(PacketKind.REFUSED, PacketKind.REFUSED, PacketKind.REFUSED);
    }
}
