package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Context;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;

/**
 * Ranks in separate PID namespaces, as in containers that share a directory: each of them is process 1, and cannot see
 * the others.
 */
class ProcessNamespaceTest {
    private static final int RANKS = 3;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"", "--mount-proc"})
    void shouldExchangeAndReportTheRankThatIsKilled(String option) throws Exception {
        final List<TestProcess> processes = startInNamespaces(option);

        processes.get(2).kill();

        assertThat(processes.get(0).expect("outcome")).startsWith("PeerFailedException 2: ");
        processes.get(0).awaitEnd();
        // Rank 1 waits for rank 0, which leaves the job.
        processes.get(1).expect("outcome");
        processes.get(1).awaitEnd();
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"", "--mount-proc"})
    void shouldReportNoOtherRankDeadWhenTheHubIsKilled(String option) throws Exception {
        final List<TestProcess> processes = startInNamespaces(option);

        processes.get(0).kill();

        assertThat(processes.get(1).expect("outcome")).startsWith("PeerFailedException 0: ");
        assertThat(processes.get(2).expect("outcome"))
                .startsWith("ClosedException: ")
                .contains("the job has ended");
        processes.get(1).awaitEnd();
        processes.get(2).awaitEnd();
    }

    /** Checks that ranks that cannot wake each other park as if they had no doorbells. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"", "--mount-proc"})
    void shouldParkWithoutDoorbells(String option) throws Exception {
        final List<String> prefix = prefix(option);
        final JobConfig job = pool.job("namespaces", RANKS);
        final List<TestProcess> processes = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            processes.add(pool.startBehind(prefix, ParkingRank.class, job, Threading.INVOKER, rank));
        }
        for (final TestProcess process : processes) {
            assertThat(process.expect("parks")).isEqualTo("0");
            process.awaitEnd();
        }
    }

    /** Waits in vain for longer than until its first park, then takes part in barriers, which still end. */
    static final class ParkingRank implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join()) {
                final Context context = node.client().context();
                for (int wait = 0; wait < 3; wait++) {
                    final long endNs = Deadline.in(300, TimeUnit.MILLISECONDS);
                    context.await(() -> Deadline.reached(endNs), ScenarioRun.deadline());
                    context.barrier(ScenarioRun.deadline());
                }
                run.print("parks " + node.metrics().parks());
            }
        }
    }

    private List<TestProcess> startInNamespaces(String option) throws IOException, InterruptedException {
        final List<String> prefix = prefix(option);
        final JobConfig job = pool.job("namespaces", RANKS);
        final List<TestProcess> processes = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            processes.add(pool.startBehind(prefix, RingExchange.class, job, Threading.DEDICATED, rank, 10, "wait"));
        }
        processes.forEach(process -> process.expect("exchanged"));
        assertThat(pool.left()).isEmpty();
        return processes;
    }

    private static List<String> prefix(String option) throws IOException, InterruptedException {
        final List<String> prefix = new ArrayList<>(List.of("unshare", "--fork", "--pid", "--kill-child"));
        if (!option.isEmpty()) {
            prefix.add(option);
        }
        requirePermission(prefix);
        return prefix;
    }

    private static void requirePermission(List<String> prefix) throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(prefix);
        command.add("true");
        final Process probe =
                new ProcessBuilder(command).redirectErrorStream(true).start();
        assertThat(probe.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assumeTrue(probe.exitValue() == 0, "this system does not permit a PID namespace");
    }
}
