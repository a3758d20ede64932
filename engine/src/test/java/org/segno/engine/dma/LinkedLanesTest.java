package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.geometry.Endpoint;
import org.segno.link.PacketEnd;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.status.Refusal;
import org.segno.status.Status;

/** Lanes of linked origins: there are only those in use, within a limit, and every origin obtains one. */
class LinkedLanesTest {
    private static final int ID = 5;
    private static final int LINK_BYTES = 1 << 15;
    private static final int LANE = 4096;
    private static final int PLACE = 128 + LANE;
    private static final int LONG_PLACE = 128 + (1 << 16);

    @TempDir
    Path directory;

    private EngineFixture open(int ranks, long laneBytes) {
        return open(ranks, laneBytes, NodeSize.small());
    }

    private EngineFixture open(int ranks, long laneBytes, NodeSize size) {
        return EngineFixture.open(
                directory,
                size.ranks(ranks)
                        .fifos(5)
                        .laneBytes(1 << 16)
                        .windowBytes(1 << 16)
                        .dimensions(),
                Reach.LINKED,
                LINK_BYTES,
                laneBytes);
    }

    private static List<Long> receive(Context receiver) {
        final List<Long> received = new ArrayList<>();
        receiver.handler(
                ID,
                (from, buffer, m, ml, p, length) -> received.add((long) Endpoint.task(from) << 32 | buffer.getInt(m)));
        return received;
    }

    private static boolean send(Context sender, int to, Window source, int number, int length) {
        final UnsafeBuffer metadata = new UnsafeBuffer(new byte[4]);
        metadata.putInt(0, number);
        return sender.send(new Message().to(to, ID).metadata(metadata, 0, 4).payload(source, 0, length)) >= 0;
    }

    @Test
    void shouldTakeMemoryForLanesInUseOnly() {
        try (EngineFixture engines = open(4, 1 << 20)) {
            engines.settle();
            final List<Long> received = receive(engines.context(1));
            assertThat(engines.allocatedLaneBytes(1)).isZero();
            final Window source = engines.client(0).window(64);
            for (int i = 0; i < 1000; i++) {
                assertThat(send(engines.context(0), 1, source, i, 8)).isTrue();
                engines.settle();
            }
            assertThat(received).hasSize(1000);
            assertThat(engines.allocatedLaneBytes(1)).isEqualTo(PLACE);
            assertThat(engines.allocatedLaneBytes(0)).isZero();
        }
    }

    /** Requests fill the lanes of two ranks. Their handlers need lanes for replies, before they can empty those. */
    @Test
    void shouldHaveMemoryForRepliesWhileRequestsTakeAllOfTheirs() {
        final int requests = 50;
        final int fullTurns = 200;
        try (EngineFixture engines = open(2, PLACE, NodeSize.small().fifoSlots(2))) {
            final int[] turns = new int[1];
            final int[] sent = new int[2];
            final int[] replies = new int[2];
            final Window[] sources = new Window[2];
            for (int rank = 0; rank < 2; rank++) {
                final int own = rank;
                final Context context = engines.context(rank);
                sources[rank] = engines.client(rank).window(512);
                context.handler(ID, (from, buffer, m, ml, p, length) -> replies[own]++);
                context.replyingHandler(
                        ID + 1,
                        (from, buffer, m, ml, p, length) -> turns[0] < fullTurns
                                ? Status.AGAIN
                                : context.sendImmediate(from, ID, buffer, p, Long.BYTES));
            }
            while (turns[0]++ < 100 * fullTurns && replies[0] + replies[1] < 2 * requests) {
                final int rank = turns[0] & 1;
                final Message request = new Message().to(1 - rank, ID + 1).payload(sources[rank], 0, 500);
                while (sent[rank] < requests && engines.context(rank).send(request) >= 0) {
                    sent[rank]++;
                }
                engines.context(rank).advance();
            }
            assertThat(replies).containsExactly(requests, requests);
        }
    }

