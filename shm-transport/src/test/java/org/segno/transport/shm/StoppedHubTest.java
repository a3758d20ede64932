package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.segno.context.Context;
import org.segno.job.JobConfig;
import org.segno.node.Node;
import org.segno.node.Node.PeerState;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.SegnoException;

/** While the process of the hub is stopped, the others find the end of a rank by the lock on its node file. */
class StoppedHubTest {
    @RegisterExtension
    final Troupe troupe = new Troupe();

    private Player hub;
    private Player waiting;
    private Player ending;

    @BeforeEach
    void joinAndStopTheHub() {
        final JobConfig job = troupe.job("hubless", 3);
        hub = troupe.play(Waiting.class, job, Threading.INVOKER, 0);
        waiting = troupe.play(Waiting.class, job, Threading.INVOKER, 1);
        ending = troupe.play(Ending.class, job, Threading.INVOKER, 2);
        hub.expect("waiting");
        waiting.expect("waiting");
        ending.expect("joined");
        hub.stop();
    }

    @Test
    void shouldReportTheDeathOfAKilledRank() {
        ending.kill();

        assertThat(waiting.expect("outcome")).startsWith("PeerFailedException 2: ");
        assertThat(waiting.expect("peers")).isEqualTo("STALLED DEAD");
        hub.goOn();
        assertThat(hub.expect("outcome")).startsWith("PeerFailedException 2: ");
        hub.awaitEnd();
        waiting.awaitEnd();
    }

    @Test
    void shouldNotTakeARankForDeadThatHasLeft() {
        ending.cue();

        assertThat(waiting.expect("outcome")).startsWith("ClosedException: every possible sender has left");
        assertThat(waiting.expect("peers")).isEqualTo("STALLED LEFT");
        hub.goOn();
        assertThat(hub.expect("outcome")).startsWith("ClosedException: ");
        hub.awaitEnd();
        waiting.awaitEnd();
        ending.awaitEnd();
    }

    /** Waits for rank 2. */
    static final class Waiting implements Part {
        @Override
        public void play(Stage stage) {
            try (Node node = stage.join()) {
                final Context context = node.client().context();
                final var counter = node.client().receptionCounter(node.client().window(8), 0, 8, 2);
                counter.expect(8);
                context.barrier(Stage.deadline());
                stage.say("waiting");
                stage.say("outcome " + outcome(() -> context.await(counter, Stage.deadline())));
                if (node.rank() == 1) {
                    context.await(() -> node.peerState(0) == PeerState.STALLED, Stage.deadline());
                }
                stage.say("peers " + node.peerState(0) + ' ' + node.peerState(2));
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

    /** Closes its node on cue, unless it is killed before. */
    static final class Ending implements Part {
        @Override
        public void play(Stage stage) throws InterruptedException {
            try (Node node = stage.join()) {
                node.client().context().barrier(Stage.deadline());
                stage.say("joined");
                stage.awaitCue();
            }
        }
    }
}
