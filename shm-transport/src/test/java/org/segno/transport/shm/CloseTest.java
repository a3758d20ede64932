package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Context;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.transport.shm.EndlessWaits.Wait;

/** Close of a node: injected messages are carried out, and the waits of other threads end. */
class CloseTest {
    private static final int DISPATCH = 4;
    private static final int MESSAGES = 50;
    private static final int RANKS = 40;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @EnumSource
    void shouldCarryOutInjectedMessagesBeforeItCloses(Threading threading) {
        final JobConfig job = pool.job("drain", 2);
        final TestProcess receiver = pool.start(Receiver.class, job, threading, 0);
        final TestProcess sender = pool.start(Sender.class, job, threading, 1);

        sender.awaitEnd();
        receiver.awaitEnd();
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndTheWaitsOfAnotherThread(Threading threading) throws Exception {
        final JobConfig job = pool.job("close", 2);
        final List<Node> nodes = Node.joinAll(
                List.of(job, job.withRank(1)), ScenarioRun.smallNode().withThreading(threading));
        final EndlessWaits waits = new EndlessWaits(nodes.get(0), 1);
        final CountDownLatch waiting = new CountDownLatch(1);
        final CompletableFuture<String> outcome = CompletableFuture.supplyAsync(() -> {
            waiting.countDown();
            return waits.await(Wait.PATTERN, ScenarioRun.deadline());
        });
        waiting.await();

        nodes.get(0).close();

        assertThat(outcome.get(20, TimeUnit.SECONDS)).startsWith("ClosedException: rank 0 was closed");
        for (final Wait wait : Wait.values()) {
            assertThat(waits.await(wait, ScenarioRun.deadline()))
                    .as(wait.name() + " after the close")
                    .startsWith("ClosedException: rank 0 was closed");
        }
        nodes.get(0).close();
        nodes.get(1).close();
    }

    /** A pass polls only a few of many silent lanes. */
    @Test
    void shouldReadTheLanesOfAllRanksBeforeItReportsThatTheyLeft() {
        final JobConfig job = pool.job("many", RANKS);
        final List<JobConfig> jobs =
                IntStream.range(0, RANKS).mapToObj(job::withRank).toList();
        final List<Node> nodes = Node.joinAll(
                jobs, ScenarioRun.smallNode().withThreading(Threading.INVOKER).withLaneBudgetBytes(RANKS * 4096));
        final AtomicBoolean received = new AtomicBoolean();
        final Context context = nodes.get(0).client().context();
        context.handler(DISPATCH, (source, buffer, metadata, metadataLength, payload, payloadLength) -> {
            assertThat(source).isEqualTo(RANKS - 1);
            received.set(true);
        });
        final Context last = nodes.get(RANKS - 1).client().context();
        assertThat(last.sendImmediate(0, DISPATCH, new UnsafeBuffer(new byte[8]), 0, 8))
                .isNotNegative();

        nodes.subList(1, RANKS).forEach(Node::close);
        final long deadlineNs = ScenarioRun.deadline();
        for (int rank = 1; rank < RANKS; rank++) {
            while (nodes.get(0).peerState(rank) != Node.PeerState.LEFT && !Deadline.reached(deadlineNs)) {
                Thread.onSpinWait();
            }
        }

        context.await(received::get, deadlineNs);
        assertThat(new EndlessWaits(nodes.get(0), 1).await(Wait.CONDITION, deadlineNs))
                .startsWith("ClosedException: every possible sender has left");
        nodes.get(0).close();
    }

    /** Closes without having advanced once. */
    static final class Sender implements Scenario {
        @Override
        public void run(ScenarioRun run) throws Exception {
            run.onEachNode(node -> {
                final UnsafeBuffer message = new UnsafeBuffer(new byte[8]);
                for (int i = 0; i < MESSAGES; i++) {
                    message.putLong(0, i);
                    assertThat(node.client().context().sendImmediate(0, DISPATCH, message, 0, 8))
                            .isNotNegative();
                }
            });
        }
    }

    static final class Receiver implements Scenario {
        private long received;

        @Override
        public void run(ScenarioRun run) throws Exception {
            run.onEachNode(node -> {
                final Context context = node.client().context();
                context.handler(DISPATCH, (source, buffer, metadata, metadataLength, payload, payloadLength) -> {
                    assertThat(buffer.getLong(payload)).isEqualTo(received);
                    received++;
                });
                context.await(() -> received == MESSAGES, ScenarioRun.deadline());
            });
        }
    }
}