    /** The oldest lane has records that no handler accepts. Other origins obtain a lane all the same. */
    @Test
    void shouldRecallEmptyLanesBeforeTheLaneOfAnOriginThatIsNotAccepted() {
        try (EngineFixture engines = open(4, 2 * PLACE)) {
            final List<Long> received = receive(engines.context(0));
            engines.context(0).replyingHandler(ID + 1, (from, buffer, m, ml, p, length) -> Status.AGAIN);
            final Window held = engines.client(1).window(64);
            assertThat(engines.context(1).send(new Message().to(0, ID + 1).payload(held, 0, 8)))
                    .isNotNegative();
            engines.context(1).advance();
            engines.context(0).advance();
            for (int rank = 2; rank < 4; rank++) {
                assertThat(send(engines.context(rank), 0, engines.client(rank).window(64), rank, 8))
                        .isTrue();
                // A resting engine makes few passes, so few of them must suffice.
                for (int turn = 0; turn < 20; turn++) {
                    for (int each = 0; each < 4; each++) {
                        engines.context(each).advance();
                    }
                }
                assertThat(received).as("with rank %d", rank).hasSize(rank - 1);
            }
        }
    }

    /**
     * A context that does not advance any more has all lanes, full or empty. It blocks those who send to it, and nobody
     * else. Empty lanes are given up, but their memory is free only once the context has left them.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldDeliverToAContextWhileAnotherOneThatDoesNotAdvanceHoldsAllLanes(boolean areEmpty) {
        try (EngineFixture engines = open(4, 2 * PLACE, NodeSize.small().contexts(2))) {
            final List<Long> received = receive(engines.context(0));
            receive(engines.client(0).context(1));
            final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
            final long idle = engines.client(0).context(1).endpoint();
            for (int turn = 0; turn < 1_000; turn++) {
                if (turn == 0 || !areEmpty) {
                    engines.context(1).sendImmediate(idle, ID, bytes, 0, 32);
                    engines.context(2).sendImmediate(idle, ID, bytes, 0, 32);
                }
                advance(engines, 0, 1, 2);
                if (areEmpty && turn < 900) {
                    engines.client(0).context(1).advance();
                }
            }
            assertThat(engines.allocatedLaneBytes(0)).isEqualTo(2 * PLACE);
            final Window source = engines.client(3).window(64);
            for (int number = 0; number < 100; number++) {
                assertThat(send(engines.context(3), 0, source, number, 8)).isTrue();
                for (int turn = 0; turn < 5_000 && received.size() <= number; turn++) {
                    advance(engines, 0, 1, 2, 3);
                }
            }
            assertThat(received).hasSize(100).isSorted();
            assertThat(engines.allocatedLaneBytes(0)).as("one more").isEqualTo(3 * PLACE);
        }
    }

    /** Origins that do nothing any more cannot give their lanes up. The memory is used again once they can. */
    @Test
    void shouldDeliverWhileTheOriginsThatHoldAllLanesDoNothing() {
        try (EngineFixture engines = open(5, 2 * PLACE)) {
            final List<Long> received = receive(engines.context(0));
            for (int rank = 1; rank < 5; rank++) {
                assertThat(send(engines.context(rank), 0, engines.client(rank).window(64), rank, 8))
                        .isTrue();
                for (int turn = 0; turn < 20_000 && received.size() < rank; turn++) {
                    advance(engines, 0, rank);
                }
                assertThat(received).as("with rank %d", rank).hasSize(rank);
            }
            assertThat(engines.allocatedLaneBytes(0)).isEqualTo(4 * PLACE);
            engines.settle();
            for (int rank = 1; rank < 5; rank++) {
                assertThat(send(engines.context(rank), 0, engines.client(rank).window(64), rank, 8))
                        .isTrue();
                engines.settle();
            }
            assertThat(received).hasSize(8);
            assertThat(engines.allocatedLaneBytes(0))
                    .as("in all, no further lane")
                    .isEqualTo(4 * PLACE);
        }
    }

    private static void advance(EngineFixture engines, int... ranks) {
        for (final int rank : ranks) {
            engines.context(rank).advance();
        }
    }

