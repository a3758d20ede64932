package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.node.InProcessJob;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.Deadline;

/** Rounds of a recorded collective among two threads: 0 bytes per round, by the JVM's own count for each thread. */
@OverMemoryAndLinks
@Timeout(120)
class CollectiveAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int MEMBERS = 2;
    private static final int ATTEMPTS = 20;
    private static final int ROUNDS = 5_000;

    /** Rounds where there are many collectives. */
    private static final int FEW_ROUNDS = 1_500;

    @TempDir
    Path directory;

    /** Operation of one member. */
    @FunctionalInterface
    private interface Operation {
        void run(long deadlineNs);
    }

    /**
     * Attempts of all members until each has allocated nothing in one of its own. The JVM itself allocates on a thread
     * when it compiles or replaces the running code; an operation that allocates does so in every attempt.
     */
    private static final class Attempts {
        private final CyclicBarrier together;
        private final AtomicIntegerArray clean;

        Attempts(int members) {
            this.together = new CyclicBarrier(members);
            this.clean = new AtomicIntegerArray(members);
        }

        void requireNoAllocation(String name, int rounds, int self, Operation operation) throws Exception {
            final long deadlineNs = Deadline.in(60, TimeUnit.SECONDS);
            clean.set(self, 0);
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                together.await();
                final long before = THREADS.getCurrentThreadAllocatedBytes();
                for (int round = 0; round < rounds; round++) {
                    operation.run(deadlineNs);
                }
                if (THREADS.getCurrentThreadAllocatedBytes() == before) {
                    clean.set(self, 1);
                }
                together.await();
                // All members find the same, and make as many attempts.
                if (attempt > 0 && areClean()) {
                    return;
                }
            }
            assertThat(clean.get(self))
                    .as("attempts without an allocation by " + name)
                    .isOne();
        }

        private boolean areClean() {
            for (int member = 0; member < clean.length(); member++) {
                if (clean.get(member) == 0) {
                    return false;
                }
            }
            return true;
        }
    }

    @Test
    void shouldAllocateNothingInARoundOfABarrier() throws Exception {
        final Attempts attempts = new Attempts(MEMBERS);
        WorldMember.run(directory, MEMBERS, member -> {
            final Collective barrier = member.world().prepare(Call.barrier(), InProcessJob.deadline());
            attempts.requireNoAllocation("barrier", ROUNDS, member.self(), barrier::run);
        });
    }

    @Test
    void shouldAllocateNothingInARoundOfAnAllreduce() throws Exception {
        final Attempts attempts = new Attempts(MEMBERS);
        WorldMember.run(directory, MEMBERS, member -> {
            final Collective sum = member.world().prepare(WorldMember.SUM, InProcessJob.deadline());
            attempts.requireNoAllocation("allreduce", ROUNDS, member.self(), sum::run);
        });
    }

    private static List<Call> calls(int size) {
        final long bytes = 128L * size;
        final Reduction sum = Reduction.of(ElementType.LONG, Operator.SUM);
        return List.of(
                Call.barrier(),
                Call.broadcast(size - 1, bytes),
                Call.reduce(size - 1, bytes, sum),
                Call.allreduce(bytes, sum),
                Call.reduceScatter(Lengths.equal(bytes), sum),
                Call.scan(bytes, sum),
                Call.exclusiveScan(bytes, sum),
                Call.gather(size - 1, Lengths.equal(bytes)),
                Call.scatter(size - 1, Lengths.equal(bytes)),
                Call.allgather(Lengths.equal(bytes)),
                Call.allToAll(bytes),
                Call.allToAll(bytes).synchronous());
    }

    @Test
    void shouldAllocateNothingInARoundOfAnyKindByAnyAlgorithm() throws Exception {
        final Attempts attempts = new Attempts(MEMBERS);
        WorldMember.run(directory, MEMBERS, member -> {
            for (final Call call : calls(MEMBERS)) {
                for (final String algorithm : member.world().algorithms(call)) {
                    try (Collective any = member.world().prepare(call.by(algorithm), InProcessJob.deadline())) {
                        attempts.requireNoAllocation(any.toString(), FEW_ROUNDS, member.self(), any::run);
                    }
                }
            }
        });
    }

    @Test
    @Tag("long")
    void shouldAllocateNothingInARoundAmongSeveralHosts() throws Exception {
        final int size = 3;
        final Attempts attempts = new Attempts(size);
        WorldMember.run(directory, size, member -> {
            for (final Call call : calls(size)) {
                member.world().hosts(Hosts.one(size));
                final List<String> others = member.world().algorithms(call);
                member.world().hosts(Hosts.of(0, 0, 1));
                for (final String algorithm : member.world().algorithms(call)) {
                    if (!others.contains(algorithm)) {
                        try (Collective any = member.world().prepare(call.by(algorithm), InProcessJob.deadline())) {
                            attempts.requireNoAllocation(any.toString(), FEW_ROUNDS, member.self(), any::run);
                        }
                    }
                }
            }
        });
    }

    @Test
    void shouldAllocateNothingToStartAndToTest() throws Exception {
        final Attempts attempts = new Attempts(MEMBERS);
        WorldMember.run(directory, MEMBERS, member -> {
            final Collective sum = member.world().prepare(WorldMember.SUM, InProcessJob.deadline());
            attempts.requireNoAllocation("start and test", ROUNDS, member.self(), deadlineNs -> {
                sum.start();
                while (!sum.test()) {
                    WorldMember.yieldCore();
                }
            });
        });
    }
}
