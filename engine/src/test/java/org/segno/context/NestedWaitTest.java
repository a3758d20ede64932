package org.segno.context;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/** Calls of handlers, and of conditions of the application, while their context waits or records. */
class NestedWaitTest {
    private static final int ID = 5;

    @TempDir
    Path directory;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
    private EngineFixture engines;
    private Context context;
    private Window window;
    private ReceptionCounter arrivals;
    private InjectionCounter never;
    private InjectionCounter done;
    private int calls;

    @BeforeEach
    void make() {
        engines =
                EngineFixture.open(directory, NodeSize.small().ranks(1).fifos(5).dimensions());
        context = engines.context(0);
        window = engines.client(0).window(64);
        arrivals = engines.client(0).receptionCounter(window, 0, 64);
        never = engines.client(0).injectionCounter();
        done = engines.client(0).injectionCounter();
        never.expect(8);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private static long deadline() {
        return Deadline.in(20, SECONDS);
    }

    private void assertNotMet(Runnable wait) {
        calls = 0;
        assertThatThrownBy(wait::run).isInstanceOf(DeadlineException.class);
        assertThat(calls).isPositive();
    }

    @Test
    void shouldWaitForTheSameAfterAHandlerWasRefusedAWait() {
        final List<Consumer<Context>> waits = List.of(
                it -> it.await(done, deadline()),
                it -> it.await(arrivals, deadline()),
                it -> it.await(() -> true, deadline()),
                it -> it.fence(deadline()));
        context.handler(ID, (source, buffer, m, ml, p, pl) -> {
            calls++;
            for (final Consumer<Context> wait : waits) {
                assertThatThrownBy(() -> wait.accept(context))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("handler");
            }
        });
        context.sendImmediate(0, ID, bytes, 0, 8);
        assertNotMet(() -> context.await(never, Deadline.in(20, MILLISECONDS)));
        context.sendImmediate(0, ID, bytes, 0, 8);
        assertNotMet(() -> context.await(() -> false, Deadline.in(20, MILLISECONDS)));
    }

    @Test
    void shouldWaitForTheSameAfterItsConditionHasWaited() {
        assertNotMet(() -> context.await(
                () -> {
                    calls++;
                    context.await(() -> true, deadline());
                    return false;
                },
                Deadline.in(20, MILLISECONDS)));
    }

    @Test
    void shouldRecordNothingThatAHandlerExpectsOrCompletes() {
        context.handler(6, (source, buffer, m, ml, p, pl) -> {});
        context.handler(ID, (source, buffer, m, ml, p, pl) -> {
            calls++;
            context.expect(arrivals, 8);
            context.expect(done, 16);
        });
        context.replyingHandler(ID + 2, (source, buffer, m, ml, p, pl) -> {
            calls++;
            return context.put(Target.nowhere(), 0, window, 0, 8, done);
        });
        context.recordBegin(1, Rounds.ORDERED_BY_CALLER);
        context.sendImmediate(0, 6, bytes, 0, 8);
        context.recordEnd();
        engines.settle();
        context.sendImmediate(0, ID, bytes, 0, 8);
        context.sendImmediate(0, ID + 2, bytes, 0, 8);
        context.recordBegin(2, Rounds.ORDERED_BY_CALLER);
        context.sendImmediate(0, 6, bytes, 0, 8);
        engines.settle();
        final Pattern pattern = context.recordEnd();
        assertThat(calls).isEqualTo(2);
        for (int round = 1; round <= 4; round++) {
            context.await(pattern, round, deadline());
            assertThat(arrivals.valueAcquire()).isEqualTo(8);
            assertThat(done.valueAcquire()).isEqualTo(8);
            assertThat(context.replay(pattern)).isEqualTo(round + 1);
        }
    }

    @Test
    void shouldRefuseARecordingWithinABatchThatItWouldMiss() {
        context.handler(ID, (source, buffer, m, ml, p, pl) -> calls++);
        final InjectionFifo further = context.injectionFifo();
        further.batch(
                4,
                () -> assertThatThrownBy(() -> context.record(
                                1, Rounds.ORDERED_BY_CALLER, () -> further.sendImmediate(0, ID, bytes, 0, 8)))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("record outside batch"));
        engines.settle();
        assertThat(calls).isZero();
        // A batch of the FIFO that the recording replaces pauses.
        context.batch(
                4,
                () -> assertThat(context.record(
                                        1, Rounds.ORDERED_BY_CALLER, () -> context.sendImmediate(0, ID, bytes, 0, 8))
                                .descriptors())
                        .isEqualTo(1));
        engines.settle();
        assertThat(calls).isEqualTo(1);
    }
}
