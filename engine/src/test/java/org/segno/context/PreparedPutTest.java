package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.dma.Reach;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

@ParameterizedClass
@EnumSource(
        value = Reach.class,
        names = {"MAPPED", "LINKED"})
class PreparedPutTest {
    private static final int BYTES = 4096;

    @Parameter
    Reach reach = Reach.MAPPED;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Client client;
    private Context context;
    private Window source;
    private Window theirs;
    private InjectionCounter injected;
    private ReceptionCounter landed;
    private Target target;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().fifos(3).fifoSlots(16).dimensions(), reach, EngineFixture.SMALL_LINK);
        client = engines.client(0);
        context = engines.context(0);
        source = client.window(BYTES);
        injected = client.injectionCounter();
        theirs = engines.client(1).window(BYTES);
        landed = engines.client(1).receptionCounter(theirs, 0, BYTES);
        target = new Target(1, landed.id(), landed.incarnation(), BYTES, false);
        for (int i = 0; i < BYTES; i += Long.BYTES) {
            source.buffer().putLong(i, 1_000 + i);
        }
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldDoWhatPutDoes() {
        final PreparedPut put = context.preparePut(target, source, injected);
        landed.expect(24);
        injected.expect(24);

        assertThat(put.put(64, 8, 8)).isZero();
        assertThat(put.put(128, 16, 16)).isEqualTo(1);
        engines.settle();

        assertThat(theirs.buffer().getLong(64)).isEqualTo(1_008);
        assertThat(theirs.buffer().getLong(128)).isEqualTo(1_016);
        assertThat(theirs.buffer().getLong(136)).isEqualTo(1_024);
        assertThat(landed.valueAcquire()).isZero();
        assertThat(injected.valueAcquire()).isZero();
    }

    @Test
    void shouldCheckBothRangesOfEachCall() {
        final PreparedPut put = context.preparePut(target, source, null);
        assertThatThrownBy(() -> put.put(BYTES - 7, 0, 8)).hasMessageContaining("target range");
        assertThatThrownBy(() -> put.put(-1, 0, 8)).hasMessageContaining("target range");
        assertThatThrownBy(() -> put.put(0, BYTES - 7, 8)).hasMessageContaining("window range");
        assertThatThrownBy(() -> put.put(0, -1, 8)).hasMessageContaining("window range");
        assertThatThrownBy(() -> put.put(0, 0, -1)).hasMessageContaining("window range");
        assertThatThrownBy(() -> put.put(0, Long.MAX_VALUE, Long.MAX_VALUE)).hasMessageContaining("range");
        assertThat(context.fifo().descriptorsAcquire()).isZero();
    }

    @Test
    void shouldCheckItsPartsWhenItIsPrepared() {
        final Window foreign = engines.client(1).window(64);
        assertThatThrownBy(() -> context.preparePut(target, foreign, null)).hasMessageContaining("rank 1");
        assertThatThrownBy(() -> context.preparePut(Target.nowhere(), foreign, null))
                .hasMessageContaining("rank 1");
        assertThatThrownBy(() -> context.preparePut(new Target(9, 0, 0, 8, false), source, null))
                .hasMessageContaining("rank=9");
    }

    @Test
    void shouldRefuseAClosedWindowOrCounter() {
        final PreparedPut put = context.preparePut(target, source, injected);
        final Window other = client.window(64);
        final PreparedPut fromOther = context.preparePut(target, other, null);
        client.close(other);
        assertThatThrownBy(() -> fromOther.put(0, 0, 8)).hasMessageContaining("closed");
        client.close(injected);
        assertThatThrownBy(() -> put.put(0, 0, 8)).hasMessageContaining("closed");
    }

    @Test
    void shouldReturnBackPressuredWhenTheFifoIsFull() {
        final PreparedPut put = context.preparePut(target, source, null);
        int sent = 0;
        while (put.put(0, 0, 8) >= 0) {
            sent++;
        }
        assertThat(sent).isEqualTo(16);
        assertThat(put.put(0, 0, 8)).isEqualTo(Status.BACK_PRESSURED);
    }

    @Test
    void shouldDoNothingNowhere() {
        final PreparedPut put = context.preparePut(Target.nowhere(), source, injected);
        injected.expect(8);
        assertThat(put.put(1L << 40, 0, 8)).isZero();
        assertThat(injected.valueAcquire()).isZero();
        assertThatThrownBy(() -> put.put(0, BYTES, 8)).hasMessageContaining("range");
        assertThat(context.fifo().descriptorsAcquire()).isZero();
    }

    @Test
    void shouldBeRecordedAndReplayed() {
        final PreparedPut put = context.preparePut(target, source, null);
        landed.expect(16);
        final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
            put.put(0, 0, 8);
            put.put(256, 8, 8);
        });
        engines.settle();
        assertThat(theirs.buffer().getLong(256)).isEqualTo(1_008);

        source.buffer().putLong(8, 5);
        landed.expect(16);
        assertThat(context.replay(pattern)).isEqualTo(2);
        engines.settle();
        assertThat(theirs.buffer().getLong(256)).isEqualTo(5);
        assertThat(landed.valueAcquire()).isZero();
    }

    @Test
    void shouldInjectWithinABatch() {
        final PreparedPut put = context.preparePut(target, source, null);
        context.batch(3, () -> {
            for (int i = 0; i < 3; i++) {
                assertThat(put.put(i * 64L, i * 8L, 8)).isNotNegative();
            }
        });
        engines.settle();
        assertThat(theirs.buffer().getLong(128)).isEqualTo(1_016);
    }

    /** A quantum of bytes ends within messages, short ones among them, wherever they lie in a run. */
    @ParameterizedTest
    @ValueSource(ints = {1, 20, 100, 130, 200, 1000})
    void shouldCountEachByteOnceWhateverTheQuantum(int quantum) {
        final InjectionFifo fifo = context.injectionFifo();
        fifo.quantum(quantum, 100);
        engines.settle();
        final int[] lengths = {150, 100, 8, 129, 128, 60, 8, 300, 16};
        int at = 0;
        for (final int length : lengths) {
            assertThat(fifo.put(target, at, source, at, length, injected)).isNotNegative();
            at += length;
        }
        landed.expect(at);
        injected.expect(at);
        engines.settle();

        assertThat(landed.valueAcquire()).isZero();
        assertThat(injected.valueAcquire()).isZero();
        for (int i = 0; i < at; i++) {
            assertThat(theirs.buffer().getByte(i)).isEqualTo(source.buffer().getByte(i));
        }
    }

    /** Two ranks put runs of random lengths to each other. The receiver checks every byte of every round. */
    @ParameterizedTest
    @Tag("long")
    @EnumSource(Threading.class)
    void shouldMoveRunsOfMixedLengthsInEachThreadingMode(Threading threading) throws Exception {
        try (InProcessJob job = InProcessJob.join(
                Files.createDirectory(directory.resolve("job")),
                2,
                NodeConfig.defaults().withThreading(threading).withWindowBytes(1 << 16))) {
            job.onThreads(rank -> exchange(job, rank));
        }
    }

    private static void exchange(InProcessJob job, int rank) {
        final Context own = job.context(rank);
        final Client client = job.node(rank).client();
        final Window out = client.window(BYTES);
        final Window in = client.window(BYTES);
        final ReceptionCounter arrivals = client.receptionCounter(in, 0, BYTES);
        client.publish("in", arrivals);
        final Target other = own.attach(1 - rank, "in", InProcessJob.deadline());
        final InjectionCounter read = client.injectionCounter();
        final PreparedPut put = own.preparePut(other, out, read);
        // Equal seeds: each rank knows the lengths of the other.
        final SplittableRandom random = new SplittableRandom(7);
        for (int round = 1; round <= 300; round++) {
            final int count = 1 + random.nextInt(40);
            final int[] lengths = new int[count];
            int total = 0;
            for (int i = 0; i < count && total < BYTES - 256; i++) {
                lengths[i] = random.nextInt(4) == 0 ? random.nextInt(200) : Long.BYTES;
                total += lengths[i];
            }
            for (int i = 0; i < total; i++) {
                out.buffer().putByte(i, (byte) (31 * round + 7 * i + rank));
            }
            arrivals.expect(total);
            read.expect(total);
            own.barrier(InProcessJob.deadline());
            int at = 0;
            for (final int length : lengths) {
                while (put.put(at, at, length) == Status.BACK_PRESSURED) {
                    own.advance();
                }
                at += length;
            }
            own.await(read, InProcessJob.deadline());
            own.await(arrivals, InProcessJob.deadline());
            for (int i = 0; i < total; i++) {
                assertThat(in.buffer().getByte(i)).isEqualTo((byte) (31 * round + 7 * i + 1 - rank));
            }
        }
        own.barrier(InProcessJob.deadline());
    }
}
