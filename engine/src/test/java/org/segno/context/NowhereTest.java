package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.multisend.Blocks;
import org.segno.multisend.Vectored;
import org.segno.operation.Notification;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/** Operations on {@link Target#nowhere()}: nothing is injected, and local counters complete. */
class NowhereTest {
    private static final Target NOWHERE = Target.nowhere();
    private static final int ID = 4;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Client client;
    private Context context;
    private Window window;
    private InjectionCounter counter;
    private CounterPair pair;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().fifos(3).fifoSlots(4).dimensions());
        client = engines.client(0);
        context = engines.context(0);
        window = client.window(1024);
        counter = client.injectionCounter();
        pair = client.counterPair(window, 512, 640, 64);
        window.buffer().putLong(0, 77);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private static long deadline() {
        return Deadline.in(10, TimeUnit.SECONDS);
    }

    private void assertNothingInjected() {
        engines.settle();
        assertThat(context.fifo().descriptorsAcquire()).isZero();
        assertThat(window.buffer().getLong(0)).isEqualTo(77);
        assertThat(context.isDrained()).isTrue();
    }

    private void assertCompletes(long bytes, Runnable operation) {
        counter.expect(bytes);
        operation.run();
        assertThat(counter.valueAcquire()).isZero();
        context.await(counter, deadline());
        assertNothingInjected();
    }

    @Test
    void shouldBeAConstant() {
        assertThat(NOWHERE.isNowhere()).isTrue();
        assertThat(NOWHERE.ofRound(3)).isSameAs(NOWHERE);
        assertThat(NOWHERE).hasToString("Target.nowhere()");
        assertThat(new Target(1, 0, 0, 8, false).isNowhere()).isFalse();
        assertThat(new Target(1, 2, 3, 8, true))
                .hasToString("Target[rank=1, counter=2, incarnation=3, length=8, alternate=true]");
    }

    @Test
    void shouldSkipEachOperation() {
        assertThat(context.put(NOWHERE, 1L << 40, window, 0, 8)).isZero();
        assertThat(context.count(NOWHERE, -1)).isZero();
        assertCompletes(
                8,
                () -> assertThat(context.put(NOWHERE, 0, window, 0, 8, counter)).isZero());
        assertCompletes(
                8,
                () -> assertThat(context.putNotifying(
                                NOWHERE,
                                0,
                                window,
                                0,
                                8,
                                new Notification().at(3).completes(counter)))
                        .isZero());
        assertCompletes(
                8,
                () -> assertThat(context.get(NOWHERE, 0, window, 0, 8, counter)).isZero());
        assertCompletes(
                Rmw.LENGTH,
                () -> assertThat(context.rmw(
                                NOWHERE,
                                0,
                                new Rmw().fetchAdd(1).result(window, 0).completes(counter)))
                        .isZero());
        final Vectored vectored = new Vectored(context);
        final Blocks blocks = Blocks.strided(0, 8, 16, 20);
        assertCompletes(
                160,
                () -> assertThat(vectored.put(NOWHERE, Blocks.contiguous(0, 160), window, blocks, counter))
                        .isZero());
        assertCompletes(
                160,
                () -> assertThat(vectored.get(NOWHERE, Blocks.contiguous(0, 160), window, blocks, counter))
                        .isZero());
        assertThat(context.isCarriedOut(0)).as("the returned position").isTrue();
    }

    @Test
    void shouldCountDownWhereAGetWouldLand() {
        final ReceptionCounter into = client.receptionCounter(window, 0, 64);
        final List<Integer> hits = new ArrayList<>();
        context.onHit(into, hit -> hits.add(hit));
        into.expect(8);
        counter.expect(8);
        assertThat(context.get(NOWHERE, 0, into, 0, 8, counter)).isZero();
        context.await(into, deadline());
        context.await(counter, deadline());
        assertThat(hits).isNotEmpty();
        assertNothingInjected();
    }

    @Test
    void shouldWorkThroughAFurtherFifoAndWhenTheFifoIsFull() {
        final InjectionFifo further = context.injectionFifo();
        counter.expect(8);
        assertThat(further.put(NOWHERE, 0, window, 0, 8, counter)).isZero();
        assertThat(counter.valueAcquire()).isZero();
        assertThat(further.isCarriedOut(0)).isTrue();
        for (int i = 0; i < 4; i++) {
            assertThat(context.copy(window, 64, window, 128, 8)).isEqualTo(i);
        }
        assertThat(context.copy(window, 64, window, 128, 8)).isNegative();
        assertThat(context.put(NOWHERE, 0, window, 0, 8)).isZero();
        assertThat(context.isCarriedOut(0)).as("now a position of a descriptor").isFalse();
        engines.settle();
        assertThat(context.isCarriedOut(0)).isTrue();
    }

    @Test
    void shouldCheckLocalArguments() {
        assertThatThrownBy(() -> context.put(NOWHERE, 0, window, 1020, 8)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> context.get(NOWHERE, 0, window, 0, -1, counter))
                .isInstanceOf(IllegalArgumentException.class);
        final Window foreign = engines.client(1).window(64);
        assertThatThrownBy(() -> context.put(NOWHERE, 0, foreign, 0, 8)).isInstanceOf(IllegalArgumentException.class);
        final InjectionCounter foreignCounter = engines.client(1).injectionCounter();
        assertThatThrownBy(() -> context.put(NOWHERE, 0, window, 0, 8, foreignCounter))
                .isInstanceOf(IllegalArgumentException.class);
        final ReceptionCounter into = client.receptionCounter(window, 0, 64);
        assertThatThrownBy(() -> context.get(NOWHERE, 0, into, 60, 8, null))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> context.get(NOWHERE, 0, pair, 0, 8, null))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("inside record only");
    }

    @Test
    void shouldBeRefusedWhereOthersAre() {
        final List<String> refused = new ArrayList<>();
        context.handler(3, (from, buffer, m, ml, p, pl) -> {
            assertThatThrownBy(() -> context.count(NOWHERE, -1))
                    .hasMessageContaining("only a replying handler can send");
            refused.add("refused");
        });
        context.sendImmediate(0, 3, new UnsafeBuffer(new byte[8]), 0, 8);
        engines.settle();
        assertThat(refused).hasSize(1);
        final InjectionFifo further = context.injectionFifo();
        assertThatThrownBy(() -> context.record(ID, Rounds.ALTERNATE, () -> further.count(NOWHERE, -1)))
                .hasMessageContaining("cannot be recorded");
    }

    /** Everything that a rank at the edge does with the neighbour that it does not have. */
    private void allOperations() {
        context.expect(counter, 8 + 8 + 8 + Rmw.LENGTH);
        context.expect(pair, 8);
        context.put(NOWHERE, 0, window, 0, 8, counter);
        context.get(NOWHERE, 0, window, 0, 8, counter);
        context.get(NOWHERE, 0, pair, 0, 8, counter);
        context.rmw(NOWHERE, 0, new Rmw().fetchAdd(1).completes(counter));
        context.count(NOWHERE, -1);
        context.waitUntil(counter, 0);
        context.waitUntil(pair, 0);
    }

    @Test
    void shouldCompleteInEveryRoundOfARecording() {
        final Pattern pattern = context.record(ID, Rounds.ALTERNATE, this::allOperations);
        assertThat(pattern.descriptors())
                .as("two waits, two expectations, five completions")
                .isEqualTo(2 + 2 + 5);
        context.await(pattern, 1, deadline());
        for (long round = 2; round <= 5; round++) {
            assertThat(context.queue(pattern)).isEqualTo(round);
            context.await(pattern, round, deadline());
            assertThat(counter.valueAcquire()).isZero();
            assertThat(pair.counter(round).valueAcquire()).isZero();
        }
        assertNothingInjected();
        pattern.close();
    }

    @Test
    void shouldCompleteInEveryRoundOfAPreparation() {
        final ReceptionCounter into = client.receptionCounter(window, 0, 64);
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            context.expect(into, 8);
            context.get(NOWHERE, 0, into, 0, 8, null);
        });
        assertThat(into.valueAcquire()).as("nothing happens by preparing").isZero();
        for (long round = 1; round <= 3; round++) {
            assertThat(context.replay(pattern)).isEqualTo(round);
            context.await(pattern, round, deadline());
            assertThat(into.valueAcquire()).isZero();
        }
        final Pattern empty = context.prepare(Rounds.ALTERNATE, () -> context.put(NOWHERE, 0, window, 0, 8));
        assertThat(empty.descriptors()).isZero();
    }
}
