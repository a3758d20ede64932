package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Context;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;

/** Reports of the death of a process to the handlers of others: once, after everything that it had sent. */
class DeathReportTest {
    private static final int DISPATCH = 3;
    private static final int MESSAGES = 20;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @EnumSource
    void shouldReportAKilledProcessAfterItsMessages(Threading threading) {
        final JobConfig job = pool.job("report", 3);
        final TestProcess early = pool.start(Reporter.class, job, threading, 0, true);
        final TestProcess late = pool.start(Reporter.class, job, threading, 1, false);
        final TestProcess sender = pool.start(Sender.class, job, threading, 2);
        sender.expect("carried out");
        early.expect("registered");
        late.expect("waiting");

        sender.kill();
        early.signalScenario();
        late.signalScenario();

        assertThat(early.expect("events")).isEqualTo(MESSAGES + " messages, rank 2 died");
        assertThat(late.expect("events")).isEqualTo(MESSAGES + " messages, rank 2 died");
        early.awaitEnd();
        late.awaitEnd();
    }

    /** Registers its handler before or after the death, and advances only after it. */
    static final class Reporter implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                final Context context = node.client().context();
                final long[] received = {0};
                final List<String> events = new ArrayList<>();
                context.handler(DISPATCH, (source, buffer, m, ml, p, pl) -> received[0]++);
                if (Boolean.parseBoolean(run.argument(0))) {
                    context.onDeath(rank -> events.add(received[0] + " messages, rank " + rank + " died"));
                    run.print("registered");
                    run.awaitSignal();
                } else {
                    run.print("waiting");
                    run.awaitSignal();
                    while (node.peerState(2) != Node.PeerState.DEAD) {
                        Thread.onSpinWait();
                    }
                    context.onDeath(rank -> events.add(received[0] + " messages, rank " + rank + " died"));
                }
                final long deadlineNs = ScenarioRun.deadline();
                while (events.isEmpty() && !Deadline.reached(deadlineNs)) {
                    context.advance(1);
                }
                for (int pass = 0; pass < 100; pass++) {
                    context.advance();
                }
                run.print("events " + String.join("; ", events));
            }
        }
    }

    /** Sends to both reporters, and waits for its end. */
    static final class Sender implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            final Node node = run.join();
            final Context context = node.client().context();
            final UnsafeBuffer bytes = new UnsafeBuffer(new byte[Long.BYTES]);
            for (int number = 0; number < MESSAGES; number++) {
                context.sendImmediate(0, DISPATCH, bytes, 0, Long.BYTES);
                context.sendImmediate(1, DISPATCH, bytes, 0, Long.BYTES);
            }
            context.await(context::isDrained, ScenarioRun.deadline());
            run.print("carried out");
            run.awaitSignal();
        }
    }
}
