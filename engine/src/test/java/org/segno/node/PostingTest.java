package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.context.Context;
import org.segno.engine.work.WorkQueue;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Work;
import org.segno.status.Status;

/**
 * Work that many threads post to one context and that sends through it. They post faster than it can run and than the
 * peer's lane can receive.
 */
@Timeout(120)
@OverMemoryAndLinks
class PostingTest {
    private static final int THREADS = 6;
    private static final int EACH = 500;
    private static final int ID = 4;

    @TempDir
    Path parent;

    @ParameterizedTest
    @CsvSource({"INVOKER", "DEDICATED"})
    void shouldRunWorkOfManyThreadsOnceAndHoldNoMoreThanItsCapacity(Threading threading) throws InterruptedException {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(threading, 2))) {
            final Context context = job.context(0);
            final int[] times = new int[THREADS * EACH];
            final long[] received = new long[1];
            job.context(1).handler(ID, (source, buffer, m, ml, p, pl) -> {
                times[buffer.getInt(p)]++;
                received[0]++;
            });
            final AtomicLong refused = new AtomicLong();
            final AtomicInteger held = new AtomicInteger();
            final AtomicInteger most = new AtomicInteger();
            final long[] again = new long[1];
            final Thread[] threads = new Thread[THREADS];
            for (int thread = 0; thread < THREADS; thread++) {
                final int self = thread;
                threads[thread] = new Thread(() -> {
                    for (int number = 0; number < EACH; number++) {
                        final Work work = send(context, self * EACH + number, again, held);
                        // Counted before it is posted, for it may be over at once: each thread counts one too many at
                        // most.
                        most.accumulateAndGet(held.incrementAndGet(), Math::max);
                        while (context.post(work) == Status.BACK_PRESSURED) {
                            refused.incrementAndGet();
                            Thread.onSpinWait();
                        }
                    }
                });
                threads[thread].start();
            }
            // Nothing runs before the queue is full.
            while (refused.get() < THREADS) {
                Thread.onSpinWait();
            }
            while (received[0] < (long) THREADS * EACH) {
                YieldingIdleStrategy.INSTANCE.idle(
                        context.advance() + job.context(1).advance());
            }
            for (final Thread thread : threads) {
                thread.join();
            }

            assertThat(held.get()).isZero();
            assertThat(most.get())
                    .isGreaterThanOrEqualTo(WorkQueue.CAPACITY)
                    .isLessThanOrEqualTo(2 * WorkQueue.CAPACITY + THREADS);
            assertThat(again[0]).as("pieces that had to be run again").isPositive();
            job.settle();
            assertThat(times).containsOnly(1);
        }
    }

    /** Returns work that sends one message, and runs again while the FIFO is full. */
    private static Work send(Context context, int number, long[] again, AtomicInteger held) {
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[Integer.BYTES]);
        bytes.putInt(0, number);
        return () -> {
            if (context.sendImmediate(1, ID, bytes, 0, bytes.capacity()) == Status.BACK_PRESSURED) {
                again[0]++;
                return Status.AGAIN;
            }
            held.decrementAndGet();
            return 0;
        };
    }
}
