package org.segno.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.segno.engine.memory.MappedMemory;

/** One direction of a simulated link, whose clock wraps meanwhile. */
class WireTest {
    private static final int FRAME = 256;

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 500);
    private final long startNs = time.nowNs();

    /** 256 bytes take 256 ns. */
    private final LinkModel model = new LinkModel(1_000, 1, 0, 1_000, 2, FRAME);

    private final Wire wire =
            new Wire(0, 1, time, model, new SplittableRandom(1), MappedMemory.ofProcess(Wire.bytes(model)));

    private long send(int stream, int value) {
        final long offset = wire.claim(stream, FRAME);
        assertThat(offset).isNotNegative();
        wire.memory().putInt(offset, value);
        return wire.commit(stream) - startNs;
    }

    private List<Integer> poll(int stream) {
        final List<Integer> frames = new ArrayList<>();
        wire.poll(stream, (memory, offset, length) -> frames.add(memory.getInt(offset)), 10);
        return frames;
    }

    @Test
    void shouldDeliverAFrameAfterItsTransferAndTheLatency() {
        assertThat(send(0, 7)).isEqualTo(1_256);
        time.advanceTo(startNs + 1_255);
        assertThat(poll(0)).isEmpty();
        time.advanceTo(startNs + 1_256);
        assertThat(poll(1)).isEmpty();
        assertThat(poll(0)).containsExactly(7);
        assertThat(wire.room(0)).isEqualTo(2 * FRAME);
    }

    @Test
    void shouldSendFramesOneAfterTheOther() {
        assertThat(send(0, 1)).isEqualTo(1_256);
        assertThat(send(1, 2)).isEqualTo(1_512);
        time.advanceTo(startNs + 1_300);
        assertThat(poll(1)).isEmpty();
        assertThat(poll(0)).containsExactly(1);
    }

    @Test
    void shouldReportTheTimeOfTheNextArrival() {
        assertThat(wire.arrivesInNs()).isEqualTo(Long.MAX_VALUE);
        send(1, 1);
        send(0, 2);
        assertThat(wire.arrivesInNs()).isEqualTo(1_256);
        time.advanceTo(startNs + 1_300);
        assertThat(wire.arrivesInNs()).isEqualTo(212);
        wire.cut();
        assertThat(wire.arrivesInNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void shouldReportTheTimeAtWhichItAcceptsFramesAgain() {
        assertThat(wire.acceptsInNs()).isEqualTo(Long.MAX_VALUE);
        wire.clog(startNs + 700);
        time.advanceTo(startNs + 100);
        assertThat(wire.acceptsInNs()).isEqualTo(600);
        time.advanceTo(startNs + 700);
        assertThat(wire.acceptsInNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void shouldHoldOnlyAsManyFramesAsItHasSlotsInEachStream() {
        send(0, 1);
        send(0, 2);
        assertThat(wire.room(0)).isZero();
        assertThat(wire.claim(0, FRAME)).isNegative();
        assertThat(wire.room(1)).isEqualTo(2 * FRAME);
        time.advanceTo(startNs + 10_000);
        assertThat(poll(0)).containsExactly(1, 2);
        assertThat(wire.room(0)).isEqualTo(2 * FRAME);
    }

    @Test
    void shouldReceiveAFrameAgainThatWasNotTaken() {
        send(0, 1);
        time.advanceTo(startNs + 10_000);
        assertThat(wire.poll(0, (memory, offset, length) -> false, 10)).isZero();
        assertThat(poll(0)).containsExactly(1);
    }

    @Test
    void shouldHoldFramesWhileItIsStalled() {
        wire.stall(startNs + 50_000);
        assertThat(send(0, 1)).isEqualTo(51_000);
        time.advanceTo(startNs + 50_999);
        assertThat(poll(0)).isEmpty();
    }

    /** Sends frames in two streams by turns. Returns how many arrive before the one that was sent before them. */
    private int overtaken(LinkModel sent) {
        final Wire fresh =
                new Wire(0, 1, time, sent, new SplittableRandom(1), MappedMemory.ofProcess(Wire.bytes(sent)));
        int overtaken = 0;
        long lastNs = 0;
        for (int frame = 0; frame < sent.frames(); frame++) {
            fresh.claim(frame & 1, FRAME);
            final long arrivalNs = fresh.commit(frame & 1) - startNs;
            overtaken += arrivalNs < lastNs ? 1 : 0;
            lastNs = arrivalNs;
        }
        return overtaken;
    }

    @Test
    void shouldLetFramesOvertakeThoseOfAnotherStreamIfItsModelPermitsThat() {
        final LinkModel inOrder = new LinkModel(1_000, 1, 0, 1_000, 64, FRAME);
        assertThat(overtaken(inOrder)).isZero();
        assertThat(overtaken(inOrder.overtaking(1_000_000))).isPositive();
    }

    @Test
    void shouldNotLetFramesOfAStreamOvertakeEachOther() {
        wire.stall(startNs + 50_000);
        final long first = send(0, 1);
        time.advanceTo(startNs + 49_999);
        assertThat(send(0, 2)).isGreaterThanOrEqualTo(first);
    }

    @Test
    void shouldAcceptNoFrameWhileItIsClogged() {
        wire.clog(startNs + 5_000);
        assertThat(wire.room(0)).isZero();
        assertThat(wire.claim(0, FRAME)).isNegative();
        assertThat(wire.hasRefused()).isTrue();
        time.advanceTo(startNs + 5_000);
        assertThat(send(0, 1)).isEqualTo(6_256);
        assertThat(wire.hasRefused()).isFalse();
    }

    @Test
    void shouldLoseOnlyWhatHasNotArrivedWhenItIsCut() {
        send(0, 1);
        send(0, 2);
        time.advanceTo(startNs + 1_300);
        wire.cut();
        time.advanceTo(startNs + 10_000);
        assertThat(poll(0)).containsExactly(1);
        assertThat(poll(0)).isEmpty();
    }
}