    /** Many origins share the memory of two lanes: each obtains one in turn, and gives it up for the others. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldDeliverEveryMessageInOrderWithFewerLanesThanOrigins(long seed) {
        final int ranks = 7;
        try (EngineFixture engines = open(ranks, 2 * PLACE)) {
            final Random chance = new Random(seed);
            final List<Long> received = receive(engines.context(0));
            final Window[] sources = new Window[ranks];
            final int[] sent = new int[ranks];
            for (int rank = 1; rank < ranks; rank++) {
                sources[rank] = engines.client(rank).window(1024);
            }
            for (int turn = 0; turn < 20_000; turn++) {
                final int rank = 1 + chance.nextInt(ranks - 1);
                if (chance.nextInt(3) == 0
                        && send(engines.context(rank), 0, sources[rank], sent[rank], chance.nextInt(900))) {
                    sent[rank]++;
                }
                engines.context(chance.nextInt(ranks)).advance();
            }
            engines.settle();
            for (int rank = 1; rank < ranks; rank++) {
                final long from = rank;
                assertThat(received.stream().filter(one -> one >>> 32 == from).map(Long::intValue))
                        .as("from rank %d", rank)
                        .hasSize(sent[rank])
                        .isSorted();
                assertThat(sent[rank]).as("of rank %d", rank).isGreaterThan(100);
            }
            assertThat(engines.allocatedLaneBytes(0)).isEqualTo(2 * PLACE);
            for (final Refusal refusal : Refusal.values()) {
                assertThat(engines.metrics(0).get(refusal)).as(refusal.name()).isZero();
            }
        }
    }

    /** A lane stays until the notice of a PUT of several packets, which is charged when the PUT begins, is there. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldKeepTheLaneOfANoticeWhoseBytesAreOnTheirWay(long seed) {
        final int ranks = 5;
        try (EngineFixture engines = open(ranks, 2 * PLACE + (1 << 14))) {
            final Random chance = new Random(seed);
            final List<Long> received = receive(engines.context(0));
            final int[] notices = new int[1];
            engines.context(0).notified(ID + 1, (from, id, offset, bytes) -> notices[0]++);
            final Window target = engines.client(0).window(16_000);
            final ReceptionCounter counter = engines.client(0).receptionCounter(target, 0, 16_000);
            final Target in = new Target(0, counter.id(), counter.incarnation(), 16_000, false);
            final Window[] sources = new Window[ranks];
            final InjectionFifo[] further = new InjectionFifo[ranks];
            for (int rank = 1; rank < ranks; rank++) {
                sources[rank] = engines.client(rank).window(16_000);
                further[rank] = engines.context(rank).injectionFifo();
                // Few bytes in a visit, so that other FIFOs are served between the parts.
                further[rank].quantum(600, 1);
            }
            int sent = 0;
            int notified = 0;
            for (int turn = 0; turn < 20_000; turn++) {
                final int rank = 1 + chance.nextInt(ranks - 1);
                final int kind = chance.nextInt(8);
                if (kind == 0) {
                    final long put = further[rank].putNotifying(
                            in, 0, sources[rank], 0, 1 + chance.nextInt(8000), new Notification().at(ID + 1));
                    notified += put >= 0 ? 1 : 0;
                } else if (kind < 3) {
                    // A long one needs a longer lane.
                    final int length = chance.nextInt(4) == 0 ? 2000 : 20;
                    sent += send(engines.context(rank), 0, sources[rank], sent, length) ? 1 : 0;
                }
                engines.context(chance.nextInt(ranks)).advance();
            }
            for (int turn = 0; turn < 50_000 && (received.size() < sent || notices[0] < notified); turn++) {
                engines.context(turn % ranks).advance();
            }
            assertThat(received).hasSize(sent);
            assertThat(notices[0]).isEqualTo(notified).isGreaterThan(100);
            for (final Refusal refusal : Refusal.values()) {
                assertThat(engines.metrics(0).get(refusal)).as(refusal.name()).isZero();
            }
        }
    }

    /** A record that a lane does not hold obtains a longer one, behind everything that was sent before it. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldReplaceALaneThatIsTooShortInOrder(long seed) {
        try (EngineFixture engines = open(2, 1 << 17)) {
            final Random chance = new Random(seed);
            final List<Long> received = receive(engines.context(1));
            final Window source = engines.client(0).window(16_000);
            int sent = 0;
            for (int turn = 0; turn < 5_000; turn++) {
                final int length = chance.nextInt(20) == 0 ? chance.nextInt(turn + 500) : chance.nextInt(100);
                if (send(engines.context(0), 1, source, sent, length)) {
                    sent++;
                }
                engines.context(chance.nextInt(2)).advance();
            }
            engines.settle();
            assertThat(received).hasSize(sent).isSorted();
            final long all = engines.allocatedLaneBytes(1);
            // A lane that was full may have become longer at once.
            assertThat(all)
                    .as("one after the other")
                    .isBetween(2 * 128 + (4 + 32) * 1024L, 4 * 128 + (4 + 8 + 16 + 32) * 1024L);
        }
    }

    /** The first lane is short: what is on its way would wait for the credit of what has arrived. */
    @Test
    void shouldObtainALongLaneOnceTheShortOneIsFull() {
        try (EngineFixture engines = open(2, 1 << 18)) {
            final List<Long> received = receive(engines.context(1));
            final Window source = engines.client(0).window(64);
            int sent = 0;
            while (sent < 30) {
                sent += send(engines.context(0), 1, source, sent, 20) ? 1 : 0;
                engines.pass(0);
                engines.pass(1);
            }
            assertThat(engines.allocatedLaneBytes(1)).as("a lane with room").isEqualTo(PLACE);
            sent = sendUntilHeld(engines, source, sent);
            assertThat(sent).as("in the short lane").isLessThan(100);
            engines.settle();
            assertThat(engines.allocatedLaneBytes(1)).isEqualTo(PLACE + LONG_PLACE);
            final int before = sent;
            sent = sendUntilHeld(engines, source, sent);
            assertThat(sent - before).as("in the long lane").isGreaterThan(800);
            engines.settle();
            assertThat(received).hasSize(sent).isSorted();
            assertThat(engines.allocatedLaneBytes(1)).as("once").isEqualTo(PLACE + LONG_PLACE);
        }
    }

