package org.segno.transport.shm;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Context;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;

/** Parked waits of processes: woken by another process, and by the death of one. Three ranks park on two cores. */
class DoorbellProcessTest {
    private static final int ID = 4;
    private static final int ROUNDS = 100;

    /** Far below what rounds would take that end with their parks, 4 ms and more each. */
    private static final long LIMIT_MS = 10_000;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @Tag("long")
    @EnumSource
    void shouldWakeTheParkedAndSurviveTheDeathOfOne(Threading threading) {
        final JobConfig job = pool.job("bell", 3);
        final TestProcess first = pool.start(Exchange.class, job, threading, 0);
        final TestProcess second = pool.start(Exchange.class, job, threading, 1);
        final TestProcess victim = pool.start(Parked.class, job, threading, 2);
        first.expect("exchanged");
        second.expect("exchanged");
        victim.expect("waiting");

        victim.kill();

        assertThat(first.expect("died")).isEqualTo("2");
        assertThat(second.expect("died")).isEqualTo("2");
        first.awaitEnd();
        second.awaitEnd();
    }

    /** Kills the rank that sends to a parked one, at any moment of its sends and rings. */
    @ParameterizedTest
    @EnumSource
    void shouldEndTheParkedWaitWhenTheSenderIsKilled(Threading threading) {
        final JobConfig job = pool.job("bell", 3);
        final TestProcess first = pool.start(Receiver.class, job, threading, 0);
        final TestProcess second = pool.start(Receiver.class, job, threading, 1);
        final TestProcess sender = pool.start(Sender.class, job, threading, 2);
        first.expect("received");
        second.expect("received");

        sender.kill();

        assertThat(first.expect("died")).isEqualTo("2");
        assertThat(second.expect("died")).isEqualTo("2");
        first.awaitEnd();
        second.awaitEnd();
    }

    private static long deadline() {
        return Deadline.in(50, SECONDS);
    }

    private static void awaitDeath(ScenarioRun run, Context context) {
        try {
            context.await(() -> false, deadline());
        } catch (PeerFailedException e) {
            run.print("died " + e.rank());
        }
    }

    /** Sends a message to the other rank of a pair when the other has parked, and waits parked for its message. */
    static final class Exchange implements Scenario {
        private int received;

        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                final Context context = node.client().context();
                final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
                context.handler(ID, (origin, buffer, m, ml, p, pl) -> received++);
                context.barrier(deadline());
                final long beginNs = System.nanoTime();
                for (int round = 1; round <= ROUNDS; round++) {
                    if (node.rank() == 0) {
                        send(context, bytes);
                    }
                    final int expected = round;
                    context.await(() -> received >= expected, deadline());
                    if (node.rank() == 1) {
                        send(context, bytes);
                    }
                }
                assertThat(System.nanoTime() - beginNs).isLessThan(MILLISECONDS.toNanos(LIMIT_MS));
                run.print("exchanged " + node.metrics().parks());
                assertThat(node.metrics().failedRings()).isZero();
                awaitDeath(run, context);
            }
        }

        private static void send(Context context, UnsafeBuffer bytes) throws InterruptedException {
            MILLISECONDS.sleep(8);
            context.sendImmediate(1 - context.rank(), ID, bytes, 0, 8);
            context.advance();
        }
    }

    /** Takes part in a barrier, then waits. */
    static final class Parked implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                final Context context = node.client().context();
                context.barrier(deadline());
                run.print("waiting");
                context.await(() -> false, deadline());
            }
        }
    }

    /** Receives parked until its sender dies. */
    static final class Receiver implements Scenario {
        private int received;

        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                final Context context = node.client().context();
                context.handler(ID, (origin, buffer, m, ml, p, pl) -> received++);
                context.barrier(deadline());
                context.await(() -> received >= 20, deadline());
                run.print("received");
                awaitDeath(run, context);
            }
        }
    }

    /** Sends to both receivers for ever. */
    static final class Sender implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                final Context context = node.client().context();
                final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
                context.barrier(deadline());
                for (int i = 0; true; i++) {
                    context.sendImmediate(i % 2, ID, bytes, 0, 8);
                    context.advance();
                    MILLISECONDS.sleep(i % 7);
                }
            }
        }
    }
}
