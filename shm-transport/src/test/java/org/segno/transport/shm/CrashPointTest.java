package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.segno.engine.fault.CrashPoint.LANDING_CHECKED;
import static org.segno.engine.fault.CrashPoint.LANDING_COPIED;
import static org.segno.engine.fault.CrashPoint.RECORDS_WRITTEN;
import static org.segno.engine.fault.CrashPoint.WORD_CHANGED;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.fault.CrashPoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.operation.Rmw;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;

/**
 * An engine that is stopped, or whose process is killed, between two instructions of an operation on another rank's
 * memory.
 */
class CrashPointTest {
    private static final int WORD = Long.BYTES;
    private static final int WORDS = 8;
    private static final long VALUE = 0x5EB0_1234_5678_9ABCL;
    private static final int SENT = 1;
    private static final int NOTICE = 2;
    private static final int DONE = 3;
    private static final long SHORT_MS = 30;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    private enum Operation {
        PUT,
        PUT_WITH_NOTICE,
        PUT_WITH_EVENT,
        COUNT,
        SEND,
        RMW,
        GET
    }

    /** Crash points, each with its operation and the value of the owner's word if the engine stops there. */
    enum Step {
        PUT_CHECKED(Operation.PUT, LANDING_CHECKED, 0),
        PUT_COPIED(Operation.PUT, LANDING_COPIED, VALUE),
        NOTIFYING_PUT_CHECKED(Operation.PUT_WITH_NOTICE, LANDING_CHECKED, 0),
        NOTIFYING_PUT_COPIED(Operation.PUT_WITH_NOTICE, LANDING_COPIED, VALUE),
        NOTICE_WRITTEN(Operation.PUT_WITH_NOTICE, RECORDS_WRITTEN, VALUE),
        EVENT_WRITTEN(Operation.PUT_WITH_EVENT, RECORDS_WRITTEN, VALUE),
        COUNT_CHECKED(Operation.COUNT, LANDING_CHECKED, 0),
        MESSAGE_WRITTEN(Operation.SEND, RECORDS_WRITTEN, 0),
        WORD_CHECKED(Operation.RMW, LANDING_CHECKED, 0),
        WORD_SWAPPED(Operation.RMW, WORD_CHANGED, VALUE),
        SOURCE_CHECKED(Operation.GET, LANDING_CHECKED, 0);

        private final Operation operation;
        private final CrashPoint point;
        private final long found;

        Step(Operation operation, CrashPoint point, long found) {
            this.operation = operation;
            this.point = point;
            this.found = found;
        }
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource
    void shouldGoOnWhereTheEngineWasStopped(Step step) {
        final JobConfig job = pool.job("stopped", 2);
        final TestProcess owner = pool.start(Owner.class, job, Threading.INVOKER, 0, step);
        final TestProcess writer = pool.start(Writer.class, job, Threading.INVOKER, 1, step);
        writer.expect("paused");
        writer.stop();
        owner.signalScenario();
        assertThat(owner.expect("missed")).startsWith("DeadlineException: ");

        writer.resume();
        writer.signalScenario();

        assertThat(owner.expect("ended")).isEqualTo("nothing");
        owner.awaitEnd();
        writer.awaitEnd();
    }

    @ParameterizedTest
    @EnumSource
    void shouldNameTheRankAndHarmNothingWhenTheEngineIsKilled(Step step) {
        final JobConfig job = pool.job("killed", 2);
        final TestProcess owner = pool.start(Owner.class, job, Threading.INVOKER, 0, step);
        final TestProcess writer = pool.start(Writer.class, job, Threading.INVOKER, 1, step);
        writer.expect("paused");
        owner.signalScenario();
        assertThat(owner.expect("missed")).startsWith("DeadlineException: ");

        writer.kill();

        assertThat(owner.expect("ended")).startsWith("PeerFailedException 1: ").contains("rank 1 has died");
        owner.awaitEnd();
    }

    /** Waits for the writer's operation on its memory, and checks that memory. */
    static final class Owner implements Scenario {
        private final int[] received = new int[4];
        private int hits;

        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            final Step step = Step.valueOf(run.argument(0));
            try (Node node = run.join()) {
                final Client client = node.client();
                final Context context = client.context();
                final Window window = client.window((long) WORDS * WORD);
                final ReceptionCounter counter = client.receptionCounter(
                        window, 0, WORD, ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
                if (step.operation == Operation.PUT_WITH_EVENT) {
                    context.onHit(counter, id -> hits++);
                }
                client.publish("word", counter);
                context.handler(SENT, (source, buffer, m, ml, p, pl) -> receive(SENT, buffer.getLong(p)));
                context.handler(DONE, (source, buffer, m, ml, p, pl) -> receive(DONE, buffer.getLong(p)));
                context.notified(
                        NOTICE,
                        (source, id, offset, length) ->
                                receive(NOTICE, window.buffer().getLong((int) offset)));
                // Before the operation, so that the writer hits the counter.
                counter.expect(WORD);
                context.barrier(ScenarioRun.deadline());
                run.awaitSignal();

                run.print("missed " + outcome(step, context, counter, Deadline.in(SHORT_MS, TimeUnit.MILLISECONDS)));
                run.print("ended " + outcome(step, context, counter, ScenarioRun.deadline()));
                final boolean isDead = node.peerState(1) == Node.PeerState.DEAD;
                assertThat(window.buffer().getLongVolatile(0)).isEqualTo(isDead ? step.found : whole(step));
                useIt(client, context, window);
                if (!isDead) {
                    context.barrier(ScenarioRun.deadline());
                }
            }
        }

