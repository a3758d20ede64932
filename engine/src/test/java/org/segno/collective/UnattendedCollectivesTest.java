package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Client;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.Deadline;

/**
 * Collectives of engines with threads of their own: once all members have started, no thread of the application makes
 * a call. The test observes the memory of the results, and {@link Collective#isComplete}, which does not advance.
 */
@OverMemoryAndLinks
@Timeout(120)
class UnattendedCollectivesTest {
    private static final int MOST_BYTES = 1 << 20;
    private static final int QUEUED_BYTES = 4096;
    private static final Reduction SUM = Reduction.of(ElementType.LONG, Operator.SUM);

    @TempDir
    Path directory;

    private static long deadline() {
        return InProcessJob.deadline();
    }

    /** Returns two members for engines with a thread each, and three for one thread. */
    private static int members(Threading threading) {
        return threading == Threading.SHARED ? 3 : 2;
    }

    /** Together of one job, and the points at which all their threads wait for each other. */
    private static final class Together {
        private final Window[] windows;
        private final CyclicBarrier all;

        Together(int count) {
            windows = new Window[count];
            all = new CyclicBarrier(count);
        }

        int count() {
            return windows.length;
        }

        void meet() throws Exception {
            all.await(60, TimeUnit.SECONDS);
        }

        /** Waits until all words of all windows have their values; calls nothing but reads of memory. */
        void observe(long bytes, LongUnaryOperator expected) {
            for (int member = 0; member < count(); member++) {
                for (long at = 0; at < bytes; at += Long.BYTES) {
                    final AtomicBuffer buffer = windows[member].buffer();
                    final int index = (int) at;
                    final long value = expected.applyAsLong(at);
                    until(() -> buffer.getLongVolatile(index) == value, "word " + at + " of member " + member);
                }
            }
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // Yields, because the engines need the core.
    private static void until(BooleanSupplier condition, String name) {
        final long deadlineNs = deadline();
        while (!condition.getAsBoolean()) {
            assertThat(Deadline.reached(deadlineNs))
                    .as("%s at the deadline", name)
                    .isFalse();
            Thread.yield();
        }
    }

    /** What one member does with a collective in place at the start of its window. */
    @FunctionalInterface
    private interface Start {
        void run(int self, Window window, Collective collective);
    }

    /**
     * Lets all members start a collective, and checks that it becomes complete everywhere without any further call.
     *
     * @param expected value of each word of all windows, by its offset
     */
    private void startAndObserve(Threading threading, Call call, Start start, LongUnaryOperator expected)
            throws Exception {
        final Together members = new Together(members(threading));
        final NodeConfig config = WorldMember.config().withThreading(threading).withWindowBytes(8 << 20);
        try (InProcessJob job = InProcessJob.join(directory, members.count(), config)) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Geometry world = Geometry.world(client, client.context(), "all", deadline());
                final Window window = client.window(MOST_BYTES);
                members.windows[rank] = window;
                final Collective collective = world.prepare(call.in(window, 0), deadline());
                start.run(rank, window, collective);
                members.meet();
                if (rank == 0) {
                    members.observe(call.lengths().length(0), expected);
                }
                members.meet();
                until(collective::isComplete, "end of the round at member " + rank);
                world.barrier(deadline());
                collective.close();
                world.close();
            });
        }
    }

    private static void fill(Window window, long bytes, LongUnaryOperator values) {
        for (long at = 0; at < bytes; at += Long.BYTES) {
            window.putLong(at, values.applyAsLong(at));
        }
    }

    @ParameterizedTest
    @CsvSource({"SHARED, 8", "SHARED, 100000", "DEDICATED, 8", "DEDICATED, 100000"})
    void shouldCompleteAStartedAllreduceWithoutTheApplication(Threading threading, long bytes) throws Exception {
        final long factor = LongStream.rangeClosed(1, members(threading)).sum();
        startAndObserve(
                threading,
                Call.allreduce(bytes, SUM),
                (self, window, collective) -> {
                    fill(window, bytes, at -> (self + 1) * (at + 1));
                    assertThat(collective.start()).isEqualTo(1);
                },
                at -> factor * (at + 1));
    }

    @ParameterizedTest
    @EnumSource(names = {"SHARED", "DEDICATED"})
    void shouldCompleteALongBroadcastWithoutTheApplication(Threading threading) throws Exception {
        final int root = 1;
        startAndObserve(
                threading,
                Call.broadcast(root, MOST_BYTES),
                (self, window, collective) -> {
                    fill(window, MOST_BYTES, at -> self == root ? at + 7 : 0);
                    assertThat(collective.start()).isEqualTo(1);
                },
                at -> at + 7);
    }

    /** The result of the first round, in its place, is the contribution to the second one. */
    @ParameterizedTest
    @EnumSource(names = {"SHARED", "DEDICATED"})
    void shouldBeginAndCompleteAQueuedRoundWithoutTheApplication(Threading threading) throws Exception {
        final long factor = LongStream.rangeClosed(1, members(threading)).sum() * members(threading);
        startAndObserve(
                threading,
                Call.allreduce(QUEUED_BYTES, SUM),
                (self, window, collective) -> {
                    fill(window, QUEUED_BYTES, at -> (self + 1) * (at + 1));
                    assertThat(collective.queue()).isEqualTo(1);
                    assertThat(collective.queue()).isEqualTo(2);
                },
                at -> factor * (at + 1));
    }
}
