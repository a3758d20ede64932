package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Context;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Status;

/** Last messages of a sender: they are received even if the sender ends immediately after it. */
class LastMessageTest {
    private static final int JOBS = 400;
    private static final int MORE_JOBS = 4000;
    private static final int DISPATCH = 3;
    private static final int MESSAGES = 5;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @Tag("long")
    @EnumSource
    void shouldReceiveTheLastMessageOfASenderThatClosesAtOnce(Threading threading) {
        joinSendAndLeave(threading, JOBS);
    }

    @Tag("stress")
    @ParameterizedTest
    @EnumSource
    void shouldReceiveTheLastMessageOfManySendersThatCloseAtOnce(Threading threading) {
        joinSendAndLeave(threading, MORE_JOBS);
    }

    private void joinSendAndLeave(Threading threading, int jobs) {
        final JobConfig job = pool.job("last", 2);
        final TestProcess receiver = pool.start(Rounds.class, job, threading, 1, jobs / 2);
        final TestProcess sender = pool.start(Rounds.class, job, threading, 0, jobs / 2);

        // The ranks alternate as sender.
        assertThat(sender.expect("received")).isEqualTo(Integer.toString(jobs / 4 * MESSAGES));
        assertThat(receiver.expect("received")).isEqualTo(Integer.toString(jobs / 4 * MESSAGES));
        sender.awaitEnd();
        receiver.awaitEnd();
    }

    private static void assertReceivedAll(TestProcess process) {
        assertThat(process.expect("received")).isEqualTo(Integer.toString(MESSAGES));
        process.awaitEnd();
    }

    /** Rank 0 is the hub: its end must not be taken for the end of the job. */
    @RepeatedTest(4)
    @Tag("long")
    void shouldReceiveTheLastMessageOfAProcessThatEndsAtOnceAndSeeThatItLeft() {
        final JobConfig job = pool.job("exit", 3);
        final TestProcess receiver = pool.start(ReceiverThatStays.class, job, Threading.INVOKER, 1);
        final TestProcess bystander = pool.start(ReceiverThatStays.class, job, Threading.DEDICATED, 2);
        final TestProcess sender = pool.start(SenderThatExits.class, job, Threading.INVOKER, 0);

        assertThat(sender.exitCode()).isZero();
        assertReceivedAll(receiver);
        assertReceivedAll(bystander);
    }

    @ParameterizedTest
    @EnumSource
    void shouldReceiveTheLastMessageOfAProcessThatIsKilled(Threading threading) {
        final JobConfig job = pool.job("killed", 3);
        final TestProcess receiver = pool.start(ReceiverThatIsLate.class, job, threading, 0);
        final TestProcess bystander = pool.start(ReceiverThatIsLate.class, job, threading, 1);
        final TestProcess sender = pool.start(SenderThatWaits.class, job, threading, 2);

        sender.expect("carried out");
        sender.kill();
        receiver.signalScenario();
        bystander.signalScenario();
        assertReceivedAll(receiver);
        assertReceivedAll(bystander);
    }

    private static void send(Context context, int rank, long first) {
        final UnsafeBuffer message = new UnsafeBuffer(new byte[8]);
        for (int i = 0; i < MESSAGES; i++) {
            message.putLong(0, first + i);
            while (context.sendImmediate(rank, DISPATCH, message, 0, 8) == Status.BACK_PRESSURED) {
                context.advance();
            }
        }
    }

    private static long receive(Context context, long first) {
        final long[] next = {first};
        context.handler(DISPATCH, (source, buffer, metadata, metadataLength, payload, payloadLength) -> {
            if (buffer.getLong(payload) != next[0]++) {
                throw new IllegalStateException("not the message " + (next[0] - 1));
            }
        });
        context.await(() -> next[0] == first + MESSAGES, ScenarioRun.deadline());
        return next[0] - first;
    }

    /**
     * Joins, sends or receives, and leaves, repeatedly; the sender and the rank that makes the directory alternate.
     */
    static final class Rounds implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            long received = 0;
            for (int round = 0; round < run.number(0); round++) {
                final int self = (run.job().rank() + round / 2) % 2;
                final boolean sends = (run.job().rank() + round) % 2 == 0;
                final JobConfig job = run.job().withRank(self);
                try (Node node = Node.join(job, run.config().withWindowBytes(0))) {
                    final Context context = node.client().context();
                    if (sends) {
                        send(context, 1 - self, round);
                    } else {
                        received += receive(context, round);
                    }
                }
            }
            run.print("received " + received);
        }
    }

    /** Receives after the sender has been killed. */
    static final class ReceiverThatIsLate implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                run.awaitSignal();
                run.print("received " + receive(node.client().context(), 0));
            }
        }
    }

    /** Receives, and waits until the sender is reported as left. */
    static final class ReceiverThatStays implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join()) {
                final Context context = node.client().context();
                final long received = receive(context, 0);
                run.print("received " + received);
                context.await(() -> node.peerState(0) == Node.PeerState.LEFT, ScenarioRun.deadline());
            }
        }
    }

    static final class SenderThatExits implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join()) {
                send(node.client().context(), 1, 0);
                send(node.client().context(), 2, 0);
            }
            Runtime.getRuntime().halt(0);
        }
    }

    static final class SenderThatWaits implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            final Node node = run.join();
            final Context context = node.client().context();
            for (int rank = 0; rank < 2; rank++) {
                send(context, rank, 0);
            }
            context.await(context::isDrained, ScenarioRun.deadline());
            run.print("carried out");
            run.awaitSignal();
        }
    }
}