        private void receive(int id, long value) {
            assertThat(value).isEqualTo(VALUE);
            received[id]++;
        }

        private String outcome(Step step, Context context, ReceptionCounter counter, long deadlineNs) {
            try {
                switch (step.operation) {
                    case PUT, COUNT -> context.await(counter, deadlineNs);
                    case PUT_WITH_NOTICE -> context.await(() -> received[NOTICE] == 1, deadlineNs);
                    case PUT_WITH_EVENT -> context.await(() -> hits > 0, deadlineNs);
                    case SEND -> context.await(() -> received[SENT] == 1, deadlineNs);
                    case RMW, GET -> context.await(() -> received[DONE] == 1, deadlineNs);
                }
                return "nothing";
            } catch (SegnoException e) {
                return Outcome.of(e);
            }
        }

        private static long whole(Step step) {
            return switch (step.operation) {
                case PUT, PUT_WITH_NOTICE, PUT_WITH_EVENT, RMW -> VALUE;
                case COUNT, SEND, GET -> 0;
            };
        }

        /** Checks that every operation of the writer still works on this node. */
        private void useIt(Client client, Context context, Window window) {
            final InjectionCounter done = client.injectionCounter();
            final ReceptionCounter own =
                    client.receptionCounter(window, 0, (long) WORDS * WORD, 0, Right.PUT, Right.GET, Right.ATOMIC);
            client.publish("own", own);
            final Target self = context.attach(0, "own", ScenarioRun.deadline());
            window.buffer().putLong(WORD, VALUE);
            final int sent = received[SENT];
            own.expect(WORD);
            done.expect(4L * WORD);
            context.putNotifying(
                    self,
                    2 * WORD,
                    window,
                    WORD,
                    WORD,
                    new Notification().at(NOTICE).completes(done));
            context.rmw(
                    self,
                    3 * WORD,
                    new Rmw().fetchAdd(3).result(window, 4 * WORD).completes(done));
            context.get(self, WORD, window, 5 * WORD, WORD, done);
            context.send(new Message().to(0, SENT).payload(window, WORD, WORD).completes(done));
            context.await(done, ScenarioRun.deadline());
            context.await(own, ScenarioRun.deadline());
            for (int pass = 0; pass < 100; pass++) {
                context.advance();
            }
            assertThat(received[SENT]).isEqualTo(sent + 1);
            assertThat(window.buffer().getLong(2 * WORD)).isEqualTo(VALUE);
            assertThat(window.buffer().getLong(3 * WORD)).isEqualTo(3);
            assertThat(window.buffer().getLong(4 * WORD)).isZero();
            assertThat(window.buffer().getLong(5 * WORD)).isEqualTo(VALUE);
        }
    }

    /** Carries out one operation on the owner's memory, and pauses at its crash point until the signal. */
    static final class Writer implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            final Step step = Step.valueOf(run.argument(0));
            final AtomicBoolean armed = new AtomicBoolean();
            CrashPoint.install(point -> {
                if (point == step.point && armed.getAndSet(false)) {
                    run.print("paused");
                    awaitKill(run);
                }
            });
            try (Node node = run.join()) {
                final Client client = node.client();
                final Context context = client.context();
                final Window window = client.window(2 * WORD);
                window.buffer().putLong(0, VALUE);
                final InjectionCounter done = client.injectionCounter();
                final Target word = context.attach(0, "word", ScenarioRun.deadline());
                context.barrier(ScenarioRun.deadline());

                armed.set(true);
                begin(step.operation, context, word, window, done);
                context.await(done, ScenarioRun.deadline());
                context.fence(ScenarioRun.deadline());
                assertThat(armed.get()).as("did not reach " + step).isFalse();
                final UnsafeBuffer end = new UnsafeBuffer(new byte[WORD]);
                end.putLong(0, VALUE);
                context.sendImmediate(0, DONE, end, 0, WORD);
                context.barrier(ScenarioRun.deadline());
            } finally {
                CrashPoint.install(point -> {});
            }
        }

        private static void begin(
                Operation operation, Context context, Target word, Window window, InjectionCounter done) {
            done.expect(operation == Operation.COUNT ? 0 : WORD);
            switch (operation) {
                case PUT, PUT_WITH_EVENT -> context.put(word, 0, window, 0, WORD, done);
                case PUT_WITH_NOTICE ->
                    context.putNotifying(
                            word,
                            0,
                            window,
                            0,
                            WORD,
                            new Notification().at(NOTICE).completes(done));
                case COUNT -> context.count(word, -WORD);
                case SEND ->
                    context.send(
                            new Message().to(0, SENT).payload(window, 0, WORD).completes(done));
                case RMW ->
                    context.rmw(
                            word, 0, new Rmw().swap(VALUE).result(window, WORD).completes(done));
                case GET -> context.get(word, 0, window, WORD, WORD, done);
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
