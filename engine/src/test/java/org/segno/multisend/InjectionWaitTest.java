package org.segno.multisend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.RefusedException;
import org.segno.status.Status;

/** WAITs for injection counters: of a pattern, and behind operations that are refused. */
@Timeout(120)
class InjectionWaitTest {
    @TempDir
    Path parent;

    private InProcessJob job;
    private Client client;
    private Context first;
    private Context second;
    private Window window;
    private ReceptionCounter source;
    private Target target;
    private InjectionCounter read;

    @BeforeEach
    void join() {
        job = InProcessJob.join(
                parent,
                1,
                NodeConfig.defaults()
                        .withThreading(Threading.INVOKER)
                        .withContexts(2)
                        .withFifoSlots(64)
                        .withPatterns(128)
                        .withRunSlots(128)
                        .withWindowBytes(4096));
        client = job.node(0).client();
        first = client.context(0);
        second = client.context(1);
        window = client.window(1024);
        source = client.receptionCounter(window, 0, 8, ReceptionCounter.ANYBODY, Right.GET);
        client.publish("source", source);
        target = first.attach(0, "source", InProcessJob.deadline());
        read = client.injectionCounter();
    }

    @AfterEach
    void close() {
        job.close();
    }

    @Test
    void shouldHoldEachReplayedRoundUntilWhatAnotherContextFetchesHasCome() {
        final JointPattern pattern = JointPattern.record(
                5,
                Rounds.ORDERED_BY_CALLER,
                () -> {
                    second.expect(read, 8);
                    second.waitUntil(read, 0);
                    second.copy(window, 64, window, 72, 8);
                    first.get(target, 0, window, 64, 8, read);
                },
                first,
                second);
        pattern.await(1, InProcessJob.deadline());
        for (long round = 2; round <= 10; round++) {
            window.putLong(0, round);
            assertThat(pattern.replay()).isEqualTo(round);
            for (int pass = 0; pass < 3; pass++) {
                second.advance();
            }
            pattern.await(round, InProcessJob.deadline());
            assertThat(window.getLong(72)).isEqualTo(round);
        }
    }

    @Test
    void shouldStartNoMoreRoundsWithSuchAWaitThanTheEngineCanSetAside() {
        read.expect(8);
        int started = 0;
        for (int i = 0; i < FifoMetadata.MAX_HELD_RUNS + 6; i++) {
            final Pattern held = first.prepare(Rounds.ORDERED_BY_CALLER, () -> first.waitUntil(read, 0));
            started += first.replay(held) > 0 ? 1 : 0;
        }
        assertThat(started).isEqualTo(FifoMetadata.MAX_HELD_RUNS);
        final Pattern other = first.prepare(Rounds.ORDERED_BY_CALLER, () -> first.copy(window, 64, window, 72, 8));
        first.await(other, first.replay(other), InProcessJob.deadline());
        read.reset();
    }

    @Test
    void shouldEndWhenWhatWasToCountDownIsRefused() {
        source.disable();
        read.expect(8);
        first.get(target, 0, window, 64, 8, read);
        first.waitUntil(read, 0);
        first.fence(InProcessJob.deadline());
        assertThatThrownBy(() -> first.await(read, InProcessJob.deadline())).isInstanceOf(RefusedException.class);
    }

    @Test
    void shouldEndTheRoundWhoseOperationIsRefused() {
        final Pattern pattern = first.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            first.expect(read, 8);
            first.get(target, 0, window, 64, 8, read);
            first.waitUntil(read, 0);
            first.copy(window, 64, window, 72, 8);
        });
        assertThat(first.replay(pattern)).isEqualTo(1);
        first.await(pattern, 1, InProcessJob.deadline());
        source.disable();
        window.putLong(72, -1);
        assertThat(first.replay(pattern)).isEqualTo(2);
        assertThatThrownBy(() -> first.await(pattern, 2, InProcessJob.deadline()))
                .isInstanceOf(RefusedException.class);
        first.fence(InProcessJob.deadline());
        assertThat(pattern.executedAcquire()).isEqualTo(2);
        assertThat(window.getLong(72)).isEqualTo(-1);
    }

    @Test
    void shouldStartARequestOfSeveralContextsInAllOfThemOrInNone() {
        final int[] received = {0, 0};
        first.handler(1, (origin, buffer, m, ml, p, pl) -> received[0]++);
        first.handler(2, (origin, buffer, m, ml, p, pl) -> received[1]++);
        read.expect(8);
        try (Requests requests = new Requests(first, second)) {
            final Request request = requests.init(() -> {
                first.send(new Message().to(0, 1).payload(window, 0, 8));
                second.send(new Message().to(0, 2).payload(window, 0, 8));
                second.waitUntil(read, 8);
            });
            for (int i = 0; i < FifoMetadata.MAX_HELD_RUNS; i++) {
                assertThat(second.replay(second.prepare(Rounds.ORDERED_BY_CALLER, () -> second.waitUntil(read, 0))))
                        .isPositive();
            }
            assertThat(request.start()).isEqualTo(Status.BACK_PRESSURED);
            InProcessJob.settle(() -> first.advance() + second.advance());
            assertThat(received).containsExactly(0, 0);
            read.reset();
            InProcessJob.settle(() -> first.advance() + second.advance());
            assertThat(requests.startAll()).isEqualTo(1);
            InProcessJob.settle(() -> first.advance() + second.advance());
            assertThat(received).containsExactly(1, 1);
        }
    }
}
