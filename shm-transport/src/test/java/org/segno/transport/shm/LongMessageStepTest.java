package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Context;
import org.segno.engine.fault.CrashPoint;
import org.segno.memory.Window;
import org.segno.message.MessageHandler;
import org.segno.message.Messenger;
import org.segno.message.ReceivedMessage;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * Receiver of a message by rendezvous that is stopped or killed while its engine fetches the message, and while it
 * replies.
 */
class LongMessageStepTest {
    private static final int DISPATCH = 4;
    private static final int BYTES = 50_000;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    /** Crash points of the receiver: the first place that it reaches is the fetch, the second the reply. */
    enum Step {
        FETCH_CHECKED(CrashPoint.LANDING_CHECKED, 1, "DeadlineException: .*", "PeerFailedException 1: .*"),
        REPLY_CHECKED(CrashPoint.LANDING_CHECKED, 2, "DeadlineException: .*", "PeerFailedException 1: .*"),
        /** The reply has landed: the end of the receiver no longer affects the message. */
        REPLY_COPIED(CrashPoint.LANDING_COPIED, 1, "nothing", "nothing");

        private final CrashPoint point;
        private final int time;
        private final String whileStopped;
        private final String whenKilled;

        Step(CrashPoint point, int time, String whileStopped, String whenKilled) {
            this.point = point;
            this.time = time;
            this.whileStopped = whileStopped;
            this.whenKilled = whenKilled;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldLandTheMessageWhenTheReceiverGoesOn(Step step) {
        final JobConfig job = pool.job("stopped", 2);
        final TestProcess sender = pool.start(Sender.class, job, Threading.INVOKER, 0);
        final TestProcess receiver = pool.start(Receiver.class, job, Threading.INVOKER, 1, step);
        receiver.expect("paused");
        receiver.stop();
        sender.signalScenario();
        assertThat(sender.expect("missed")).matches(step.whileStopped);

        receiver.resume();
        receiver.signalScenario();

        assertThat(sender.expect("ended")).isEqualTo("nothing");
        assertThat(receiver.expect("landed")).isEqualTo("well");
        assertThat(sender.expect("left")).isEqualTo("nothing");
        sender.awaitEnd();
        receiver.awaitEnd();
    }

    @ParameterizedTest
    @EnumSource
    void shouldReportTheReceiversDeathToTheSenderUnlessItHasTheReply(Step step) {
        final JobConfig job = pool.job("killed", 2);
        final TestProcess sender = pool.start(Sender.class, job, Threading.INVOKER, 0);
        final TestProcess receiver = pool.start(Receiver.class, job, Threading.INVOKER, 1, step);
        receiver.expect("paused");
        sender.signalScenario();
        assertThat(sender.expect("missed")).matches(step.whileStopped);

        receiver.kill();

        assertThat(sender.expect("ended")).matches(step.whenKilled);
        sender.awaitEnd();
    }

    private static NodeConfig config() {
        return ScenarioRun.smallNode()
                .withThreading(Threading.INVOKER)
                .withWindowBytes(2 * BYTES)
                .withFifos(4);
    }

    /** Sends one long message and prints its outcome. */
    static final class Sender implements Scenario {
        private boolean ended;
        private @Nullable SegnoException failure;

        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join(config())) {
                final Context context = node.client().context();
                final Messenger messenger = Messenger.open(node.client(), context);
                final Window source = node.client().window(BYTES);
                for (int i = 0; i < BYTES; i++) {
                    source.buffer().putByte(i, (byte) (i * 7));
                }
                context.barrier(ScenarioRun.deadline());
                messenger.send(new Message().to(1, DISPATCH).payload(source, 0, BYTES), null, reason -> {
                    failure = reason;
                    ended = true;
                });
                // The receiver pauses as soon as it has the announcement, which the next pass sends.
                while (!run.isSignalled()) {
                    context.advance();
                }
                run.print("missed " + outcome(context, Deadline.in(30, TimeUnit.MILLISECONDS)));
                run.print("ended " + outcome(context, ScenarioRun.deadline()));
                run.print("left " + outcome(() -> context.barrier(ScenarioRun.deadline())));
            }
        }

        private String outcome(Context context, long deadlineNs) {
            final String wait = outcome(() -> context.await(() -> ended, deadlineNs));
            final SegnoException reason = failure;
            return reason == null ? wait : Outcome.of(reason);
        }

        private static String outcome(Runnable wait) {
            try {
                wait.run();
                return "nothing";
            } catch (SegnoException e) {
                return Outcome.of(e);
            }
        }
    }

    /** Lets the message land at once, and pauses at its crash point. */
    static final class Receiver implements Scenario, MessageHandler {
        private @Nullable Window landing;
        private boolean armed;
        private boolean landed;
        private int times;

        @Override
        public void run(ScenarioRun run) {
            final Step step = Step.valueOf(run.argument(0));
            CrashPoint.install(point -> {
                if (armed && point == step.point && ++times == step.time) {
                    run.print("paused");
                    awaitKill(run);
                }
            });
            try (Node node = run.join(config())) {
                final Context context = node.client().context();
                final Window into = node.client().window(BYTES);
                landing = into;
                Messenger.open(node.client(), context).handler(DISPATCH, this);
                context.barrier(ScenarioRun.deadline());
                armed = true;
                context.await(() -> landed, ScenarioRun.deadline());
                for (int i = 0; i < BYTES; i++) {
                    assertThat(into.buffer().getByte(i)).isEqualTo((byte) (i * 7));
                }
                run.print("landed well");
                context.fence(ScenarioRun.deadline());
                armed = false;
                context.barrier(ScenarioRun.deadline());
            } finally {
                CrashPoint.install(point -> {});
            }
        }

        @Override
        public long onMessage(ReceivedMessage message) {
            assertThat(message.isLong()).isTrue();
            final Window into = landing;
            return into == null ? Status.AGAIN : message.into(into, 0, failure -> landed = failure == null);
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
