package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Refusal;

/** COPY and COUNT, and the other FIFOs of a context while one FIFO is stopped. */
class CopyTest {
    private static final int QUANTUM = (int) FifoMetadata.DEFAULT_QUANTUM_BYTES;
    private static final int WINDOW = 3 * QUANTUM;
    private static final byte CANARY = 0x1D;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context context;
    private Window source;
    private Window target;
    private byte[] expected;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().ranks(1).windowBytes(3L * WINDOW).dimensions());
        context = engines.context(0);
        source = engines.client(0).window(WINDOW);
        target = engines.client(0).window(WINDOW);
        expected = new byte[WINDOW];
        new Random(1).nextBytes(expected);
        source.buffer().putBytes(0, expected);
        target.buffer().setMemory(0, WINDOW, CANARY);
        Arrays.fill(expected, CANARY);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldCopyEveryShortLengthAndNothingBesideIt() {
        for (int length = 0; length <= 300; length++) {
            copy(length % 13, length % 7, length);
            engines.settle();
            assertThat(isCopied()).as("length " + length).isTrue();
        }
    }

    @Test
    void shouldCopyALongOneByTheQuantumAndKeepOrderBehindIt() {
        final int length = 2 * QUANTUM + 1000;
        copy(0, 0, length);
        copy(50, QUANTUM, 200);
        copy(99, length - 10, 10);
        assertThat(engines.pass(0)).as("a part is work").isEqualTo(1);
        assertThat(target.buffer().getByte(QUANTUM)).isEqualTo(CANARY);
        assertThat(target.buffer().getByte(QUANTUM - 1))
                .isEqualTo(source.buffer().getByte(QUANTUM - 1));
        assertThat(engines.pass(0)).isEqualTo(1);
        assertThat(engines.pass(0)).isEqualTo(3);
        assertThat(engines.pass(0)).isZero();
        assertThat(isCopied()).isTrue();
    }

    @Test
    void shouldRefuseALongOneWithALengthCutBelowTheCopiedBytes() {
        copy(0, 0, 2 * QUANTUM);
        assertThat(engines.pass(0)).isEqualTo(1);
        final long slot = engines.memory(0).layout().offset(Part.FIFO_SLOTS);
        engines.memory(0).owner().putLong(slot + Descriptor.LENGTH_OFFSET, QUANTUM - 1);
        engines.settle();
        engines.requireNothingThrown();
        assertThat(engines.metrics(0).get(Refusal.BAD_LENGTH)).isEqualTo(1);
        assertThat(context.fifo().fill()).isZero();
    }

    @Test
    void shouldCountUpAndDown() {
        final ReceptionCounter counter = engines.client(0).receptionCounter(target, 0, 0);
        final Target to = new Target(0, counter.id(), counter.incarnation(), 0, false);
        for (final long amount : new long[] {5, -7, Long.MAX_VALUE, -Long.MAX_VALUE, 2}) {
            assertThat(context.count(to, amount)).isNotNegative();
        }
        engines.settle();
        assertThat(counter.valueAcquire()).isZero();
    }

    /** Stores an impossible tail in a FIFO: it is not served any more, but patterns of the same context continue. */
    @Test
    void shouldServeTheOtherFifosOfAContextWhenOneIsQuarantined() {
        final ReceptionCounter counter = engines.client(0).receptionCounter(target, 0, 8);
        final Target to = new Target(0, counter.id(), counter.incarnation(), 8, false);
        final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.put(to, 0, source, 0, 8));
        engines.settle();
        engines.memory(0).owner().putLong(engines.memory(0).layout().offset(Part.TAILS), 1000);
        engines.settle();
        assertThat(context.fifo().quarantineAcquire()).isEqualTo(Refusal.BAD_FIFO.code());
        for (long round = 2; round < 10; round++) {
            assertThat(context.replay(pattern)).isEqualTo(round);
            engines.settle();
            assertThat(counter.valueAcquire()).isEqualTo(-8 * round);
        }
    }

    private void copy(int from, int to, int length) {
        assertThat(context.copy(source, from, target, to, length)).isNotNegative();
        source.buffer().getBytes(from, expected, to, length);
    }

    private boolean isCopied() {
        final byte[] found = new byte[WINDOW];
        target.buffer().getBytes(0, found);
        return Arrays.equals(found, expected);
    }
}
