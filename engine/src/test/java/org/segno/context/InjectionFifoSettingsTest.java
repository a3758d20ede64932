package org.segno.context;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.Refusal;
import org.segno.status.Status;

/** Settings of a context's further injection FIFOs. Rank 0 sends to rank 1. */
class InjectionFifoSettingsTest {
    private static final int SLOTS = 16;
    private static final int FIFOS = 4;

    @TempDir
    Path directory;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
    private EngineFixture engines;
    private Context context;
    private Window source;
    private ReceptionCounter counter;
    private Target peer;
    private InjectionFifo fifo;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory,
                NodeSize.small()
                        .ranks(2)
                        .fifos(FIFOS)
                        .fifoSlots(SLOTS)
                        .windowBytes(1 << 20)
                        .dimensions());
        context = engines.context(0);
        source = engines.client(0).window(256 * 1024);
        counter = engines.client(1).receptionCounter(engines.client(1).window(256 * 1024), 0, 256 * 1024);
        engines.client(1).publish("in", counter);
        peer = context.attach(1, "in", Deadline.in(10, SECONDS));
        fifo = context.injectionFifo();
        engines.settle();
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldInjectEveryOperationOfAContext() {
        assertThat(fifo.number()).isEqualTo(1);
        assertThat(fifo.isActive()).isTrue();
        assertThat(fifo.put(peer, 0, source, 0, 8)).isZero();
        assertThat(fifo.count(peer, -3)).isEqualTo(1);
        assertThat(fifo.isCarriedOut(1)).isFalse();
        assertThat(fifo.fill()).isEqualTo(2);
        assertThat(context.isDrained()).isFalse();
        engines.settle();

        assertThat(counter.valueAcquire()).isEqualTo(-11);
        assertThat(fifo.isCarriedOut(1)).isTrue();
        assertThat(fifo.isCarriedOut(2)).isFalse();
        assertThat(fifo.descriptors()).isEqualTo(2);
        assertThat(fifo.isEmpty()).isTrue();
        assertThat(context.isDrained()).isTrue();
    }

    @Test
    void shouldHoldInjectedDescriptorsWhileItIsInactive() {
        fifo.deactivate();
        assertThat(fifo.isActive()).as("the engine has not confirmed").isTrue();
        engines.settle();
        assertThat(fifo.isActive()).isFalse();
        int held = 0;
        while (fifo.put(peer, 0, source, 0, 8) != Status.BACK_PRESSURED) {
            held++;
        }
        engines.settle();
        assertThat(held).isEqualTo(SLOTS);
        assertThat(fifo.isFull()).isTrue();
        assertThat(counter.valueAcquire()).isZero();
        context.put(peer, 0, source, 0, 1);
        engines.settle();
        assertThat(counter.valueAcquire()).as("other FIFOs go on").isEqualTo(-1);

        fifo.activate();
        engines.settle();
        assertThat(fifo.isActive()).isTrue();
        assertThat(counter.valueAcquire()).isEqualTo(-1 - 8 * SLOTS);
    }

    @Test
    void shouldTakeRequestsInTurnOnly() {
        assertThatThrownBy(fifo::activate)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("injection FIFO 1")
                .hasMessageContaining("deactivate it");
        fifo.deactivate();
        assertThatThrownBy(fifo::deactivate).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(fifo::activate)
                .as("not confirmed")
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("isActive()");
        engines.settle();
        fifo.activate();
        engines.settle();
        assertThat(fifo.isActive()).isTrue();
    }

    @Test
    void shouldContinueAMessageThatWasBegunWhenItWasDeactivated() {
        fifo.quantum(1000, 100);
        engines.settle();
        source.buffer().setMemory(0, 10_000, (byte) 7);
        fifo.put(peer, 0, source, 0, 10_000);
        engines.pass(0);
        assertThat(counter.valueAcquire()).isEqualTo(-1000);
        fifo.deactivate();
        for (int i = 0; i < 40; i++) {
            engines.pass(0);
        }
        final long landed = -counter.valueAcquire();
        assertThat(fifo.isActive()).isFalse();
        assertThat(landed).isLessThan(20_000);
        fifo.activate();
        engines.settle();
        assertThat(counter.valueAcquire()).isEqualTo(-10_000);
    }

    @Test
    void shouldNotBePointedElsewhereWhileItIsActiveOrHoldsDescriptors() {
        assertThatThrownBy(() -> fifo.pointAt(2 * SLOTS, SLOTS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("while it is active");
        fifo.deactivate();
        engines.settle();
        fifo.put(peer, 0, source, 0, 8);
        assertThatThrownBy(() -> fifo.pointAt(2 * SLOTS, SLOTS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("1 descriptors");
        for (final int[] bad : new int[][] {{0, 0}, {-1, 16}, {0, 12}, {FIFOS * SLOTS - 8, 16}, {0, 128}}) {
            assertThatThrownBy(() -> fifo.pointAt(bad[0], bad[1]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("power of two");
        }
    }

    @Test
    void shouldNotBePointedAtSlotsThatAnotherFifoUses() {
        fifo.deactivate();
        engines.settle();
        assertThatThrownBy(() -> fifo.pointAt(0, 2 * SLOTS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the context's own FIFO: point it at other slots");
        final InjectionFifo other = context.injectionFifo();
        assertThatThrownBy(() -> fifo.pointAt(2 * SLOTS, SLOTS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("injection FIFO 1 cannot use slots of injection FIFO 2, which is active");
        engines.settle();
        other.deactivate();
        engines.settle();
        other.count(peer, -1);
        assertThatThrownBy(() -> fifo.pointAt(2 * SLOTS, SLOTS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("holds descriptors");
        context.replyingHandler(1, (origin, buffer, metadata, metadataLength, payload, length) -> 0);
        assertThatThrownBy(() -> fifo.pointAt(3 * SLOTS, SLOTS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the FIFO for sends of handlers");
    }

    @Test
    void shouldUseTheSlotsOfAnInactiveEmptyFifoAlone() {
        final InjectionFifo other = context.injectionFifo();
        fifo.deactivate();
        other.deactivate();
        engines.settle();
        fifo.pointAt(2 * SLOTS, SLOTS);
        fifo.put(peer, 0, source, 0, 8);
        assertThatThrownBy(() -> other.put(peer, 8, source, 8, 8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(
                        "injection FIFO 2 cannot use slots of injection FIFO 1, which is active or holds");
        assertThatThrownBy(other::activate).isInstanceOf(IllegalStateException.class);
        fifo.activate();
        engines.settle();
        assertThat(counter.valueAcquire()).isEqualTo(-8);
        fifo.put(peer, 0, source, 0, 8);
        assertThatThrownBy(() -> other.put(peer, 8, source, 8, 8)).isInstanceOf(IllegalStateException.class);

        // The two have exchanged their slots.
        other.pointAt(SLOTS, SLOTS);
        other.activate();
        other.put(peer, 8, source, 8, 8);
        engines.settle();
        assertThat(counter.valueAcquire()).isEqualTo(-24);
    }

    @Test
    void shouldOpenNoFifoWhoseSlotsAnotherOneUses() {
        fifo.deactivate();
        engines.settle();
        fifo.pointAt(2 * SLOTS, 2 * SLOTS);
        fifo.activate();
        engines.settle();
        assertThatThrownBy(context::injectionFifo)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("injection FIFO 2 cannot be opened, because injection FIFO 1 uses its slots");
        assertThatThrownBy(() ->
                        context.replyingHandler(1, (origin, buffer, metadata, metadataLength, payload, length) -> 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the FIFO for sends of handlers cannot be opened");
        fifo.deactivate();
        engines.settle();
        fifo.pointAt(SLOTS, SLOTS);
        fifo.activate();
        final InjectionFifo other = context.injectionFifo();
        fifo.count(peer, -1);
        other.count(peer, -1);
        engines.settle();
        assertThat(counter.valueAcquire()).isEqualTo(-2);
    }

    /** Changes the slots under load, in every threading mode: positions and messages continue. */
    @ParameterizedTest
    @EnumSource(NodeConfig.Threading.class)
    void shouldBePointedAtOtherMemoryAndBackUnderLoad(NodeConfig.Threading threading) {
        final Random chance = new Random(41);
        final long deadline = Deadline.in(60, SECONDS);
        final Node node = Node.join(
                JobConfig.of("fifo-00000000000000f1", 0, 1).withDirectory(directory),
                NodeConfig.defaults()
                        .withThreading(threading)
                        .withFifos(FIFOS)
                        .withFifoSlots(SLOTS)
                        .withWindowBytes(4096));
        try {
            final Context own = node.client().context();
            final Window window = node.client().window(2048);
            final ReceptionCounter arrived = node.client().receptionCounter(window, 1024, 1024);
            node.client().publish("self", arrived);
            final Target self = own.attach(0, "self", deadline);
            final InjectionFifo moved = own.injectionFifo();
            long sent = 0;
            for (int round = 0; round < 300; round++) {
                for (int i = chance.nextInt(40); i > 0; i--) {
                    while (moved.put(self, 0, window, 0, 1) == Status.BACK_PRESSURED) {
                        own.advance();
                    }
                    sent++;
                }
                own.await(moved::isEmpty, deadline);
                moved.deactivate();
                while (own.put(self, 0, window, 0, 1) == Status.BACK_PRESSURED) {
                    own.advance();
                }
                sent++;
                own.await(() -> !moved.isActive(), deadline);
                moved.pointAt(SLOTS + chance.nextInt(2 * SLOTS), 1 << chance.nextInt(4));
                moved.activate();
            }
            own.await(own::isDrained, deadline);
            final long expected = sent;
            own.await(() -> arrived.valueAcquire() == -expected, deadline);
            node.close();
            assertThatThrownBy(() -> moved.put(self, 0, window, 0, 1)).isInstanceOf(ClosedException.class);
            assertThatThrownBy(() -> moved.expect(arrived, 1)).isInstanceOf(ClosedException.class);
            assertThatThrownBy(own::injectionFifo).isInstanceOf(ClosedException.class);
        } finally {
            node.close();
        }
    }

    @Test
    void shouldNoteAndRaiseThatTheFillFellBelowTheThreshold() {
        final List<Long> fills = new ArrayList<>();
        fifo.threshold(4, () -> fills.add(fifo.fill()));
        fifo.quantum(1 << 20, 3);
        engines.settle();
        for (int i = 0; i < 3; i++) {
            fifo.put(peer, 0, source, 0, 8);
        }
        engines.settle();
        assertThat(fifo.wasThresholdCrossed()).as("never reached").isFalse();

        for (int i = 0; i < 8; i++) {
            fifo.put(peer, 0, source, 0, 8);
        }
        engines.pass(0);
        assertThat(fifo.wasThresholdCrossed()).as("5 left").isFalse();
        engines.pass(0);
        assertThat(fifo.wasThresholdCrossed()).as("2 left").isTrue();
        fifo.clearThreshold();
        assertThat(fifo.wasThresholdCrossed()).isFalse();
        engines.settle();
        assertThat(fills).hasSize(1);
        assertThat(fifo.wasThresholdCrossed()).isFalse();

        fifo.threshold(0, () -> fills.add(-1L));
        engines.settle();
        for (int i = 0; i < 8; i++) {
            fifo.put(peer, 0, source, 0, 8);
        }
        engines.settle();
        assertThat(fifo.wasThresholdCrossed()).isFalse();
        assertThat(fills).hasSize(1);
    }

    /** Fills the lane from the own node: the event waits for a free record and arrives then. */
    @Test
    void shouldRaiseTheEventWhenTheLaneIsNoLongerFull() {
        final List<Integer> events = new ArrayList<>();
        final int[] messages = new int[1];
        context.handler(1, (origin, buffer, metadata, metadataLength, payload, length) -> messages[0]++);
        fifo.threshold(1, () -> events.add(messages[0]));
        engines.settle();
        while (context.sendImmediate(0, 1, bytes, 0, 32) >= 0 || engines.pass(0) != 0) {
            Thread.onSpinWait();
        }
        fifo.put(peer, 0, source, 0, 8);
        engines.pass(0);
        assertThat(fifo.wasThresholdCrossed()).isTrue();
        assertThat(events).isEmpty();
        engines.settle();
        assertThat(events).hasSize(1);
        assertThat(messages[0]).isGreaterThan(SLOTS);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, FifoMetadata.MAX_PRIORITY})
    void shouldServeMoreOftenByPriorityButNoneExclusively(int priority) {
        final InjectionFifo plain = context.injectionFifo();
        fifo.priority(priority);
        fifo.quantum(1 << 20, 1);
        plain.quantum(1 << 20, 1);
        engines.settle();
        for (int pass = 0; pass < 100; pass++) {
            fill(fifo);
            fill(plain);
            engines.pass(0);
        }
        assertThat(plain.descriptors()).isEqualTo(100);
        assertThat(fifo.descriptors()).isEqualTo(100L * (priority + 1));
        assertThatThrownBy(() -> fifo.priority(16)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> fifo.priority(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    private void fill(InjectionFifo which) {
        while (which.put(peer, 0, source, 0, 8) != Status.BACK_PRESSURED) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldServeUpToTheQuantumInAVisit() {
        fifo.quantum(20, 100);
        engines.settle();
        for (int i = 0; i < 8; i++) {
            fifo.put(peer, 0, source, 0, 8);
        }
        assertThat(engines.pass(0)).as("the third begins below 20 bytes").isEqualTo(3);
        fifo.quantum(1 << 20, 2);
        engines.settle();
        for (int i = 0; i < 8; i++) {
            fifo.put(peer, 0, source, 0, 8);
        }
        assertThat(engines.pass(0)).isEqualTo(2);
        assertThatThrownBy(() -> fifo.quantum(0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> fifo.quantum(1, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    /** A quantum of bytes may end within any message of a run, short ones after long ones among them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 20, 100, 130, 200, 1000})
    void shouldCountEachByteOnceWhereverTheQuantumEnds(int quantum) {
        fifo.quantum(quantum, 100);
        engines.settle();
        int sum = 0;
        for (final int length : new int[] {150, 100, 8, 129, 128, 60, 8, 300, 16}) {
            assertThat(fifo.put(peer, 0, source, 0, length)).isNotNegative();
            sum += length;
        }
        counter.expect(sum);
        engines.settle();
        assertThat(counter.valueAcquire()).isZero();
    }

    @Test
    void shouldRefuseARankWithoutALink() {
        fifo.linkMask(~FifoMetadata.MEMORY_LINK);
        engines.settle();
        fifo.put(peer, 0, source, 0, 8);
        fifo.sendImmediate(1, 1, bytes, 0, 8);
        fifo.count(peer, -1);
        fifo.copy(source, 0, source, 64, 8);
        engines.settle();
        assertThat(engines.metrics(0).get(Refusal.LINK_MASKED)).isEqualTo(3);
        assertThat(counter.valueAcquire()).isZero();
        fifo.linkMask(FifoMetadata.MEMORY_LINK);
        engines.settle();
        fifo.put(peer, 0, source, 0, 8);
        engines.settle();
        assertThat(counter.valueAcquire()).isEqualTo(-8);
    }

    @Test
    void shouldInjectNeitherInAHandlerNorBesideARecording() {
        final List<Throwable> thrown = new ArrayList<>();
        context.handler(1, (origin, buffer, metadata, metadataLength, payload, length) -> {
            try {
                fifo.count(peer, -1);
            } catch (final IllegalStateException e) {
                thrown.add(e);
            }
        });
        context.sendImmediate(0, 1, bytes, 0, 8);
        engines.settle();
        assertThat(thrown).hasSize(1);
        assertThatThrownBy(() -> context.record(1, Rounds.ORDERED_BY_CALLER, () -> fifo.count(peer, -1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("inject through the context");
        engines.settle();
        assertThat(counter.valueAcquire()).isZero();
    }

    @Test
    void shouldReportThatAllAreOpen() {
        // The last FIFO is the one for the messages of handlers.
        for (int i = 2; i < FIFOS - 1; i++) {
            assertThat(context.injectionFifo().number()).isEqualTo(i);
        }
        assertThatThrownBy(context::injectionFifo)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("all 3")
                .hasMessageContaining("withFifos");
    }

    /** Stores an impossible word: this FIFO is quarantined with its error, and the others continue. */
    @ParameterizedTest
    @ValueSource(longs = {-64, 0, Long.MAX_VALUE, 1L << 40})
    void shouldServeNoSlotsOutsideTheFifos(long start) {
        fifo.deactivate();
        engines.settle();
        final long settings = engines.memory(0).layout().offset(Part.FIFO_SETTINGS) + NodeLayout.FIFO_SETTINGS_LENGTH;
        engines.memory(0).owner().putLong(settings, start);
        fifo.put(peer, 0, source, 0, 8);
        fifo.activate();
        context.put(peer, 0, source, 0, 1);
        engines.settle();
        assertThat(counter.valueAcquire()).isEqualTo(-1);
        assertThat(fifo.fill()).isEqualTo(1);
        assertThat(new FifoMetadata(engines.memory(0), 0, 1).quarantineAcquire())
                .isEqualTo(Refusal.BAD_FIFO.code());
    }
}

/** Largest number of FIFOs that a client can have. */
class ManyInjectionFifosTest {
    @TempDir
    Path directory;

    @Test
    void shouldServe128FifosOfOneClient() {
        try (EngineFixture engines = EngineFixture.open(
                directory, NodeSize.small().ranks(2).fifos(126).fifoSlots(2).dimensions())) {
            final Context context = engines.context(0);
            final ReceptionCounter counter =
                    engines.client(1).receptionCounter(engines.client(1).window(64), 0, 64);
            engines.client(1).publish("in", counter);
            final Target peer = context.attach(1, "in", Deadline.in(10, SECONDS));
            final List<InjectionFifo> fifos = new ArrayList<>();
            for (int i = 1; i < 125; i++) {
                fifos.add(context.injectionFifo());
            }
            // The recording FIFO, the persistent FIFO, and the one for the messages of handlers.
            context.replyingHandler(1, (source, buffer, m, ml, payload, length) -> context.count(peer, -1));
            for (int round = 0; round < 10; round++) {
                fifos.forEach(each -> each.count(peer, -1));
                context.sendImmediate(0, 1, new UnsafeBuffer(new byte[8]), 0, 8);
                context.count(peer, -1);
                engines.settle();
            }
            assertThat(counter.valueAcquire()).isEqualTo(-1260);
            assertThat(context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.count(peer, -1)))
                    .isNotNull();
            engines.settle();
            assertThat(counter.valueAcquire()).isEqualTo(-1261);
        }
    }
}