    /** Sends until a message finds no credit, while nothing is taken. Returns the number of all that were accepted. */
    private static int sendUntilHeld(EngineFixture engines, Window source, int first) {
        int sent = first;
        for (int idle = 0; idle < 4; ) {
            final int before = sent;
            for (int i = 0; i < 4 && engines.context(0).fifo().fill() < 8; i++) {
                sent += send(engines.context(0), 1, source, sent, 20) ? 1 : 0;
            }
            engines.pass(0);
            engines.pass(1);
            idle = sent == before ? idle + 1 : 0;
        }
        return sent;
    }

    @Test
    void shouldKeepTheShortLaneWhereALongOneWouldTakeTheMemoryOfOthers() {
        try (EngineFixture engines = open(2, 4 * PLACE)) {
            final List<Long> received = receive(engines.context(1));
            final Window source = engines.client(0).window(64);
            int sent = 0;
            for (int round = 0; round < 3; round++) {
                final int before = sent;
                sent = sendUntilHeld(engines, source, sent);
                assertThat(sent - before).as("round %d", round).isBetween(20, 100);
                engines.settle();
                assertThat(received).hasSize(sent).isSorted();
            }
            assertThat(engines.allocatedLaneBytes(1)).isEqualTo(PLACE);
        }
    }

    @Test
    void shouldObtainALaneThatLeavesHalfOfTheMemoryToOthers() {
        try (EngineFixture engines = open(2, LONG_PLACE)) {
            final List<Long> received = receive(engines.context(1));
            final Window source = engines.client(0).window(64);
            int sent = sendUntilHeld(engines, source, 0);
            for (int round = 0; round < 3; round++) {
                engines.settle();
                final int before = sent;
                sent = sendUntilHeld(engines, source, sent);
                assertThat(sent - before).as("round %d", round).isBetween(200, 400);
            }
            engines.settle();
            assertThat(received).hasSize(sent).isSorted();
            assertThat(engines.allocatedLaneBytes(1)).isEqualTo(PLACE + 128 + 16 * 1024L);
        }
    }

