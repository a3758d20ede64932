package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import org.agrona.concurrent.YieldingIdleStrategy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.segno.context.Context;
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
 * Message by rendezvous between two processes of which one is killed or stopped after the announcement and before the
 * landing.
 */
class LongMessageTest {
    private static final int DISPATCH = 4;
    private static final int BYTES = 300_000;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @Test
    void shouldFailTheSendersCompletionWhenTheReceiverIsKilledAndThatOfAFurtherMessage() {
        final JobConfig job = pool.job("rendezvous", 2);
        final TestProcess sender = pool.start(Sender.class, job, Threading.INVOKER, 0, 2);
        final TestProcess receiver = pool.start(Receiver.class, job, Threading.INVOKER, 1, false);
        receiver.expect("announced");

        receiver.kill();

        assertThat(sender.expect("sent")).isEqualTo("PeerFailedException: rank 1 has died");
        // The second message was announced after the death had been reported.
        assertThat(sender.expect("sent")).isEqualTo("PeerFailedException: rank 1 has died");
        sender.awaitEnd();
    }

    @Test
    void shouldFailTheReceiversCompletionWhenTheSenderIsKilled() {
        final JobConfig job = pool.job("rendezvous", 2);
        final TestProcess sender = pool.start(Sender.class, job, Threading.INVOKER, 0, 1);
        final TestProcess receiver = pool.start(Receiver.class, job, Threading.INVOKER, 1, true);
        receiver.expect("announced");

        sender.kill();

        assertThat(receiver.expect("landed"))
                .startsWith("PeerFailedException: the message that rank 0 announced cannot be fetched");
        receiver.awaitEnd();
    }

    @Test
    void shouldFailTheAcceptanceOfADeferredMessageWhenTheSenderIsKilled() {
        final JobConfig job = pool.job("rendezvous", 2);
        final TestProcess sender = pool.start(Sender.class, job, Threading.INVOKER, 0, 1);
        final TestProcess receiver = pool.start(DeferringReceiver.class, job, Threading.INVOKER, 1);
        receiver.expect("announced");

        sender.kill();

        assertThat(receiver.expect("landed")).isEqualTo("PeerFailedException: rank 0 has died");
        receiver.awaitEnd();
    }

    @Test
    void shouldLandAMessageOfAStoppedSender() throws Exception {
        final JobConfig job = pool.job("rendezvous", 2);
        final TestProcess sender = pool.start(Sender.class, job, Threading.INVOKER, 0, 1);
        final TestProcess receiver = pool.start(Receiver.class, job, Threading.INVOKER, 1, false);
        receiver.expect("announced");
        sender.stop();

        receiver.signalScenario();

        assertThat(receiver.expect("landed")).isEqualTo("well");
        sender.resume();
        assertThat(sender.expect("sent")).isEqualTo("well");
        sender.awaitEnd();
        receiver.awaitEnd();
    }

    private static NodeConfig config() {
        return ScenarioRun.smallNode()
                .withThreading(Threading.INVOKER)
                .withWindowBytes(2 * BYTES)
                .withFifos(4);
    }

    private static String outcome(@Nullable SegnoException failure) {
        return failure == null ? "well" : failure.getClass().getSimpleName() + ": " + failure.getMessage();
    }

    /** Sends long messages one after the other, and prints the outcome of each. */
    static final class Sender implements Scenario {
        private boolean ended;

        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join(config())) {
                final Context context = node.client().context();
                final Messenger messenger = Messenger.open(node.client(), context);
                final Window source = node.client().window(BYTES);
                for (int i = 0; i < BYTES; i++) {
                    source.buffer().putByte(i, (byte) (i * 7));
                }
                context.barrier(ScenarioRun.deadline());
                final int count = Integer.parseInt(run.argument(0));
                final Message message = new Message().to(1, DISPATCH).payload(source, 0, BYTES);
                final long deadlineNs = ScenarioRun.deadline();
                for (int sent = 0; sent < count; sent++) {
                    ended = false;
                    messenger.send(message, null, failure -> {
                        run.print("sent " + outcome(failure));
                        ended = true;
                    });
                    while (!ended && !Deadline.reached(deadlineNs)) {
                        YieldingIdleStrategy.INSTANCE.idle(context.advance());
                    }
                }
            }
        }
    }

    /** Defers the message, and accepts it once its sender has died. */
    static final class DeferringReceiver implements Scenario {
        private long token;
        private boolean ended;

        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join(config())) {
                final Context context = node.client().context();
                final Window landing = node.client().window(BYTES);
                final Messenger messenger = Messenger.open(node.client(), context);
                messenger.handler(DISPATCH, message -> token = message.defer());
                context.barrier(ScenarioRun.deadline());
                final long deadlineNs = ScenarioRun.deadline();
                while (token <= 0 && !Deadline.reached(deadlineNs)) {
                    YieldingIdleStrategy.INSTANCE.idle(context.advance());
                }
                run.print("announced");
                while (context.failure(0) == null && !Deadline.reached(deadlineNs)) {
                    YieldingIdleStrategy.INSTANCE.idle(context.advance());
                }
                messenger.accept(token, landing, 0, failure -> {
                    run.print("landed " + outcome(failure));
                    ended = true;
                });
                while (!ended && !Deadline.reached(deadlineNs)) {
                    YieldingIdleStrategy.INSTANCE.idle(context.advance());
                }
            }
        }
    }

    /** Provides no place for the message until the signal, or until its sender has died. */
    static final class Receiver implements Scenario, MessageHandler {
        private @Nullable Context context;
        private @Nullable Window landing;
        private @Nullable ScenarioRun run;
        private boolean untilDeath;
        private boolean requested;
        private boolean ended;

        @Override
        public void run(ScenarioRun on) {
            run = on;
            untilDeath = Boolean.parseBoolean(on.argument(0));
            try (Node node = on.join(config())) {
                context = node.client().context();
                landing = node.client().window(BYTES);
                Messenger.open(node.client(), node.client().context()).handler(DISPATCH, this);
                node.client().context().barrier(ScenarioRun.deadline());
                final long deadlineNs = ScenarioRun.deadline();
                while (!ended && !Deadline.reached(deadlineNs)) {
                    YieldingIdleStrategy.INSTANCE.idle(node.client().context().advance());
                }
            }
        }

        @Override
        public long onMessage(ReceivedMessage message) {
            assertThat(message.isLong()).isTrue();
            final Context mine = context;
            final Window into = landing;
            final ScenarioRun on = run;
            if (mine == null || into == null || on == null) {
                return Status.AGAIN;
            }
            if (!requested) {
                requested = true;
                on.print("announced");
            }
            if (untilDeath ? mine.failure(0) == null : !on.isSignalled()) {
                return Status.AGAIN;
            }
            return message.into(into, 0, failure -> {
                on.print("landed " + (failure == null ? checked(into) : outcome(failure)));
                ended = true;
            });
        }

        private static String checked(Window into) {
            for (int i = 0; i < BYTES; i++) {
                if (into.buffer().getByte(i) != (byte) (i * 7)) {
                    return "wrong at " + i;
                }
            }
            return "well";
        }
    }
}
