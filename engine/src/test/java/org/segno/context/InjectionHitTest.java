package org.segno.context;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
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
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.Refusal;

/** Handlers of hits of injection counters. Rank 0 sends to rank 1. */
class InjectionHitTest {
    @TempDir
    Path directory;

    private final List<Integer> hits = new ArrayList<>();
    private EngineFixture engines;
    private Context context;
    private Window source;
    private Target peer;
    private InjectionCounter sent;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(directory, NodeSize.small().fifos(3).dimensions());
        context = engines.context(0);
        source = engines.client(0).window(256);
        final ReceptionCounter counter = engines.client(1)
                .receptionCounter(
                        engines.client(1).window(256),
                        0,
                        256,
                        ReceptionCounter.ANYBODY,
                        Right.PUT,
                        Right.GET,
                        Right.ATOMIC);
        engines.client(1).publish("in", counter);
        peer = context.attach(1, "in", Deadline.in(10, SECONDS));
        sent = engines.client(0).injectionCounter();
        context.onHit(sent, hits::add);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldRunOnceWhenEverythingExpectedWasRead() {
        sent.expect(100);
        context.put(peer, 0, source, 0, 60, sent);
        engines.settle();
        assertThat(hits).isEmpty();
        context.put(peer, 60, source, 0, 40, sent);
        engines.pass(0);
        assertThat(hits).as("not on the engine's thread").isEmpty();
        context.advance();
        assertThat(hits).containsExactly(sent.id());
        engines.settle();
        assertThat(hits).hasSize(1);
    }

    @Test
    void shouldRunForEveryOperationThatCompletesTheCounter() {
        engines.context(1).handler(3, (origin, buffer, m, ml, p, pl) -> {});
        final List<Runnable> operations = List.of(
                () -> context.put(peer, 0, source, 0, 8, sent),
                () -> context.get(peer, 0, source, 8, 8, sent),
                () -> context.rmw(
                        peer, 0, new Rmw().fetchAdd(1).result(source, 16).completes(sent)),
                () -> context.send(new Message().to(1, 3).payload(source, 0, 8).completes(sent)));
        for (int i = 0; i < operations.size(); i++) {
            sent.expect(8);
            operations.get(i).run();
            engines.settle();
            assertThat(hits).as("operation " + i).hasSize(i + 1);
        }
    }

    @Test
    void shouldRunForAnExpectationThatComesAfterItsBytes() {
        context.put(peer, 0, source, 0, 8, sent);
        engines.settle();
        assertThat(hits).isEmpty();
        sent.expect(8);
        assertThat(hits).as("not before the next advance").isEmpty();
        context.advance();
        assertThat(hits).hasSize(1);
        sent.expect(0);
        context.advance();
        assertThat(hits).hasSize(2);
    }

    @Test
    void shouldRunForEveryRoundOfAPatternThatArmsTheCounter() {
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            context.expect(sent, 16);
            context.put(peer, 0, source, 0, 8, sent);
            context.put(peer, 8, source, 0, 8, sent);
        });
        for (int round = 1; round <= 50; round++) {
            assertThat(context.replay(pattern)).isEqualTo(round);
            engines.settle();
            assertThat(hits).hasSize(round);
        }
    }

    @Test
    void shouldRunForARefusalWhichTheCounterReports() {
        final List<Long> errors = new ArrayList<>();
        final InjectionCounter refused = engines.client(0).injectionCounter();
        context.onHit(refused, id -> errors.add(refused.errorAcquire()));
        refused.expect(8);
        context.put(new Target(1, 9, 1, 8, false), 0, source, 0, 8, refused);
        engines.settle();
        assertThat(errors).hasSize(1);
        assertThat(InjectionCounter.code(errors.get(0))).isEqualTo(Refusal.COUNTER_DISABLED.code());
    }

    @Test
    void shouldReplaceAHandlerAndForgetAClosedCounter() {
        final List<Integer> later = new ArrayList<>();
        context.onHit(sent, later::add);
        sent.expect(0);
        context.advance();
        assertThat(hits).isEmpty();
        assertThat(later).hasSize(1);
        engines.client(0).await(engines.client(0).close(sent), context, Deadline.in(10, SECONDS));
        final InjectionCounter next = engines.client(0).injectionCounter();
        assertThat(next.id()).isEqualTo(sent.id());
        next.expect(8);
        context.put(peer, 0, source, 0, 8, next);
        engines.settle();
        assertThat(later).as("another use of the id").hasSize(1);
        context.onHit(next, later::add);
        next.expect(0);
        engines.settle();
        assertThat(later).hasSize(2);
    }

    @Test
    void shouldLetAHandlerStartTheNextOperation() {
        final InjectionCounter chained = engines.client(0).injectionCounter();
        final int[] rounds = new int[1];
        context.onHit(chained, id -> {
            if (++rounds[0] < 10) {
                chained.expect(0);
            }
            context.onHit(engines.client(0).injectionCounter(), hits::add);
        });
        chained.expect(0);
        engines.settle();
        assertThat(rounds[0]).isEqualTo(10);
    }

    @Test
    void shouldRefuseCountersOfOtherNodes() {
        final InjectionCounter foreign = engines.client(1).injectionCounter();
        assertThatThrownBy(() -> context.onHit(foreign, hits::add))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("was made by another node, rank 1");
    }

    @Test
    @SuppressWarnings("NullAway")
    void shouldRefuseToRegisterNoHandler() {
        final ReceptionCounter counter = engines.client(0).receptionCounter(source, 0, 8);
        assertThatNullPointerException()
                .isThrownBy(() -> context.onHit(sent, null))
                .withMessage("handler");
        assertThatNullPointerException()
                .isThrownBy(() -> context.onHit(counter, null))
                .withMessage("handler");
        assertThatNullPointerException()
                .isThrownBy(() -> context.notified(4, null))
                .withMessage("handler");
    }
}
