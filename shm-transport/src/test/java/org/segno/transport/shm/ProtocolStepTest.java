package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;

/** Peer that is stopped or killed in the middle of each protocol, while the other process waits for it. */
class ProtocolStepTest {
    private static final long SHORT_MS = 30;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @Tag("long")
    @EnumSource
    void shouldEndAtItsDeadlineWhileThePeerIsStoppedAndSucceedAfterItResumes(Protocol.Kind kind) {
        final JobConfig job = pool.job("stopped", 2);
        final TestProcess requester = pool.start(Requester.class, job, Threading.INVOKER, 0, kind);
        final TestProcess responder = pool.start(Responder.class, job, Threading.INVOKER, 1, kind);
        responder.expect("paused");
        responder.stop();

        requester.signalScenario();

        assertThat(requester.expect("missed")).startsWith("DeadlineException: ").contains(kind.whenStopped);
        responder.resume();
        responder.signalScenario();
        assertThat(requester.expect("ended")).isEqualTo("nothing");
        requester.awaitEnd();
        responder.awaitEnd();
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource
    void shouldFailWithTheRankOfThePeerThatIsKilled(Protocol.Kind kind) {
        final JobConfig job = pool.job("killed", 2);
        final TestProcess requester = pool.start(Requester.class, job, Threading.INVOKER, 0, kind);
        final TestProcess responder = pool.start(Responder.class, job, Threading.INVOKER, 1, kind);
        responder.expect("paused");
        requester.signalScenario();
        requester.expect("missed DeadlineException");

        responder.kill();

        assertThat(requester.expect("ended")).matches(kind.whenKilled);
        assertThat(requester.expect("again")).matches(kind.whenKilled);
        requester.awaitEnd();
    }

    /** Closing waits for a stopped peer for the time in the warning, and no longer. */
    @Test
    void shouldReportLostMessagesWhenItClosesWhileAPeerIsStopped() {
        final JobConfig job = pool.job("closed", 2);
        final TestProcess closer = pool.start(Closer.class, job, Threading.INVOKER, 0, Protocol.Kind.EAGER_SENDS);
        final TestProcess responder = pool.start(Responder.class, job, Threading.INVOKER, 1, Protocol.Kind.EAGER_SENDS);
        responder.expect("paused");
        responder.stop();

        closer.signalScenario();

        assertThat(closer.expect("WARNING: rank 0 closes after 5 s"))
                .contains(
                        "lost; context 0; the next descriptor of the context's own FIFO is a SEND for context 0 of rank 1");
        closer.awaitEnd();
        responder.kill();
    }

    private static String outcome(LongConsumer wait, long deadlineNs) {
        try {
            wait.accept(deadlineNs);
            return "nothing";
        } catch (SegnoException e) {
            return Outcome.of(e);
        }
    }

    /** Waits until a short deadline, then until the protocol ends. */
    static final class Requester implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join(Protocol.config())) {
                final Protocol protocol = Protocol.Kind.valueOf(run.argument(0)).of(node);
                protocol.open();
                protocol.context.barrier(ScenarioRun.deadline());
                run.awaitSignal();
                protocol.begin();
                run.print("missed " + outcome(protocol::await, Deadline.in(SHORT_MS, TimeUnit.MILLISECONDS)));
                run.print("ended " + outcome(protocol::await, ScenarioRun.deadline()));
                if (node.peerState(1) == Node.PeerState.DEAD) {
                    run.print("again " + outcome(protocol::await, ScenarioRun.deadline()));
                } else {
                    protocol.check();
                    protocol.context.barrier(ScenarioRun.deadline());
                }
            }
        }
    }

    /** Closes its node instead of waiting. */
    static final class Closer implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join(Protocol.config())) {
                final Protocol protocol = Protocol.Kind.valueOf(run.argument(0)).of(node);
                protocol.open();
                protocol.context.barrier(ScenarioRun.deadline());
                run.awaitSignal();
                protocol.begin();
            }
        }
    }

    /** Does nothing until the signal, if there is one. */
    static final class Responder implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join(Protocol.config())) {
                final Protocol protocol = Protocol.Kind.valueOf(run.argument(0)).of(node);
                protocol.open();
                protocol.context.barrier(ScenarioRun.deadline());
                run.print("paused");
                run.awaitSignal();
                protocol.respond();
                protocol.context.barrier(ScenarioRun.deadline());
            }
        }
    }
}
