package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.job.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;

/** A peer is stopped, or killed, in the midst of every protocol that there is, while the other process waits for it. */
class ProtocolStepTest {
    private static final long SHORT_MS = 30;

    @RegisterExtension
    final Troupe troupe = new Troupe();

    @ParameterizedTest
    @EnumSource
    void shouldEndByItsDeadlineWhileThePeerIsStoppedAndWellWhenItGoesOn(Protocol.Kind kind) {
        final JobConfig job = troupe.job("stopped", 2);
        final Player asker = troupe.play(Asker.class, job, Threading.INVOKER, 0, kind);
        final Player answerer = troupe.play(Answerer.class, job, Threading.INVOKER, 1, kind);
        answerer.expect("standing");
        answerer.stop();

        asker.cue();

        assertThat(asker.expect("missed")).startsWith("DeadlineException: ").contains(kind.whenStopped);
        answerer.goOn();
        answerer.cue();
        assertThat(asker.expect("ended")).isEqualTo("nothing");
        asker.awaitEnd();
        answerer.awaitEnd();
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndWithTheNameOfThePeerThatIsKilled(Protocol.Kind kind) {
        final JobConfig job = troupe.job("killed", 2);
        final Player asker = troupe.play(Asker.class, job, Threading.INVOKER, 0, kind);
        final Player answerer = troupe.play(Answerer.class, job, Threading.INVOKER, 1, kind);
        answerer.expect("standing");
        asker.cue();
        asker.expect("missed DeadlineException");

        answerer.kill();

        assertThat(asker.expect("ended")).matches(kind.whenKilled);
        assertThat(asker.expect("again")).matches(kind.whenKilled);
        asker.awaitEnd();
    }

    /** It waits for a stopped peer as long as it says, no longer, and not without a word. */
    @Test
    void shouldSayWhatIsLostWhenItClosesBeforeAStoppedPeer() {
        final JobConfig job = troupe.job("closed", 2);
        final Player closer = troupe.play(Closer.class, job, Threading.INVOKER, 0, Protocol.Kind.EAGER_SENDS);
        final Player answerer = troupe.play(Answerer.class, job, Threading.INVOKER, 1, Protocol.Kind.EAGER_SENDS);
        answerer.expect("standing");
        answerer.stop();

        closer.cue();

        assertThat(closer.expect("WARNING: rank 0 closes after 5 s"))
                .contains("lost; context 0; the next descriptor of the context's own FIFO is a SEND for rank 1");
        closer.awaitEnd();
        answerer.kill();
    }

    private static String outcome(LongConsumer wait, long deadlineNs) {
        try {
            wait.accept(deadlineNs);
            return "nothing";
        } catch (SegnoException e) {
            return Outcome.of(e);
        }
    }

    /** Waits in vain, then until it ends. */
    static final class Asker implements Part {
        @Override
        public void play(Stage stage) throws InterruptedException {
            try (Node node = stage.join(Protocol.config())) {
                final Protocol protocol =
                        Protocol.Kind.valueOf(stage.argument(0)).of(node);
                protocol.open();
                protocol.context.barrier(Stage.deadline());
                stage.awaitCue();
                protocol.begin();
                stage.say("missed " + outcome(protocol::await, Deadline.in(SHORT_MS, TimeUnit.MILLISECONDS)));
                stage.say("ended " + outcome(protocol::await, Stage.deadline()));
                if (node.peerState(1) == Node.PeerState.DEAD) {
                    stage.say("again " + outcome(protocol::await, Stage.deadline()));
                } else {
                    protocol.check();
                    protocol.context.barrier(Stage.deadline());
                }
            }
        }
    }

    /** Closes instead of waiting. */
    static final class Closer implements Part {
        @Override
        public void play(Stage stage) throws InterruptedException {
            try (Node node = stage.join(Protocol.config())) {
                final Protocol protocol =
                        Protocol.Kind.valueOf(stage.argument(0)).of(node);
                protocol.open();
                protocol.context.barrier(Stage.deadline());
                stage.awaitCue();
                protocol.begin();
            }
        }
    }

    /** Does nothing until it is told, if it ever is. */
    static final class Answerer implements Part {
        @Override
        public void play(Stage stage) throws InterruptedException {
            try (Node node = stage.join(Protocol.config())) {
                final Protocol protocol =
                        Protocol.Kind.valueOf(stage.argument(0)).of(node);
                protocol.open();
                protocol.context.barrier(Stage.deadline());
                stage.say("standing");
                stage.awaitCue();
                protocol.answer();
                protocol.context.barrier(Stage.deadline());
            }
        }
    }
}
