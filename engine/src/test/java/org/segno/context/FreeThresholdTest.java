package org.segno.context;

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
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.Target;
import org.segno.status.Deadline;
import org.segno.status.Status;

/** Threshold of the free slots of an injection FIFO with 16 slots. Rank 0 counts at rank 1. */
class FreeThresholdTest {
    private static final int SLOTS = 16;

    @TempDir
    Path directory;

    private final List<Long> fills = new ArrayList<>();
    private EngineFixture engines;
    private InjectionFifo fifo;
    private Target peer;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().ranks(2).fifos(4).fifoSlots(SLOTS).dimensions());
        engines.client(1)
                .publish(
                        "in",
                        engines.client(1).receptionCounter(engines.client(1).window(8), 0, 8));
        peer = engines.context(0).attach(1, "in", Deadline.in(10, SECONDS));
        fifo = engines.context(0).injectionFifo();
        fifo.quantum(1 << 20, 3);
        engines.settle();
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private void inject(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(fifo.count(peer, -1)).isNotEqualTo(Status.BACK_PRESSURED);
        }
    }

    @Test
    void shouldNoteAndRaiseThatEnoughSlotsAreFree() {
        fifo.freeThreshold(6, () -> fills.add(fifo.fill()));
        engines.settle();
        inject(10);
        engines.settle();
        assertThat(fifo.wasFreeThresholdCrossed()).as("6 were always free").isFalse();

        inject(SLOTS);
        assertThat(fifo.isFull()).isTrue();
        engines.pass(0);
        assertThat(fifo.wasFreeThresholdCrossed()).as("3 are free").isFalse();
        engines.pass(0);
        assertThat(fifo.wasFreeThresholdCrossed()).as("6 are free").isTrue();
        assertThat(fifo.wasThresholdCrossed()).as("that of the fill").isFalse();
        fifo.clearFreeThreshold();
        assertThat(fifo.wasFreeThresholdCrossed()).isFalse();
        engines.context(0).advance();
        assertThat(fills).as("the event runs while others are waiting").containsExactly(7L);
        engines.settle();
        assertThat(fills).hasSize(1);

        fifo.freeThreshold(0, () -> fills.add(-1L));
        engines.settle();
        inject(SLOTS);
        engines.settle();
        assertThat(fifo.wasFreeThresholdCrossed()).isFalse();
        assertThat(fills).hasSize(1);
    }

    @Test
    void shouldBeIndependentOfTheThresholdOfTheFill() {
        final List<String> events = new ArrayList<>();
        fifo.freeThreshold(1, () -> events.add("room"));
        fifo.threshold(1, () -> events.add("empty"));
        engines.settle();
        for (int round = 0; round < 3; round++) {
            inject(SLOTS);
            engines.settle();
        }
        assertThat(events).containsExactly("room", "empty", "room", "empty", "room", "empty");
        inject(SLOTS - 1);
        engines.settle();
        assertThat(events).as("it was not full").hasSize(7).endsWith("empty");
    }

    @Test
    void shouldFollowTheNumberOfSlots() {
        fifo.freeThreshold(SLOTS, () -> fills.add(fifo.fill()));
        fifo.deactivate();
        engines.settle();
        fifo.pointAt(2 * SLOTS, 4);
        fifo.activate();
        engines.settle();
        inject(2);
        engines.settle();
        assertThat(fills).as("more slots than there are: when it is empty").containsExactly(0L);
        fifo.freeThreshold(3, () -> fills.add(-fifo.fill()));
        engines.settle();
        inject(1);
        engines.settle();
        inject(4);
        engines.settle();
        assertThat(fills).hasSize(2);
    }

    @Test
    void shouldRefuseAThresholdThatIsNeverReached() {
        assertThatThrownBy(() -> fifo.freeThreshold(SLOTS + 1, () -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("slots=17")
                .hasMessageContaining("0 to the 16 slots of injection FIFO 1");
        assertThatThrownBy(() -> fifo.freeThreshold(-1, () -> {})).hasMessageContaining("slots=-1");
    }
}