    /** The link to the lost rank may be full of what that rank has never received. */
    @ParameterizedTest
    @CsvSource({
        PeerStates.DEAD + ", false",
        PeerStates.DEAD + ", true",
        PeerStates.LEFT + ", false",
        PeerStates.LEFT + ", true"
    })
    void shouldUseTheMemoryOfALostOriginAgain(int state, boolean isFull) {
        try (EngineFixture engines = open(3, PLACE)) {
            final List<Long> received = receive(engines.context(0));
            final Window first = engines.client(1).window(64);
            final Window second = engines.client(2).window(64);
            send(engines.context(1), 0, first, 1, 8);
            engines.settle();
            final PacketEnd full = new PacketEnd(engines.link(0, 1));
            while (isFull && full.room(Frame.REPLIES) > 0) {
                full.claim(Frame.REPLIES);
                full.publish(Frame.REPLIES);
            }
            engines.states(0).change(1, state);
            engines.states(2).change(1, state);
            for (int i = 0; i < 100; i++) {
                send(engines.context(2), 0, second, i, 8);
                engines.context(0).advance();
                engines.context(2).advance();
            }
            engines.context(2).advance();
            engines.context(0).advance();
            assertThat(received).hasSizeGreaterThan(90);
            assertThat(engines.allocatedLaneBytes(0)).isEqualTo(PLACE);
        }
    }

    /** In each pass the engine polls the FIFOs in the order of their numbers, which is another one. */
    @Test
    void shouldServeFifosThatWaitForTheCreditOfALaneInTheOrderOfTheirDemand() {
        try (EngineFixture engines = open(2, PLACE)) {
            final List<Long> received = receive(engines.context(1));
            final Context sender = engines.context(0);
            final Window source = engines.client(0).window(1024);
            final InjectionFifo[] further = {sender.injectionFifo(), sender.injectionFifo(), sender.injectionFifo()};
            int sent = 0;
            for (int turn = 0; turn < 20; turn++) {
                sent += send(sender, 1, source, sent, 900) ? 1 : 0;
                engines.pass(0);
                engines.pass(1);
            }
            assertThat(sender.isDrained()).as("the lane is full").isFalse();
            final int[] lengths = {8, 1000, 300};
            for (final int fifo : new int[] {2, 0, 1}) {
                final UnsafeBuffer metadata = new UnsafeBuffer(new byte[4]);
                metadata.putInt(0, 1000 + fifo);
                final Message message =
                        new Message().to(1, ID).metadata(metadata, 0, 4).payload(source, 0, lengths[fifo]);
                assertThat(further[fifo].send(message)).isNotNegative();
                for (int turn = 0; turn < 40; turn++) {
                    engines.pass(0);
                    engines.pass(1);
                }
            }
            assertThat(received).isEmpty();
            engines.settle();
            assertThat(received)
                    .filteredOn(number -> number < 1000)
                    .hasSize(sent)
                    .isSorted();
            assertThat(received).filteredOn(number -> number >= 1000).containsExactly(1002L, 1000L, 1001L);
        }
    }

