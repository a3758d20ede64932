package org.segno.context;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.Status;

/** Priority and quantum of the persistent and the recording FIFO. Rank 0 sends to rank 1. */
class RunFifoTest {
    private static final int ROUND = 40;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context context;
    private Window source;
    private ReceptionCounter counter;
    private Target peer;
    private InjectionFifo plain;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().ranks(2).fifos(4).patternSlots(256).dimensions());
        context = engines.context(0);
        source = engines.client(0).window(8);
        counter = engines.client(1).receptionCounter(engines.client(1).window(8), 0, 8);
        engines.client(1).publish("in", counter);
        peer = context.attach(1, "in", Deadline.in(10, SECONDS));
        plain = context.injectionFifo();
        plain.quantum(1 << 20, 1);
        engines.settle();
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private void fillPlain() {
        while (plain.count(peer, 0) != Status.BACK_PRESSURED) {
            Thread.onSpinWait();
        }
    }

    private void putAll() {
        for (int i = 0; i < ROUND; i++) {
            context.put(peer, 0, source, 0, 8);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, FifoMetadata.MAX_PRIORITY})
    void shouldServeReplaysMoreOftenByPriority(int priority) {
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, this::putAll);
        final RunFifo replays = context.persistentFifo();
        replays.priority(priority);
        replays.quantum(1 << 20, 1);
        engines.settle();
        assertThat(context.replay(pattern)).isEqualTo(1);
        assertThat(replays.fill()).isEqualTo(1);
        for (int pass = 1; pass <= 2; pass++) {
            fillPlain();
            engines.pass(0);
            assertThat(plain.descriptors()).isEqualTo(pass);
            assertThat(replays.descriptors()).isEqualTo(pass * (priority + 1L));
        }
        engines.settle();
        assertThat(replays.fill()).isZero();
        assertThat(replays.descriptors()).isEqualTo(ROUND);
        assertThat(counter.valueAcquire()).isEqualTo(-8L * ROUND);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void shouldServeRecordingsMoreOftenByPriority(int priority) {
        final RunFifo recordings = context.recordingFifo();
        recordings.priority(priority);
        recordings.quantum(1 << 20, 2);
        engines.settle();
        final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, this::putAll);
        for (int pass = 1; pass <= 3; pass++) {
            fillPlain();
            engines.pass(0);
            assertThat(plain.descriptors()).isEqualTo(pass);
            assertThat(recordings.descriptors()).isEqualTo(2L * pass * (priority + 1));
        }
        engines.settle();
        assertThat(pattern.isComplete()).isTrue();
        assertThat(context.persistentFifo().descriptors()).as("another FIFO").isZero();
    }

    @Test
    void shouldServeUpToTheQuantumInAVisit() {
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, this::putAll);
        final RunFifo replays = context.persistentFifo();
        replays.quantum(20, 100);
        engines.settle();
        context.replay(pattern);
        assertThat(engines.pass(0)).as("the third begins below 20 bytes").isEqualTo(3);
        replays.quantum(1 << 20, 7);
        engines.settle();
        context.replay(pattern);
        assertThat(engines.pass(0)).isEqualTo(7);
        engines.settle();
        assertThat(counter.valueAcquire()).isEqualTo(-2L * 8 * ROUND);
    }

    @Test
    void shouldRefuseInvalidSettings() {
        final RunFifo replays = context.persistentFifo();
        assertThatThrownBy(() -> replays.priority(16))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("priority=16");
        assertThatThrownBy(() -> replays.priority(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> replays.quantum(0, 1)).hasMessageContaining("bytes=0, descriptors=1");
        assertThatThrownBy(() -> replays.quantum(1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThat(replays).hasToString("the persistent FIFO of context 0 of rank 0");
        assertThat(context.recordingFifo()).hasToString("the recording FIFO of context 0 of rank 0");
    }
}
