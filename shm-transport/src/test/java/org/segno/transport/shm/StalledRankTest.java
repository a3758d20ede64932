package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.counter.ReceptionCounter;
import org.segno.job.JobConfig;
import org.segno.memory.Window;
import org.segno.node.Node;
import org.segno.node.Node.PeerState;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Target;
import org.segno.status.Deadline;
import org.segno.transport.shm.Longing.Wait;

/** A process that is stopped is late and not dead. */
class StalledRankTest {
    @RegisterExtension
    final Troupe troupe = new Troupe();

    @ParameterizedTest
    @EnumSource
    void shouldTakeAStoppedRankForStalledAndGoOnWhenItDoes(Threading threading) {
        final JobConfig job = troupe.job("stalled", 3);
        final Player hub = troupe.play(Watcher.class, job, threading, 0);
        final Player watcher = troupe.play(Watcher.class, job, threading, 1);
        final Player sleeper = troupe.play(Sleeper.class, job, threading, 2);
        sleeper.expect("joined");
        sleeper.stop();
        hub.cue();
        watcher.cue();
        hub.expect("seen");
        watcher.expect("seen");

        sleeper.goOn();
        sleeper.cue();

        hub.awaitEnd();
        watcher.awaitEnd();
        sleeper.awaitEnd();
    }

    /** Sees that rank 2 is stalled, that waits for it end by their deadlines only, and that they can be repeated. */
    static final class Watcher implements Part {
        @Override
        public void play(Stage stage) throws InterruptedException {
            try (Node node = stage.join()) {
                final Client client = node.client();
                final Context context = client.context();
                final Window window = client.window(8);
                final ReceptionCounter counter = client.receptionCounter(window, 0, 8, 2);
                counter.expect(8);
                client.publish("watcher", counter);
                context.await(() -> node.peerState(2) == PeerState.RUNNING, Stage.deadline());
                context.barrier(Stage.deadline());
                stage.awaitCue();

                context.await(() -> node.peerState(2) == PeerState.STALLED, Stage.deadline());
                context.await(() -> node.peerState(1 - node.rank()) == PeerState.RUNNING, Stage.deadline());
                final Longing longing = new Longing(node, 2);
                for (final Wait wait : Wait.values()) {
                    assertThat(longing.await(wait, Deadline.in(20, TimeUnit.MILLISECONDS)))
                            .as(wait.name())
                            .startsWith("DeadlineException: ");
                }
                assertThat(node.peerState(2)).isEqualTo(PeerState.STALLED);
                stage.say("seen");

                // The barrier is the one that the deadline has ended.
                context.barrier(Stage.deadline());
                context.await(counter, Stage.deadline());
                assertThat(window.buffer().getLong(0)).isEqualTo(42);
                context.attach(2, "late", Stage.deadline());
                context.await(() -> node.peerState(2) == PeerState.RUNNING, Stage.deadline());
                context.barrier(Stage.deadline());
            }
        }
    }

    /** Has everybody wait for it. */
    static final class Sleeper implements Part {
        @Override
        public void play(Stage stage) throws InterruptedException {
            try (Node node = stage.join()) {
                final Client client = node.client();
                final Context context = client.context();
                final Window window = client.window(8);
                window.buffer().putLong(0, 42);
                context.barrier(Stage.deadline());
                stage.say("joined");
                stage.awaitCue();

                context.barrier(Stage.deadline());
                for (int rank = 0; rank < 2; rank++) {
                    final Target target = context.attach(rank, "watcher", Stage.deadline());
                    assertThat(context.put(target, 0, window, 0, 8)).isNotNegative();
                }
                client.publish("late", client.receptionCounter(window, 0, 8));
                context.barrier(Stage.deadline());
            }
        }
    }
}
