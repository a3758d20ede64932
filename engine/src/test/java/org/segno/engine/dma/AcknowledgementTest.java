package org.segno.engine.dma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.Metric;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.link.PacketEnd;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;
import org.segno.status.StatusAccess;

/** Acknowledgements: the test holds rank 0's end of a link, and acknowledges or refuses what rank 1 sends. */
class AcknowledgementTest {
    private static final int PART = EngineFixture.PAYLOAD_LIMIT - Packet.PUT_PREFIX_LENGTH;
    private static final int LINK_BYTES = 1 << 17;
    private static final int FRAMES = 4096;
    private static final int WINDOW = 1 << 16;
    private static final Target IN = new Target(0, 1, 1, WINDOW, false);
    private static final Target ALSO_IN = new Target(0, 2, 1, WINDOW, false);

    @TempDir
    Path directory;

    private final List<Integer> kinds = new ArrayList<>();
    private EngineFixture engines;
    private PacketEnd link;
    private Context sender;
    private Window source;
    private ReceptionCounter counted;
    private InjectionCounter done;
    private int taken;
    private long credit;

    @BeforeEach
    void make() {
        engines = EngineFixture.linked(
                directory,
                NodeSize.small()
                        .fifos(4)
                        .fifoSlots(2048)
                        .patterns(128)
                        .patternSlots(256)
                        .runSlots(128)
                        .windowBytes(2 * WINDOW)
                        .dimensions(),
                LINK_BYTES);
        link = new PacketEnd(engines.link(0, 1));
        sender = engines.context(1);
        source = engines.client(1).window(WINDOW);
        counted = engines.client(1).receptionCounter(source, 0, 64);
        done = engines.client(1).injectionCounter();
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldCompleteAPutPartByPartAndItsSlotWithTheLast() {
        done.expect(2 * PART + 100);
        final long position = sender.put(IN, 0, source, 0, 2 * PART + 100, done);
        pass();
        assertThat(take()).isEqualTo(3);
        assertThat(done.valueAcquire()).isEqualTo(2 * PART + 100);
        acknowledge(1);
        assertThat(done.valueAcquire()).isEqualTo(PART + 100);
        acknowledge(2);
        assertThat(done.valueAcquire()).isEqualTo(100);
        assertThat(sender.isCarriedOut(position)).isFalse();
        assertThat(sender.isDrained()).isFalse();
        acknowledge(3);
        assertThat(done.valueAcquire()).isZero();
        assertThat(sender.isCarriedOut(position)).isTrue();
        assertThat(sender.isDrained()).isTrue();
    }

    @Test
    void shouldReturnSlotsInOrderWhenLaterVisitsLand() {
        final long first = sender.put(IN, 0, source, 0, 8);
        pass();
        final long second = sender.count(IN, 1);
        pass();
        final long third = sender.put(IN, 0, source, 0, 8);
        pass();
        take();
        acknowledge(2);
        assertThat(sender.isCarriedOut(first)).isTrue();
        assertThat(sender.isCarriedOut(second)).isTrue();
        assertThat(sender.isCarriedOut(third)).isFalse();
        // Nothing over the link: it is carried out at once, but not before those before it.
        final long local = sender.copy(source, 0, source, 64, 8);
        pass();
        assertThat(sender.isCarriedOut(local)).isFalse();
        acknowledge(3);
        assertThat(sender.isCarriedOut(local)).isTrue();
    }

    @Test
    void shouldReturnSlotsOfMoreVisitsThanAreTold() {
        long position = 0;
        for (int i = 0; i < 100; i++) {
            position = sender.put(IN, 0, source, 0, 8);
            pass();
        }
        take();
        acknowledge(50);
        assertThat(sender.isCarriedOut(position)).isFalse();
        assertThat(sender.fifo().fill()).isBetween(50L, 100L);
        acknowledge(99);
        assertThat(sender.isCarriedOut(position)).isFalse();
        acknowledge(100);
        assertThat(sender.isDrained()).isTrue();
        // The positions after it are returned at once, and those over the link are not.
        sender.copy(source, 0, source, 64, 8);
        pass();
        assertThat(sender.isDrained()).isTrue();
        sender.put(IN, 0, source, 0, 8);
        pass();
        assertThat(sender.isDrained()).isFalse();
    }

    @Test
    void shouldSendNoMoreOfARefusedPutAndCountNothingDown() {
        done.expect(8);
        final InjectionCounter longOne = engines.client(1).injectionCounter();
        longOne.expect(40 * PART);
        final InjectionFifo other = sender.injectionFifo();
        other.quantum(1, 1);
        engines.settle();
        other.put(IN, 0, source, 0, 40 * PART, longOne);
        pass();
        final int sent = take();
        assertThat(sent).isPositive();
        refuse(Frame.REQUESTS, taken - 1, Refusal.STALE_COUNTER);
        // One that the pass has sent before it received the refusal.
        take();
        acknowledge(taken);
        pass();
        pass();
        assertThat(take()).as("further parts").isZero();
        other.put(ALSO_IN, 0, source, 0, 8, done);
        pass();
        take();
        acknowledge(taken);
        assertThat(done.valueAcquire()).isZero();
        assertThat(InjectionCounter.code(longOne.errorAcquire())).isEqualTo(Refusal.STALE_COUNTER.code());
        assertThat(InjectionCounter.rank(longOne.errorAcquire())).isZero();
        assertThat(longOne.valueAcquire()).isEqualTo((40L - sent + 1) * PART);
        assertThat(other.isEmpty()).isTrue();
    }

    @Test
    void shouldCountNothingDownForAnyPartOfARefusedSend() {
        done.expect(1000 + 8);
        sender.send(new Message().to(0, 5).payload(source, 0, 1000).completes(done));
        sender.send(new Message().to(0, 5).payload(source, 0, 8).completes(done));
        pass();
        assertThat(take()).as("demand for a lane").isEqualTo(1);
        link.provideLane(Frame.REQUESTS, 0, 4096, 0, 1);
        pass();
        assertThat(take()).isEqualTo(3);
        refuse(Frame.REQUESTS, 1, Refusal.NO_SUCH_CONTEXT);
        acknowledge(4);
        assertThat(done.valueAcquire()).isEqualTo(1000);
        assertThatThrownBy(() -> sender.await(done, Deadline.in(10, SECONDS)))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("rank 0 refused")
                .hasMessageContaining(Refusal.NO_SUCH_CONTEXT.reason());
        assertThat(sender.isDrained()).isTrue();
    }

    @Test
    void shouldExecuteARoundWhenItHasLandedAndFailItWhenAPacketIsRefused() {
        final Pattern pattern = sender.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            sender.put(IN, 0, source, 0, 8);
            sender.put(ALSO_IN, 0, source, 0, 8);
        });
        assertThat(sender.replay(pattern)).isEqualTo(1);
        pass();
        assertThat(take()).isEqualTo(2);
        acknowledge(1);
        assertThat(pattern.executedAcquire()).isZero();
        assertThat(sender.isDrained()).isFalse();
        acknowledge(2);
        assertThat(pattern.executedAcquire()).isEqualTo(1);
        assertThat(sender.isDrained()).isTrue();
        assertThat(sender.replay(pattern)).isEqualTo(2);
        pass();
        take();
        refuse(Frame.REQUESTS, 3, Refusal.STALE_COUNTER);
        acknowledge(4);
        assertThat(pattern.executedAcquire()).isEqualTo(2);
        assertThatThrownBy(() -> sender.await(pattern, 2, Deadline.in(10, SECONDS)))
                .isInstanceOf(RefusedException.class);
        assertThatThrownBy(() -> sender.replay(pattern)).isInstanceOf(RefusedException.class);
    }

    @Test
    void shouldKeepThePacketsOfARunThatIsSetAside() {
        final ReceptionCounter gate = engines.client(1).receptionCounter(source, 0, 64);
        final Pattern waiting = sender.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            sender.put(IN, 0, source, 0, 8);
            sender.waitUntil(gate, 0);
            sender.put(IN, 8, source, 0, 8);
        });
        final Pattern passing = sender.prepare(Rounds.ORDERED_BY_CALLER, () -> sender.put(IN, 0, source, 0, 8));
        gate.expect(1);
        sender.replay(waiting);
        pass();
        sender.replay(passing);
        pass();
        take();
        acknowledge(1);
        assertThat(waiting.executedAcquire()).isZero();
        acknowledge(2);
        assertThat(waiting.executedAcquire()).isZero();
        assertThat(passing.executedAcquire()).isEqualTo(1);
        count(gate, -1);
        pass();
        pass();
        take();
        assertThat(waiting.executedAcquire()).isZero();
        assertThat(sender.isDrained()).isFalse();
        acknowledge(3);
        assertThat(waiting.executedAcquire()).isEqualTo(1);
        assertThat(sender.isDrained()).isTrue();
    }

    @Test
    void shouldHoldRunsBeyondThoseThatCanBeUnlanded() {
        final List<Pattern> patterns = new ArrayList<>();
        for (int i = 0; i < 70; i++) {
            patterns.add(sender.prepare(Rounds.ORDERED_BY_CALLER, () -> sender.put(IN, 0, source, 0, 8)));
            sender.replay(patterns.get(i));
        }
        pass();
        pass();
        assertThat(take()).isEqualTo(64);
        acknowledge(10);
        pass();
        assertThat(take()).isEqualTo(6);
        acknowledge(70);
        pass();
        assertThat(patterns).allSatisfy(one -> assertThat(one.executedAcquire()).isEqualTo(1));
        assertThat(sender.isDrained()).isTrue();
    }

    @Test
    void shouldSendNoMoreThanTheLimitWithoutAcknowledgement() {
        for (int i = 0; i < Unlanded.LIMIT + 100; i++) {
            assertThat(sender.count(IN, 1)).isNotNegative();
        }
        for (int i = 0; i < 5; i++) {
            pass();
            take();
        }
        assertThat(taken).isEqualTo(Unlanded.LIMIT);
        acknowledge(1);
        pass();
        assertThat(take()).isEqualTo(1);
        acknowledge(taken);
        pass();
        assertThat(take()).isEqualTo(99);
        acknowledge(taken);
        assertThat(sender.isDrained()).isTrue();
    }

    @Test
    void shouldServeFirstTheFifoThatFirstFoundNoRoomUnlessItHasEnded() {
        final InjectionFifo waiting = sender.injectionFifo();
        for (int i = 0; i < Unlanded.LIMIT + 1; i++) {
            sender.count(IN, 1);
        }
        pass();
        take();
        pass();
        take();
        assertThat(taken).isEqualTo(Unlanded.LIMIT);
        waiting.send(new Message().to(0, 5).payload(source, 0, 1000));
        pass();
        acknowledge(1);
        pass();
        assertThat(take()).as("the COUNT that came first").isEqualTo(1);
        acknowledge(2);
        sender.count(IN, 1);
        pass();
        assertThat(take()).as("room for one packet of two").isZero();
        // The FIFO ends with its SEND in it.
        waiting.deactivate();
        pass();
        pass();
        assertThat(take()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 1000, -1, Integer.MIN_VALUE})
    void shouldIgnoreAnAcknowledgementOfWhatWasNeverSent(int count) {
        done.expect(16);
        sender.put(IN, 0, source, 0, 8, done);
        pass();
        sender.put(IN, 0, source, 0, 8, done);
        pass();
        take();
        link.acknowledge(count, 0);
        link.acknowledge(0, count);
        pass();
        assertThat(done.valueAcquire()).isEqualTo(16);
        assertThat(engines.metrics(1).get(Refusal.BAD_PACKET)).isEqualTo(2);
        refuse(Frame.REQUESTS, count, Refusal.STALE_COUNTER);
        refuse(Frame.HANDLER_REPLIES, 0, Refusal.STALE_COUNTER);
        refuse(3, 0, Refusal.STALE_COUNTER);
        refuse(-1, 0, Refusal.STALE_COUNTER);
        assertThat(engines.metrics(1).get(Refusal.NOT_ASKED_FOR)).isEqualTo(4);
        assertThat(done.errorAcquire()).isZero();
        acknowledge(2);
        assertThat(done.valueAcquire()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {Frame.REQUESTS, Frame.HANDLER_REPLIES})
    void shouldCompleteByTheCountsOfEveryStream(int stream) {
        putTwice();
        link.acknowledgeIn(stream, 1, 0);
        pass();
        assertThat(done.valueAcquire()).isEqualTo(8);
        link.acknowledgeIn(stream, 2, 0);
        pass();
        assertThat(done.valueAcquire()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {Frame.REQUESTS, Frame.HANDLER_REPLIES})
    void shouldKeepCountsThatHaveOvertakenARefusal(int stream) {
        putTwice();
        link.acknowledgeIn(stream, 1, 1);
        pass();
        link.acknowledgeIn(stream, 2, 1);
        pass();
        assertThat(done.valueAcquire()).isEqualTo(16);
        refuse(Frame.REQUESTS, 1, Refusal.STALE_COUNTER);
        assertThat(InjectionCounter.code(done.errorAcquire())).isEqualTo(Refusal.STALE_COUNTER.code());
        assertThat(done.valueAcquire()).as("without the refused one").isEqualTo(8);
        assertThat(sender.isDrained()).isTrue();
    }

    @Test
    void shouldAcceptLateCountsOfAnotherStreamAlone() {
        putTwice();
        acknowledge(2);
        link.acknowledgeIn(Frame.REQUESTS, 1, 0);
        link.acknowledgeIn(Frame.HANDLER_REPLIES, 0, 0);
        pass();
        assertThat(engines.metrics(1).get(Refusal.BAD_PACKET)).isZero();
        link.acknowledgeIn(Frame.REQUESTS, 0, 0);
        link.acknowledgeIn(Frame.HANDLER_REPLIES, 3, 0);
        pass();
        assertThat(engines.metrics(1).get(Refusal.BAD_PACKET)).isEqualTo(2);
        assertThat(done.valueAcquire()).isZero();
    }

    private void putTwice() {
        done.expect(16);
        sender.put(IN, 0, source, 0, 8, done);
        pass();
        sender.put(IN, 0, source, 0, 8, done);
        pass();
        assertThat(take()).isEqualTo(2);
    }

    @Test
    void shouldCountTheHitsThatAPeerReports() {
        for (int i = 0; i < 4; i++) {
            sender.put(IN, 0, source, 0, 8);
            pass();
        }
        take();
        for (final int hits : new int[] {3, 3, 2, -1, 5000, Integer.MAX_VALUE, 4}) {
            link.acknowledge(0, 0, hits);
            engines.pass(1);
        }
        assertThat(engines.metrics(1).get(Metric.HITS)).isEqualTo(4);
        assertThat(engines.metrics(1).get(Refusal.BAD_PACKET))
                .as("impossible counts")
                .isEqualTo(4);
    }

    @Test
    void shouldRefuseMoreHitsThanPackets() {
        for (int i = 0; i < 3; i++) {
            done.expect(8);
            sender.put(IN, 0, source, 0, 8, done);
            pass();
        }
        take();
        link.acknowledge(3, 0, 4);
        pass();
        assertThat(engines.metrics(1).get(Refusal.BAD_PACKET)).isEqualTo(1);
        assertThat(engines.metrics(1).get(Metric.HITS)).isZero();
        assertThat(done.valueAcquire()).isEqualTo(24);
        link.acknowledge(3, 0, 3);
        pass();
        assertThat(engines.metrics(1).get(Metric.HITS)).isEqualTo(3);
        assertThat(done.valueAcquire()).isZero();
        link.acknowledge(3, 0, 4);
        pass();
        assertThat(engines.metrics(1).get(Refusal.BAD_PACKET)).isEqualTo(2);
        assertThat(engines.metrics(1).get(Metric.HITS)).isEqualTo(3);
    }

    @Test
    void shouldConfirmTheEndOfAFifoWhenItsWorkHasLanded() {
        final InjectionFifo fifo = sender.injectionFifo();
        fifo.put(IN, 0, source, 0, 8);
        pass();
        take();
        fifo.deactivate();
        pass();
        pass();
        assertThat(fifo.isActive()).isTrue();
        acknowledge(1);
        assertThat(fifo.isActive()).isFalse();
        fifo.activate();
        pass();
        assertThat(fifo.isActive()).isTrue();
        fifo.put(IN, 0, source, 0, 8);
        pass();
        assertThat(take()).isEqualTo(1);
        acknowledge(taken);
        assertThat(fifo.isEmpty()).isTrue();
    }

    @Test
    void shouldSendRequestsOfOneKindTogetherAndAnythingElseBehindTheirReplies() {
        done.expect(16);
        sender.get(IN, 0, source, 0, 8, done);
        sender.get(IN, 8, source, 8, 8, done);
        sender.put(IN, 16, source, 0, 8);
        sender.injectionFifo().put(ALSO_IN, 0, source, 0, 8);
        engines.context(1).advance();
        pass();
        final List<Integer> requests = new ArrayList<>();
        link.poll(
                Frame.REQUESTS,
                packet -> {
                    kinds.add(packet.kind());
                    requests.add(packet.request());
                },
                FRAMES);
        assertThat(kinds).containsExactlyInAnyOrder(PacketKind.GET, PacketKind.GET, PacketKind.PUT);
        requests.remove(kinds.indexOf(PacketKind.PUT));
        for (final int request : requests) {
            link.claim(Frame.REPLIES)
                    .head(PacketKind.GET_DATA, Packet.FIRST, 0, 1)
                    .target(request, 0, 0)
                    .payloadLength(8);
            link.publish(Frame.REPLIES);
            kinds.clear();
            link.poll(Frame.REQUESTS, packet -> kinds.add(packet.kind()), FRAMES);
            assertThat(kinds).as("before all replies").isEmpty();
            pass();
        }
        link.poll(Frame.REQUESTS, packet -> kinds.add(packet.kind()), FRAMES);
        assertThat(kinds).containsExactly(PacketKind.PUT);
        assertThat(done.valueAcquire()).isZero();
    }

    @Test
    void shouldFailEverythingUnacknowledgedWhenTheLinkFails() {
        done.expect(8);
        final InjectionCounter landed = engines.client(1).injectionCounter();
        landed.expect(8);
        final Pattern pattern = sender.prepare(Rounds.ORDERED_BY_CALLER, () -> sender.put(IN, 0, source, 0, 8));
        sender.put(IN, 0, source, 0, 8, landed);
        sender.put(IN, 0, source, 0, 8, done);
        pass();
        sender.replay(pattern);
        pass();
        link.acknowledge(1, 0);
        engines.link(1, 0).close();
        pass();
        pass();
        assertThat(landed.errorAcquire()).isZero();
        assertThat(landed.valueAcquire()).isZero();
        assertThat(InjectionCounter.code(done.errorAcquire())).isEqualTo(Refusal.LINK_FAILED.code());
        assertThat(done.valueAcquire()).isEqualTo(8);
        assertThat(pattern.executedAcquire()).isEqualTo(1);
        assertThat(engines.states(1).stateAcquire(0)).isEqualTo(PeerStates.CUT);
        assertThat(sender.isDrained()).isTrue();
        assertThatThrownBy(() -> sender.await(pattern, 1, Deadline.in(10, SECONDS)))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("the link to rank 0 has failed");
        assertThatThrownBy(() -> sender.replay(pattern)).isInstanceOf(PeerFailedException.class);
    }

    @Test
    void shouldNotReportTheFailureOfTheLinkAtACounterOfARefusedMessage() {
        done.expect(2 * PART + 100);
        sender.put(IN, 0, source, 0, 2 * PART + 100, done);
        pass();
        assertThat(take()).isEqualTo(3);
        refuse(Frame.REQUESTS, 0, Refusal.STALE_COUNTER);
        assertThat(InjectionCounter.code(done.errorAcquire())).isEqualTo(Refusal.STALE_COUNTER.code());
        // The application uses it for something else.
        done.reset();
        engines.link(1, 0).close();
        pass();
        pass();
        assertThat(engines.states(1).stateAcquire(0)).isEqualTo(PeerStates.CUT);
        assertThat(done.errorAcquire()).isZero();
        assertThat(sender.isDrained()).isTrue();
    }

    @Test
    void shouldNotReportTheFailureOfTheLinkAtACounterOfARefusedMessageThatIsPartlySent() {
        done.expect(40 * PART);
        final InjectionFifo other = sender.injectionFifo();
        other.quantum(1, 1);
        engines.settle();
        other.put(IN, 0, source, 0, 40 * PART, done);
        pass();
        take();
        link.claim(Frame.REPLIES)
                .head(PacketKind.REFUSED, Packet.FIRST, 0, 1)
                .refused(Refusal.STALE_COUNTER.code(), Frame.REQUESTS, Frame.FIRST + taken - 1, Packet.ALL);
        link.publish(Frame.REPLIES);
        engines.link(1, 0).close();
        for (int i = 0; i < 10 && done.errorAcquire() == 0; i++) {
            pass();
        }
        assertThat(InjectionCounter.code(done.errorAcquire())).isEqualTo(Refusal.STALE_COUNTER.code());
        assertThat(engines.states(1).stateAcquire(0)).as("reported later").isNotEqualTo(PeerStates.CUT);
        done.reset();
        for (int i = 0; i < 10; i++) {
            pass();
        }
        assertThat(engines.states(1).stateAcquire(0)).isEqualTo(PeerStates.CUT);
        assertThat(done.errorAcquire()).isZero();
        assertThat(other.isEmpty()).isTrue();
    }

    @Test
    void shouldCompleteWhatWasSentToARankThatHasLeftAndSendItNothing() {
        done.expect(16);
        sender.put(IN, 0, source, 0, 8, done);
        pass();
        engines.states(1).change(0, PeerStates.LEFT);
        pass();
        assertThat(done.valueAcquire()).isEqualTo(8);
        take();
        sender.put(IN, 0, source, 0, 8, done);
        pass();
        pass();
        assertThat(take()).isZero();
        assertThat(done.valueAcquire()).isZero();
        assertThat(done.errorAcquire()).isZero();
        sender.get(IN, 0, source, 0, 8, done);
        pass();
        pass();
        assertThat(engines.metrics(1).get(Refusal.PEER_LEFT)).isEqualTo(1);
        assertThat(sender.isDrained()).isTrue();
    }

    @Test
    void shouldAcknowledgeWhenIdleAndOnce() {
        for (int i = 0; i < 5; i++) {
            count();
        }
        pass();
        assertThat(acknowledgements()).as("while there is work").isEmpty();
        pass();
        pass();
        assertThat(acknowledgements()).containsExactly(5);
        count();
        pass();
        pass();
        assertThat(acknowledgements()).containsExactly(6);
    }

    @Test
    void shouldAcknowledgeSomePacketsTogetherWhileItIsBusy() {
        for (int sent = 0; sent < Acknowledgement.PACKETS; sent++) {
            assertThat(acknowledgements()).isEmpty();
            count();
            pass();
        }
        assertThat(acknowledgements()).containsExactly(Acknowledgement.PACKETS);
    }

    @Test
    void shouldTakeForAStreamWhatComesAsSoonAsTheLengthOfItsFramesAllows() {
        final long gapNs = Acknowledgement.WAIT_NS + 2L * (Frame.LENGTH + Frame.packetLength(0));
        final AtomicLong nowNs = new AtomicLong(Deadline.nowNs());
        StatusAccess.useClock(nowNs::get);
        try {
            for (int i = 0; i <= Acknowledgement.ARRIVALS; i++) {
                nowNs.addAndGet(gapNs);
                count();
                pass();
            }
            pass();
            assertThat(acknowledgements()).as("the next one may come").isEmpty();
            nowNs.addAndGet(Acknowledgement.STREAM_NS + 1);
            pass();
            assertThat(acknowledgements()).containsExactly(Acknowledgement.ARRIVALS + 1);
        } finally {
            StatusAccess.useClock(null);
        }
    }

    @Test
    void shouldAcknowledgeByTheRepliesThatItSends() {
        count();
        link.claim(Frame.REQUESTS)
                .head(PacketKind.GET, Packet.FIRST, 0, 1)
                .target(99, 1, 0)
                .request(7)
                .payloadLength(8);
        link.publish(Frame.REQUESTS);
        count();
        pass();
        // The refusal is sent before its packet and the last one are processed.
        assertThat(acknowledgements()).containsExactly(1);
        pass();
        assertThat(acknowledgements()).containsExactly(3);
        assertThat(kinds).containsExactly(PacketKind.REFUSED);
    }

    /** Acknowledges and refuses what several FIFOs send, in random steps, and compares every counter and slot. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldCompleteExactlyWhatIsAcknowledged(long seed) {
        final Random chance = new Random(seed);
        final InjectionFifo[] fifos = {sender.injectionFifo(), sender.injectionFifo()};
        fifos[0].quantum(1 + chance.nextInt(2000), 1 + chance.nextInt(5));
        final InjectionCounter[] counters = {done, engines.client(1).injectionCounter()};
        final List<Sent> unacknowledged = new ArrayList<>();
        final long[] expected = new long[2];
        final long[] counted = new long[2];
        final boolean[] failed = new boolean[2];
        for (int turn = 0; turn < 3000; turn++) {
            final int at = chance.nextInt(2);
            final int length = chance.nextInt(3) == 0 ? chance.nextInt(2000) : 8 * chance.nextInt(8);
            final long result = chance.nextInt(3) == 0 && length <= 1000
                    ? fifos[at].send(
                            new Message().to(0, at).payload(source, 0, length).completes(counters[at]))
                    : fifos[at].put(at == 0 ? IN : ALSO_IN, 0, source, 0, length, counters[at]);
            if (result >= 0) {
                counters[at].expect(length);
                expected[at] += length;
            }
            if (chance.nextBoolean()) {
                pass();
            }
            link.poll(Frame.REQUESTS, packet -> unacknowledged.add(sent(packet)), chance.nextInt(4));
            if (chance.nextInt(3) != 0 && !unacknowledged.isEmpty()) {
                final List<Sent> processed = unacknowledged.subList(0, 1 + chance.nextInt(unacknowledged.size()));
                final Sent last = processed.get(processed.size() - 1);
                if (chance.nextInt(20) == 0 && last.isWhole) {
                    refuse(Frame.REQUESTS, last.number, Refusal.STALE_COUNTER);
                    failed[last.user] = true;
                    counted[last.user] -= last.bytes;
                }
                processed.forEach(sent -> counted[sent.user] += sent.bytes);
                processed.forEach(sent -> credit += sent.charge);
                grant();
                processed.clear();
                acknowledge(last.number + 1);
                for (int i = 0; i < 2; i++) {
                    assertThat(counters[i].valueAcquire()).as("turn %d", turn).isEqualTo(expected[i] - counted[i]);
                    assertThat(counters[i].errorAcquire() != 0).isEqualTo(failed[i]);
                }
            }
        }
        for (int i = 0; i < 3000 && !(fifos[0].isEmpty() && fifos[1].isEmpty()); i++) {
            pass();
            link.poll(Frame.REQUESTS, packet -> credit += sent(packet).charge, FRAMES);
            grant();
            acknowledge(taken);
        }
        assertThat(fifos[0].isEmpty()).isTrue();
        assertThat(fifos[1].isEmpty()).isTrue();
    }

    /** Takes a packet, and answers the demand for a lane. */
    private Sent sent(Packet packet) {
        if (packet.kind() == PacketKind.DEMAND) {
            link.provideLane(Frame.REQUESTS, packet.target(), packet.offset(), 0, 1);
        }
        return Sent.of(packet, taken++);
    }

    /** Packet that the model has taken: its number, the FIFO and counter that it names, and their bytes. */
    private record Sent(int number, int user, int bytes, boolean isWhole, int charge) {
        static Sent of(Packet packet, int number) {
            if (packet.kind() == PacketKind.DEMAND) {
                return new Sent(number, 0, 0, false, 0);
            }
            if (packet.kind() == PacketKind.SEND) {
                return new Sent(
                        number,
                        packet.dispatchId(),
                        packet.payloadLength(),
                        packet.payloadLength() == packet.bodyLength(),
                        packet.isFirst() ? LaneRecord.charge(packet.bodyLength()) : 0);
            }
            if (packet.kind() == PacketKind.SENDS) {
                final int count = (int) packet.remaining();
                int charge = 0;
                for (int i = 0; i < count; i++) {
                    charge += LaneRecord.charge(packet.sendLength(count, i));
                }
                final int all = packet.payloadLength() - Packet.runPrefixLength(count);
                return new Sent(number, packet.sendDispatchId(count, 0), all, true, charge);
            }
            if (packet.kind() == PacketKind.PUTS) {
                final int prefix = packet.stride() == 0 ? Packet.runPrefixLength(packet.puts()) : 0;
                final int all = packet.payloadLength() - prefix;
                return new Sent(number, packet.target() - 1, all, true, 0);
            }
            final int bytes = packet.payloadLength() - Packet.PUT_PREFIX_LENGTH;
            return new Sent(number, packet.target() - 1, bytes, packet.isFirst() && bytes == packet.remaining(), 0);
        }
    }

    private void pass() {
        engines.pass(1);
    }

    /** Takes everything that was sent, and returns the number of packets. */
    private int take() {
        final int packets = link.poll(Frame.REQUESTS, packet -> {}, FRAMES);
        taken += packets;
        return packets;
    }

    /** Grants credit for all records that have been taken. */
    private void grant() {
        link.claim(Frame.REPLIES).head(PacketKind.CREDIT, Packet.FIRST, 0, 1).target(0, Frame.REQUESTS, credit);
        link.publish(Frame.REPLIES);
    }

    private void acknowledge(int requests) {
        link.acknowledge(requests, 0);
        pass();
    }

    private void refuse(int stream, int packet, Refusal refusal) {
        link.claim(Frame.REPLIES)
                .head(PacketKind.REFUSED, Packet.FIRST, 0, 1)
                .refused(refusal.code(), stream, Frame.FIRST + packet, Packet.ALL);
        link.publish(Frame.REPLIES);
        pass();
    }

    private void count() {
        count(counted, 1);
    }

    private void count(ReceptionCounter counter, long amount) {
        link.claim(Frame.REQUESTS)
                .head(PacketKind.COUNT, Packet.FIRST, 0, 1)
                .target(counter.id(), counter.incarnation(), amount);
        link.publish(Frame.REQUESTS);
    }

    /** Takes the frames of replies. Returns their counts of processed requests. */
    private List<Integer> acknowledgements() {
        final List<Integer> counts = new ArrayList<>();
        engines.link(0, 1)
                .poll(
                        Frame.REPLIES,
                        (memory, offset, length) -> {
                            counts.add(Frame.requests(memory, offset) - Frame.FIRST);
                            if (Frame.packets(memory, offset) > 0) {
                                kinds.add(new Packet(memory)
                                        .wrap(offset + Frame.LENGTH)
                                        .kind());
                            }
                            return true;
                        },
                        FRAMES);
        return counts;
    }
}
