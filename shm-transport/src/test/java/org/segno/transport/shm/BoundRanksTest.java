package org.segno.transport.shm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.segno.context.Context;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;

/**
 * Ranks that another program binds to cores, as {@code taskset} and {@code mpirun} do. Each sees its own cores alone;
 * whether it shares them depends on those of the others.
 */
class BoundRanksTest {
    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @Test
    void shouldSpinOnCoresOfTheirOwn() {
        assumeThat(Runtime.getRuntime().availableProcessors()).isGreaterThan(1);

        assertThat(parks(List.of("0", "1"))).containsOnly("0");
    }

    @Test
    void shouldParkOnASharedCore() {
        assertThat(parks(List.of("0", "0"))).doesNotContain("0");
    }

    /** Returns the number of parks of each rank while it waits for the other. */
    private List<String> parks(List<String> cores) {
        final JobConfig job = pool.job("bound", cores.size());
        final List<TestProcess> ranks = new ArrayList<>();
        for (int rank = 0; rank < cores.size(); rank++) {
            final List<String> prefix = List.of("taskset", "-c", cores.get(rank));
            ranks.add(pool.startBehind(prefix, Waiting.class, job, Threading.INVOKER, rank));
        }
        return ranks.stream().map(rank -> rank.expect("parked")).toList();
    }

    /** Waits for long enough to park. */
    static final class Waiting implements Scenario {
        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                final Context context = node.client().context();
                final long endNs = Deadline.in(1, SECONDS);
                context.await(() -> Deadline.reached(endNs), Deadline.in(50, SECONDS));
                run.print("parked " + node.metrics().parks());
                context.barrier(Deadline.in(50, SECONDS));
            }
        }
    }
}
