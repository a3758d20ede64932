package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.fault.CrashPoint;
import org.segno.memory.Closing;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.RefusedException;

/**
 * Peer that is stopped between its check of a counter and its copy into the counter's memory, while the owner closes
 * both. Whether the peer resumes or is killed, it writes no byte into a window that is opened meanwhile or later.
 */
@Tag("long")
class StoppedWriterTest {
    private static final int ARENA = 1 << 18;
    private static final int SIZE = 1 << 13;
    private static final byte WRITTEN = 0x77;
    private static final byte CANARY = 0x2E;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @EnumSource(names = {"INVOKER", "DEDICATED"})
    void shouldKeepTheMemoryUntilTheWriterHasResumed(Threading threading) {
        final JobConfig job = pool.job("stopped-writer", 2);
        final TestProcess owner = pool.start(Owner.class, job, threading, 0);
        final TestProcess writer = pool.start(Writer.class, job, threading, 1);
        writer.expect("checked");
        writer.stop();
        owner.signalScenario();
        owner.expect("pending");

        writer.resume();
        writer.signalScenario();
        writer.expect("landed");
        owner.expect("closed");
        writer.expect("refused");
        owner.signalScenario();

        owner.awaitEnd();
        writer.awaitEnd();
    }

    @ParameterizedTest
    @EnumSource(names = {"INVOKER", "DEDICATED"})
    void shouldReuseTheMemoryWhenTheWriterIsKilled(Threading threading) {
        final JobConfig job = pool.job("killed-writer", 2);
        final TestProcess owner = pool.start(Owner.class, job, threading, 0);
        final TestProcess writer = pool.start(Writer.class, job, threading, 1);
        writer.expect("checked");
        owner.signalScenario();
        owner.expect("pending");

        writer.kill();
        owner.expect("closed");
        owner.signalScenario();

        owner.awaitEnd();
    }

    /** Closes the counter and the window of the writer's PUT, and allocates all other memory. */
    static final class Owner implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                final Client client = node.client();
                final Context context = client.context();
                final Window window = client.window(SIZE);
                final ReceptionCounter counter = client.receptionCounter(window, 0, SIZE);
                client.publish("inbox", counter);
                context.barrier(ScenarioRun.deadline());
                run.awaitSignal();

                final Closing counters = client.close(counter);
                final Closing memory = client.close(window);
                final Window others = client.window(ARENA - SIZE);
                others.buffer().setMemory(0, ARENA - SIZE, CANARY);
                final String writer =
                        "the engine of context 0 of rank 1 to be quiet (under INVOKER, advance that context)";
                context.await(() -> writer.equals(counters.awaited()), ScenarioRun.deadline());
                for (int pass = 0; pass < 10_000; pass++) {
                    context.advance();
                }
                assertThat(counters.awaited()).isEqualTo(writer);
                assertThat(memory.awaited()).contains(counter.toString(), writer, "covers it");
                assertThatThrownBy(() -> client.window(SIZE))
                        .hasMessageContaining("left=0 of " + ARENA + ", " + SIZE + " bytes being closed: await that");
                run.print("pending");

                client.await(memory, context, ScenarioRun.deadline());
                assertThat(counters.isDone()).isTrue();
                assertOnly(others, CANARY);
                final Window next = client.window(SIZE);
                assertThat(next.base()).isEqualTo(window.base());
                assertOnly(next, (byte) 0);
                next.buffer().setMemory(0, SIZE, CANARY);
                final ReceptionCounter nextCounter = client.receptionCounter(next, 0, SIZE);
                assertThat(nextCounter.id()).isEqualTo(counter.id());
                client.publish("closed", nextCounter);
                run.print("closed");
                run.awaitSignal();

                assertOnly(next, CANARY);
                assertOnly(others, CANARY);
                assertThat(nextCounter.valueAcquire()).isZero();
            }
        }
    }

    private static void assertOnly(Window window, byte expected) {
        for (int i = 0; i < window.length(); i++) {
            if (window.buffer().getByte(i) != expected) {
                throw new AssertionError(
                        window + " holds " + window.buffer().getByte(i) + " at " + i + ", not " + expected);
            }
        }
    }

    /** Pauses between check and copy of its first PUT until the signal; then puts again. */
    static final class Writer implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            final AtomicBoolean armed = new AtomicBoolean();
            CrashPoint.install(point -> {
                if (point == CrashPoint.LANDING_CHECKED && armed.getAndSet(false)) {
                    run.print("checked");
                    awaitKill(run);
                }
            });
            try (Node node = run.join()) {
                final Client client = node.client();
                final Context context = client.context();
                final Window source = client.window(SIZE);
                source.buffer().setMemory(0, SIZE, WRITTEN);
                final InjectionCounter injected = client.injectionCounter();
                context.barrier(ScenarioRun.deadline());
                final Target inbox = context.attach(0, "inbox", ScenarioRun.deadline());

                armed.set(true);
                injected.expect(SIZE);
                assertThat(context.put(inbox, 0, source, 0, SIZE, injected)).isNotNegative();
                context.await(injected, ScenarioRun.deadline());
                run.print("landed");
                // Advances meanwhile, so that its engine becomes quiet.
                context.attach(0, "closed", ScenarioRun.deadline());

                injected.expect(SIZE);
                assertThat(context.put(inbox, 0, source, 0, SIZE, injected)).isNotNegative();
                assertThatThrownBy(() -> context.await(injected, ScenarioRun.deadline()))
                        .isInstanceOf(RefusedException.class)
                        .hasMessageContaining("the counter was closed and its id given to another use");
                run.print("refused");
            } finally {
                CrashPoint.install(point -> {});
            }
        }

        private static void awaitKill(ScenarioRun run) {
            try {
                run.awaitSignal();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
