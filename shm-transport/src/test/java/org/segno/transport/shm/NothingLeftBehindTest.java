package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;

/** Files of a job: none while it runs, and none after the next start, even if its processes were killed. */
class NothingLeftBehindTest {
    private static final int ROUNDS = 20;
    private static final int RANKS = 3;

    /** Approximate time for which the directory exists, in microseconds. */
    private static final int JOIN_US = 40_000;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @Test
    void shouldHaveNoFileOnceAllHaveJoined() throws IOException {
        final JobConfig job = pool.job("joined", 2);
        final TestProcess first = pool.start(EndlessJob.class, job, Threading.INVOKER, 0);
        final TestProcess second = pool.start(EndlessJob.class, job, Threading.INVOKER, 1);
        first.expect("running");
        second.expect("running");

        assertThat(pool.left()).isEmpty();

        first.kill();
        second.kill();
        assertThat(pool.left()).isEmpty();
    }

    @Test
    @Tag("long")
    void shouldRemoveAtTheNextStartTheFilesThatKillsAtRandomMomentsLeave() throws Exception {
        final long seed = 20_260_601;
        final Random chance = new Random(seed);
        int left = 0;
        for (int round = 0; round < ROUNDS; round++) {
            final JobConfig job = pool.job("killed-" + round, RANKS);
            final List<TestProcess> processes = List.of(
                    pool.start(EndlessJob.class, job, Threading.INVOKER, List.of(0, 2)),
                    pool.start(EndlessJob.class, job, Threading.INVOKER, List.of(1)));
            processes.forEach(process -> process.expect("joining"));
            if (round % 4 == 0) {
                processes.get(0).observe(TimeUnit.MICROSECONDS.toNanos(chance.nextInt(4 * JOIN_US)));
            } else {
                awaitJobDirectory();
                processes.get(0).observe(TimeUnit.MICROSECONDS.toNanos(chance.nextInt(JOIN_US)));
            }
            processes.forEach(TestProcess::kill);
            left += pool.left().isEmpty() ? 0 : 1;

            startNext();

            assertThat(pool.left()).as("round " + round + ", seed " + seed).isEmpty();
        }
        assertThat(left)
                .as("rounds in which something was left, or this tests nothing")
                .isPositive();
    }

    private void awaitJobDirectory() throws IOException {
        final long deadlineNs = ScenarioRun.deadline();
        while (pool.left().isEmpty() && !Deadline.reached(deadlineNs)) {
            Thread.onSpinWait();
        }
    }

    private void startNext() throws IOException {
        try (Node next = Node.join(pool.job("next", 1), ScenarioRun.smallNode())) {
            assertThat(pool.left()).isEmpty();
            assertThat(next.size()).isOne();
        }
    }

    /** Joins and waits until it is killed. */
    static final class EndlessJob implements Scenario {
        @Override
        public void run(ScenarioRun run) throws Exception {
            run.print("joining");
            run.onEachNode(node -> {
                node.client().context().barrier(ScenarioRun.deadline());
                run.print("running");
                node.client().context().await(() -> false, ScenarioRun.deadline());
            });
        }
    }
}
