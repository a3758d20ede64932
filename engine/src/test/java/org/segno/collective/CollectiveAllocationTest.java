package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.node.InProcessJob;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.Deadline;

/** Rounds of a recorded collective among two threads: 0 bytes per round, by the JVM's own count for each thread. */
@OverMemoryAndLinks
@Timeout(120)
class CollectiveAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int MEMBERS = 2;
    private static final int ATTEMPTS = 8;
    private static final int ROUNDS = 5_000;

    @TempDir
    Path directory;

    /** Operation of one member. */
    @FunctionalInterface
    private interface Operation {
        void run(long deadlineNs);
    }

    /**
     * Asserts on the least of several attempts. The JVM itself allocates on a thread when it compiles or replaces the
     * running code; an operation that allocates does so in every attempt.
     */
    private static void requireNoAllocation(CyclicBarrier together, Operation operation) throws Exception {
        final long deadlineNs = Deadline.in(60, TimeUnit.SECONDS);
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            together.await();
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int round = 0; round < ROUNDS; round++) {
                operation.run(deadlineNs);
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).as("bytes allocated in " + ROUNDS + " rounds").isZero();
    }

    @Test
    void shouldAllocateNothingInARoundOfABarrier() throws Exception {
        final CyclicBarrier together = new CyclicBarrier(MEMBERS);
        WorldMember.run(directory, MEMBERS, member -> {
            final Collective barrier = member.world().prepare(Call.barrier(), InProcessJob.deadline());
            requireNoAllocation(together, barrier::run);
        });
    }

    @Test
    void shouldAllocateNothingInARoundOfAnAllreduce() throws Exception {
        final CyclicBarrier together = new CyclicBarrier(MEMBERS);
        WorldMember.run(directory, MEMBERS, member -> {
            final Collective sum = member.world().prepare(WorldMember.SUM, InProcessJob.deadline());
            requireNoAllocation(together, sum::run);
        });
    }

    @Test
    void shouldAllocateNothingToStartAndToTest() throws Exception {
        final CyclicBarrier together = new CyclicBarrier(MEMBERS);
        WorldMember.run(directory, MEMBERS, member -> {
            final Collective sum = member.world().prepare(WorldMember.SUM, InProcessJob.deadline());
            requireNoAllocation(together, deadlineNs -> {
                sum.start();
                while (!sum.test()) {
                    WorldMember.yieldCore();
                }
            });
        });
    }
}
