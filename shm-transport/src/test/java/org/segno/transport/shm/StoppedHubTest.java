package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.segno.context.Context;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.Node.PeerState;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.SegnoException;

/** Stopped process of the hub: the others detect the end of a rank by the lock on its node file. */
class StoppedHubTest {
    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    private TestProcess hub;
    private TestProcess waiting;
    private TestProcess ending;

    @BeforeEach
    void joinAndStopTheHub() {
        final JobConfig job = pool.job("hubless", 3);
        hub = pool.start(Waiter.class, job, Threading.INVOKER, 0);
        waiting = pool.start(Waiter.class, job, Threading.INVOKER, 1);
        ending = pool.start(Leaver.class, job, Threading.INVOKER, 2);
        hub.expect("waiting");
        waiting.expect("waiting");
        ending.expect("joined");
        hub.stop();
    }

    @Test
    @Tag("long")
    void shouldReportTheDeathOfAKilledRank() {
        ending.kill();

        assertThat(waiting.expect("outcome")).startsWith("PeerFailedException 2: ");
        assertThat(waiting.expect("peers")).isEqualTo("STALLED DEAD");
        hub.resume();
        assertThat(hub.expect("outcome")).startsWith("PeerFailedException 2: ");
        hub.awaitEnd();
        waiting.awaitEnd();
    }

    @Test
    void shouldNotReportARankDeadThatHasLeft() {
        ending.signalScenario();

        assertThat(waiting.expect("outcome")).startsWith("ClosedException: every possible sender has left");
        assertThat(waiting.expect("peers")).isEqualTo("STALLED LEFT");
        hub.resume();
        assertThat(hub.expect("outcome")).startsWith("ClosedException: ");
        hub.awaitEnd();
        waiting.awaitEnd();
        ending.awaitEnd();
    }

    /** Waits for rank 2. */
    static final class Waiter implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join()) {
                final Context context = node.client().context();
                final var counter = node.client().receptionCounter(node.client().window(8), 0, 8, 2);
                counter.expect(8);
                context.barrier(ScenarioRun.deadline());
                run.print("waiting");
                run.print("outcome " + outcome(() -> context.await(counter, ScenarioRun.deadline())));
                if (node.rank() == 1) {
                    context.await(() -> node.peerState(0) == PeerState.STALLED, ScenarioRun.deadline());
                }
                run.print("peers " + node.peerState(0) + ' ' + node.peerState(2));
            }
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

    /** Closes its node at the signal, unless it is killed before. */
    static final class Leaver implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                node.client().context().barrier(ScenarioRun.deadline());
                run.print("joined");
                run.awaitSignal();
            }
        }
    }
}
