package org.segno.context;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/** Two nodes of one process: an object of one node names another object of the other node under the same id. */
class ForeignObjectsTest {
    @TempDir
    Path directory;

    private EngineFixture engines;
    private Client client;
    private Context context;
    private Window own;
    private Window foreign;
    private ReceptionCounter foreignCounter;
    private CounterPair foreignPair;
    private InjectionCounter foreignInjection;
    private Target peer;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(directory, NodeSize.small().ranks(2).dimensions());
        client = engines.client(0);
        context = engines.context(0);
        own = client.window(64);
        foreign = engines.client(1).window(64);
        foreignCounter = engines.client(1).receptionCounter(foreign, 0, 64);
        foreignPair = engines.client(1).counterPair(foreign, 0, 32, 32);
        foreignInjection = engines.client(1).injectionCounter();
        client.receptionCounter(own, 0, 64);
        client.injectionCounter();
        engines.client(1).publish("in", foreignCounter);
        peer = context.attach(1, "in", deadline());
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private static long deadline() {
        return Deadline.in(20, SECONDS);
    }

    private static void assertForeign(ThrowingCallable call, Object named) {
        assertThatThrownBy(call)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(named.toString(), "made by another node, rank 1", "rank 0 accepts only");
    }

    @Test
    void shouldRefuseWindowsOfAnotherNode() {
        assertThat(foreign.id()).isEqualTo(own.id());
        assertForeign(() -> context.put(peer, 0, foreign, 0, 8), foreign);
        assertForeign(() -> context.send(new Message().to(1, 1).payload(foreign, 0, 8)), foreign);
        assertForeign(() -> context.copy(foreign, 0, own, 0, 8), foreign);
        assertForeign(() -> context.copy(own, 0, foreign, 0, 8), foreign);
        assertForeign(() -> client.receptionCounter(foreign, 0, 8), foreign);
        assertForeign(() -> client.receptionCounter(foreign, 0, 8, 1), foreign);
        assertForeign(() -> client.counterPair(foreign, 0, 8, 8), foreign);
        assertThat(context.fifo().fill()).isZero();
    }

    @Test
    void shouldRefuseCountersOfAnotherNode() {
        assertForeign(() -> context.expect(foreignCounter, 8), foreignCounter);
        assertForeign(() -> context.expect(foreignInjection, 8), foreignInjection);
        assertForeign(() -> context.await(foreignCounter, deadline()), foreignCounter);
        assertForeign(() -> context.await(foreignInjection, deadline()), foreignInjection);
        assertForeign(() -> context.onHit(foreignCounter, counter -> {}), foreignCounter);
        assertForeign(() -> client.publish("counter", foreignCounter), foreignCounter);
        assertForeign(() -> client.publish("pair", foreignPair), foreignPair);
        assertForeign(() -> context.put(peer, 0, own, 0, 8, foreignInjection), foreignInjection);
        assertForeign(
                () -> context.send(new Message().to(1, 1).payload(own, 0, 8).completes(foreignInjection)),
                foreignInjection);
        assertThat(foreignCounter.valueAcquire()).isZero();
        assertThat(foreignInjection.valueAcquire()).isZero();
        assertThat(context.fifo().fill()).isZero();
    }

    @Test
    void shouldRefuseToRecordExpectationsOfAnotherNode() {
        assertForeign(() -> record(it -> it.expect(foreignCounter, 8)), foreignCounter);
        assertForeign(() -> record(it -> it.expect(foreignPair, 8)), foreignPair);
        assertForeign(() -> record(it -> it.expect(foreignInjection, 8)), foreignInjection);
        assertThat(MemoryAccess.isArmed(foreignCounter)).isFalse();
        assertThat(MemoryAccess.isArmed(foreignPair.counter(0))).isFalse();
    }

    private void record(Consumer<Context> body) {
        context.record(1, Rounds.ORDERED_BY_CALLER, () -> body.accept(context));
    }

    @Test
    void shouldRefusePatternsOfAnotherContext() {
        final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.put(peer, 0, own, 0, 8));
        context.await(pattern, 1, deadline());
        final Context other = engines.context(1);
        assertAnothers(() -> other.replay(pattern), pattern);
        assertAnothers(() -> other.await(pattern, 1, deadline()), pattern);
        pattern.close();
        assertAnothers(() -> other.replay(pattern), pattern);
        assertThat(other.isDrained()).isTrue();
    }

    private static void assertAnothers(ThrowingCallable call, Pattern pattern) {
        assertThatThrownBy(call)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(
                        pattern.toString(), "recorded by context 0 of rank 0", "this is context 0 of rank 1");
    }
}