    /** The rest of a message of a dead rank arrives when another rank has the memory of its lane. */
    @Test
    void shouldDropTheRestOfAMessageWhoseOriginHasDied() {
        try (EngineFixture engines = open(3, PLACE)) {
            final List<Long> received = receive(engines.context(0));
            final PacketEnd dead = new PacketEnd(engines.link(1, 0));
            dead.demandLane(Frame.REQUESTS, LANE, 1, 0);
            engines.pass(0);
            // As long as the message of rank 2 below, so that the next record of both lanes begins at the same place.
            dead.claim(Frame.REQUESTS)
                    .head(PacketKind.SEND, Packet.FIRST, 1, 0)
                    .body(ID, 0, 4)
                    .bodyLength(12)
                    .payloadLength(12);
            dead.publish(Frame.REQUESTS);
            dead.claim(Frame.REQUESTS)
                    .head(PacketKind.SEND, Packet.FIRST, 1, 0)
                    .target(ID, 0, 0)
                    .bodyLength(600)
                    .payloadLength(300);
            dead.publish(Frame.REQUESTS);
            engines.context(0).advance();
            assertThat(received).hasSize(1);
            received.clear();
            engines.states(0).change(1, PeerStates.DEAD);
            engines.states(2).change(1, PeerStates.DEAD);
            final Window source = engines.client(2).window(64);
            send(engines.context(2), 0, source, 0, 8);
            for (int turn = 0; turn < 20; turn++) {
                engines.context(0).advance();
                engines.context(2).advance();
            }
            assertThat(received).containsExactly(2L << 32);

            dead.claim(Frame.REQUESTS)
                    .head(PacketKind.SEND, 0, 1, 0)
                    .target(ID, 0, 0)
                    .part(300, 0)
                    .payloadLength(300);
            dead.publish(Frame.REQUESTS);
            engines.context(0).advance();
            send(engines.context(2), 0, source, 1, 8);
            for (int turn = 0; turn < 20; turn++) {
                engines.context(2).advance();
                engines.context(0).advance();
            }
            assertThat(received).containsExactly(2L << 32, 2L << 32 | 1);
            assertThat(engines.allocatedLaneBytes(0)).isEqualTo(PLACE);
        }
    }

    /** The end of the lane, which was too short for the incomplete message, was skipped for it. */
    @Test
    void shouldUseALaneAgainWhoseLastMessageIsIncompleteBehindTheEndOfTheLane() {
        try (EngineFixture engines = open(3, PLACE)) {
            final List<Long> received = receive(engines.context(0));
            final int[] before = new int[1];
            engines.context(0).handler(ID + 1, (from, buffer, m, ml, p, length) -> before[0]++);
            final PacketEnd lost = new PacketEnd(engines.link(1, 0));
            lost.demandLane(Frame.REQUESTS, LANE, 1, 0);
            engines.pass(0);
            for (int i = 0; i < 4; i++) {
                publish(lost, ID + 1, Packet.FIRST, 0, 900, 450);
                publish(lost, ID + 1, 0, 450, 900, 450);
                engines.context(0).advance();
            }
            assertThat(before[0]).isEqualTo(4);
            publish(lost, ID + 1, Packet.FIRST, 0, 600, 300);
            engines.context(0).advance();
            engines.states(0).change(1, PeerStates.CUT);
            send(engines.context(2), 0, engines.client(2).window(64), 0, 8);
            for (int turn = 0; turn < 20; turn++) {
                engines.context(0).advance();
                engines.context(2).advance();
            }
            assertThat(received).containsExactly(2L << 32);
            assertThat(engines.allocatedLaneBytes(0)).isEqualTo(PLACE);
        }
    }

    /** The lane of a dead rank is not given up while its handler accepts nothing. */
    @Test
    void shouldDropTheMessagesOfADeadRankBehindOneThatWasDropped() {
        try (EngineFixture engines = open(2, PLACE)) {
            final boolean[] accepts = new boolean[1];
            final int[] accepted = new int[1];
            engines.context(0).replyingHandler(ID, (from, buffer, m, ml, p, length) -> {
                accepted[0] += accepts[0] ? 1 : 0;
                return accepts[0] ? 0 : Status.AGAIN;
            });
            final PacketEnd dead = new PacketEnd(engines.link(1, 0));
            dead.demandLane(Frame.REQUESTS, LANE, 1, 0);
            engines.pass(0);
            publish(dead, ID, Packet.FIRST, 0, 12, 12);
            publish(dead, ID, Packet.FIRST, 0, 600, 300);
            engines.context(0).advance();
            engines.states(0).change(1, PeerStates.DEAD);
            for (int turn = 0; turn < 20; turn++) {
                engines.context(0).advance();
            }
            publish(dead, ID, 0, 300, 600, 300);
            publish(dead, ID, Packet.FIRST, 0, 12, 12);
            engines.context(0).advance();
            accepts[0] = true;
            for (int turn = 0; turn < 20; turn++) {
                engines.context(0).advance();
            }
            assertThat(accepted[0]).isEqualTo(1);
        }
    }

