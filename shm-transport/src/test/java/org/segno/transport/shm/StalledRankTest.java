package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.Node.PeerState;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.transport.shm.EndlessWaits.Wait;

/** Stopped process: it is stalled and not dead. */
@Tag("long")
class StalledRankTest {
    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @EnumSource
    void shouldReportAStoppedRankAsStalledAndContinueAfterItResumes(Threading threading) {
        final JobConfig job = pool.job("stalled", 3);
        final TestProcess hub = pool.start(Waiter.class, job, threading, 0);
        final TestProcess watcher = pool.start(Waiter.class, job, threading, 1);
        final TestProcess sleeper = pool.start(StalledRank.class, job, threading, 2);
        sleeper.expect("joined");
        sleeper.stop();
        hub.signalScenario();
        watcher.signalScenario();
        hub.expect("seen");
        watcher.expect("seen");

        sleeper.resume();
        sleeper.signalScenario();

        hub.awaitEnd();
        watcher.awaitEnd();
        sleeper.awaitEnd();
    }

    /** Checks that rank 2 is stalled, that waits for it end only at their deadlines, and that they can be repeated. */
    static final class Waiter implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                final Client client = node.client();
                final Context context = client.context();
                final Window window = client.window(8);
                final ReceptionCounter counter = client.receptionCounter(window, 0, 8, 2);
                counter.expect(8);
                client.publish("watcher", counter);
                context.await(() -> node.peerState(2) == PeerState.RUNNING, ScenarioRun.deadline());
                context.barrier(ScenarioRun.deadline());
                run.awaitSignal();

                context.await(() -> node.peerState(2) == PeerState.STALLED, ScenarioRun.deadline());
                context.await(() -> node.peerState(1 - node.rank()) == PeerState.RUNNING, ScenarioRun.deadline());
                final EndlessWaits waits = new EndlessWaits(node, 2);
                for (final Wait wait : Wait.values()) {
                    assertThat(waits.await(wait, Deadline.in(20, TimeUnit.MILLISECONDS)))
                            .as(wait.name())
                            .startsWith("DeadlineException: ");
                }
                assertThat(node.peerState(2)).isEqualTo(PeerState.STALLED);
                run.print("seen");

                // This continues the barrier that the deadline has ended.
                context.barrier(ScenarioRun.deadline());
                context.await(counter, ScenarioRun.deadline());
                assertThat(window.buffer().getLong(0)).isEqualTo(42);
                context.attach(2, "late", ScenarioRun.deadline());
                context.await(() -> node.peerState(2) == PeerState.RUNNING, ScenarioRun.deadline());
                context.barrier(ScenarioRun.deadline());
            }
        }
    }

    /** Rank that the others wait for. */
    static final class StalledRank implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                final Client client = node.client();
                final Context context = client.context();
                final Window window = client.window(8);
                window.buffer().putLong(0, 42);
                context.barrier(ScenarioRun.deadline());
                run.print("joined");
                run.awaitSignal();

                context.barrier(ScenarioRun.deadline());
                for (int rank = 0; rank < 2; rank++) {
                    final Target target = context.attach(rank, "watcher", ScenarioRun.deadline());
                    assertThat(context.put(target, 0, window, 0, 8)).isNotNegative();
                }
                client.publish("late", client.receptionCounter(window, 0, 8));
                context.barrier(ScenarioRun.deadline());
            }
        }
    }
}
