package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.segno.node.JobConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;

/** Ranks in containers with little memory or little time, as their control groups make them. */
@Tag("long")
class ControlGroupTest {
    private static final long MEGABYTE = 1 << 20;

    /** Enough for the JVM of a rank, not for its windows. */
    private static final long MEMORY = 256 * MEGABYTE;

    private static final long WINDOWS = 1024 * MEGABYTE;
    private static final int KILLED = 128 + 9;
    private static final int PATIENCE_S = 180;
    private static final int JOIN_S = 10;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @Test
    void shouldReportARankThatIsKilledForWantOfMemory() throws IOException {
        try (ControlGroup group = ControlGroup.ofMemory(MEMORY)) {
            final JobConfig job = pool.job("memory", 2);
            final TestProcess host = pool.start(Joiner.class, job, Threading.INVOKER, 0);
            final TestProcess greedy = pool.startBehind(
                    group.prefix(), SmallFileSystemTest.LargeNode.class, job, Threading.INVOKER, 1, WINDOWS);

            assertThat(host.expect("outcome"))
                    .startsWith("PeerFailedException 1: ")
                    .contains("before all had joined");
            host.awaitEnd();
            assertThat(greedy.exitCode()).isEqualTo(KILLED);
            assertThat(pool.left()).isEmpty();
        }
    }

    @Test
    void shouldReportAHubThatIsKilledForWantOfMemoryAndSweepItsDirectory() throws IOException {
        try (ControlGroup group = ControlGroup.ofMemory(MEMORY)) {
            final JobConfig job = pool.job("memory", 2).withJoinTimeout(Duration.ofSeconds(JOIN_S));
            final TestProcess other = pool.start(Joiner.class, job, Threading.INVOKER, 1);
            final TestProcess greedy = pool.startBehind(
                    group.prefix(), SmallFileSystemTest.LargeNode.class, job, Threading.INVOKER, 0, WINDOWS);

            // The hub may be gone before the other rank finds it.
            assertThat(other.expect("outcome"))
                    .matches("PeerFailedException 0: .*before all had joined.*"
                            + "|DeadlineException: .*rank 0, or the launcher, is missing.*");
            other.awaitEnd();
            assertThat(greedy.exitCode()).isEqualTo(KILLED);
            pool.start(Joiner.class, pool.job("next", 1), Threading.INVOKER, 0).awaitEnd();
            assertThat(pool.left()).isEmpty();
        }
    }

    @Test
    void shouldExchangeWithASixthOfACore() throws IOException {
        try (ControlGroup group = ControlGroup.ofCpu(16)) {
            final JobConfig job = pool.job("slow", 2).withJoinTimeout(Duration.ofSeconds(PATIENCE_S));
            final TestProcess first =
                    pool.startBehind(group.prefix(), RingExchange.class, job, Threading.INVOKER, 0, 50, "leave");
            final TestProcess second =
                    pool.startBehind(group.prefix(), RingExchange.class, job, Threading.DEDICATED, 1, 50, "leave");

            final long deadlineNs = Deadline.in(PATIENCE_S, TimeUnit.SECONDS);
            // Passes over no failure, and none of them reports the other dead.
            assertThat(first.expect("exchanged", deadlineNs)).isEmpty();
            assertThat(second.expect("exchanged", deadlineNs)).isEmpty();
            first.awaitEnd();
            second.awaitEnd();
            assertThat(first.toString() + second).doesNotContain("outcome");
            assertThat(group.isThrottled()).isTrue();
            first.close();
            second.close();
        }
    }
}