    /** Sends a part of a message without metadata to rank 0. */
    private static void publish(PacketEnd end, int id, int flags, int at, int bodyLength, int length) {
        end.claim(Frame.REQUESTS)
                .head(PacketKind.SEND, flags, 1, 0)
                .body(id, 0, 0)
                .bodyLength(bodyLength)
                .part(at, 0)
                .payloadLength(length);
        end.publish(Frame.REQUESTS);
    }

    @Test
    void shouldDropWithoutCreditWhatIsSentToARankThatHasLeft() {
        try (EngineFixture engines = open(2, 1 << 20)) {
            final Window source = engines.client(0).window(1024);
            send(engines.context(0), 1, source, 0, 8);
            engines.settle();
            engines.states(0).change(1, PeerStates.LEFT);
            for (int i = 0; i < 50; i++) {
                assertThat(send(engines.context(0), 1, source, i, 900)).isTrue();
                engines.context(0).advance();
                engines.context(0).advance();
            }
            assertThat(engines.context(0).isDrained()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, 4096, 4096",
        "-1, 4096, 4096",
        "0, 2048, 2048",
        "0, 4097, 4096",
        "0, 6144, 4096",
        "0, 131072, 4096",
        "0, -4096, 4096",
        "0, 4096, 0",
        "0, 4096, 2048",
        "0, 8192, 6144",
        "0, 4096, 8192",
        "0, 8192, -4096"
    })
    void shouldRefuseADemandThatIsImpossible(int context, long bytes, int least) {
        try (EngineFixture engines = open(2, 1 << 20)) {
            final PacketEnd peer = new PacketEnd(engines.link(0, 1));
            peer.claim(Frame.REQUESTS)
                    .head(PacketKind.DEMAND, Packet.FIRST, 0, 1)
                    .target(context, least, bytes);
            peer.publish(Frame.REQUESTS);
            engines.pass(1);
            assertThat(engines.metrics(1).get(Refusal.BAD_PACKET)).isEqualTo(1);
            assertThat(engines.allocatedLaneBytes(1)).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 4096", "-1, 0, 4096", "0, 0, 1024", "0, 0, 131072", "0, 1, 4096", "0, 2, 1024", "0, 3, 4096"})
    void shouldRefuseALaneThatWasNotDemanded(int context, int stream, long bytes) {
        try (EngineFixture engines = open(2, 1 << 20)) {
            final PacketEnd peer = new PacketEnd(engines.link(1, 0));
            engines.context(0).sendImmediate(1, ID, new UnsafeBuffer(new byte[8]), 0, 8);
            engines.pass(0);
            peer.provideLane(stream, context, bytes, 1, 0);
            engines.pass(0);
            assertThat(engines.metrics(0).get(Refusal.BAD_PACKET)).isEqualTo(1);
        }
    }

    @Test
    void shouldRefuseRecordsWithoutALane() {
        try (EngineFixture engines = open(2, 1 << 20)) {
            final List<Long> received = receive(engines.context(1));
            final PacketEnd peer = new PacketEnd(engines.link(0, 1));
            peer.claim(Frame.REQUESTS)
                    .head(PacketKind.SEND, Packet.FIRST, 0, 1)
                    .target(ID, 0, 0)
                    .bodyLength(8)
                    .payloadLength(8);
            peer.publish(Frame.REQUESTS);
            engines.pass(1);
            engines.context(1).advance();
            assertThat(received).isEmpty();
            final List<Integer> reasons = new ArrayList<>();
            peer.poll(Frame.REPLIES, packet -> reasons.add(packet.target()), 8);
            assertThat(reasons).containsExactly(Refusal.TOO_LONG.code());
        }
    }
}
