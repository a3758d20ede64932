package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.segno.context.Context;
import org.segno.context.ProgressThread;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.ThreadLevel;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.Status;

/** Contexts of several threads: posted work, thread levels, locks, and progress threads. */
@Timeout(120)
@OverMemoryAndLinks
class SharedContextTest {
    private static final int ID = 4;

    @TempDir
    Path parent;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);

    private InProcessJob join(int size, ThreadLevel level) {
        return InProcessJob.join(
                parent, size, SmallNodes.config(Threading.INVOKER, size).withThreadLevel(level));
    }

    @Test
    void shouldRunPostedWorkOnTheThreadThatAdvancesAndLetItInject() {
        try (InProcessJob job = join(2, ThreadLevel.SERIALIZED)) {
            final Context context = job.context(0);
            final long[] received = {0};
            job.context(1).handler(ID, (source, buffer, m, ml, p, pl) -> received[0]++);
            final Thread self = Thread.currentThread();
            final int[] left = {100};

            onThread(() -> context.post(() -> {
                assertThat(Thread.currentThread()).isSameAs(self);
                while (left[0] > 0 && context.sendImmediate(1, ID, bytes, 0, 8) >= 0) {
                    left[0]--;
                }
                return left[0] > 0 ? Status.AGAIN : 0;
            }));
            assertThat(left[0]).isEqualTo(100);
            job.advanceUntil(() -> received[0] >= 100);

            assertThat(left[0]).isZero();
            assertThat(received[0]).isEqualTo(100);
        }
    }

    @Test
    void shouldRunPostedWorkWithinAWait() {
        try (InProcessJob job = join(1, ThreadLevel.SERIALIZED)) {
            final boolean[] ran = {false};
            job.context(0).post(() -> {
                ran[0] = true;
                return 0;
            });

            job.context(0).await(() -> ran[0], InProcessJob.deadline());
        }
    }

    @Test
    void shouldRefuseToAdvanceAndToWaitWithinPostedWork() {
        try (InProcessJob job = join(1, ThreadLevel.SERIALIZED)) {
            final Context context = job.context(0);
            context.post(context::advance);
            assertThatThrownBy(context::advance)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("posted work cannot advance");
            context.post(() -> {
                context.await(() -> true, InProcessJob.deadline());
                return 0;
            });
            assertThatThrownBy(context::advance).hasMessageContaining("posted work cannot advance");

            assertThat(context.advance()).isZero();
        }
    }

    @Test
    void shouldRefuseToStartAProgressThreadWithinAPass() {
        try (InProcessJob job = join(1, ThreadLevel.SERIALIZED)) {
            final Context context = job.context(0);
            context.handler(1, (source, buffer, m, ml, p, pl) -> context.progress());
            context.sendImmediate(0, 1, new UnsafeBuffer(new byte[8]), 0, 8);
            assertThatThrownBy(() -> job.advanceUntil(() -> false))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("a handler or posted work cannot advance its context");
            context.post(() -> {
                context.progress();
                return 0;
            });
            assertThatThrownBy(context::advance).hasMessageContaining("a handler or posted work");

            assertThat(context.advance()).isZero();
        }
    }

    @Test
    void shouldTakeNoWorkOnceTheNodeIsClosed() {
        try (InProcessJob job = join(1, ThreadLevel.SERIALIZED)) {
            job.node(0).close();

            assertThatThrownBy(() -> job.context(0).post(() -> 0)).isInstanceOf(ClosedException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(
            names = {"SINGLE", "FUNNELED"},
            mode = Mode.INCLUDE)
    void shouldFindThreadsThatMayNotUseAContext(ThreadLevel level) {
        try (InProcessJob job = join(1, level)) {
            final Context context = job.context(0);
            context.handler(ID, (source, buffer, m, ml, p, pl) -> {});
            context.sendImmediate(0, ID, bytes, 0, 8);
            context.advance();
            context.post(() -> 0);

            assertThatThrownBy(() -> onThread(context::advance))
                    .hasRootCauseInstanceOf(AssertionError.class)
                    .rootCause()
                    .hasMessageContaining("context 0 of rank 0")
                    .hasMessageContaining("ThreadLevel." + level)
                    .hasMessageContaining("withThreadLevel");
            assertThatThrownBy(() -> onThread(() -> context.sendImmediate(0, ID, bytes, 0, 8)))
                    .hasRootCauseInstanceOf(AssertionError.class);
            if (level == ThreadLevel.SINGLE) {
                assertThatThrownBy(() -> onThread(() -> context.post(() -> 0)))
                        .hasRootCauseInstanceOf(AssertionError.class);
            } else {
                onThread(() -> context.post(() -> 0));
            }
            assertThatThrownBy(context::progress)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("ThreadLevel." + level);
        }
    }

    @Test
    void shouldFindASecondThreadWhileAnotherAdvancesUnderSerialized() {
        try (InProcessJob job = join(1, ThreadLevel.SERIALIZED)) {
            final Context context = job.context(0);
            context.handler(ID, (source, buffer, m, ml, p, pl) -> {
                assertThatThrownBy(() -> onThread(context::advance))
                        .rootCause()
                        .isInstanceOf(AssertionError.class)
                        .hasMessageContaining("lets one thread in at a time");
                assertThatThrownBy(() -> onThread(() -> context.sendImmediate(0, ID, bytes, 0, 8)))
                        .hasRootCauseInstanceOf(AssertionError.class);
            });
            context.sendImmediate(0, ID, bytes, 0, 8);

            assertThat(context.advance() + context.advance()).isPositive();

            // Sends of one thread after the other are allowed.
            onThread(() -> context.sendImmediate(0, ID + 1, bytes, 0, 8));
            onThread(context::advance);
            context.advance();
        }
    }

    @Test
    void shouldDemandTheLockUnderMultiple() {
        try (InProcessJob job = join(1, ThreadLevel.MULTIPLE)) {
            final Context context = job.context(0);
            assertThatThrownBy(context::advance)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("without its lock")
                    .hasMessageContaining("no thread holds it");
            context.lock();
            context.advance();
            assertThat(resultOf(context::tryLock)).isFalse();
            assertThatThrownBy(() -> onThread(context::advance))
                    .rootCause()
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining(Thread.currentThread().getName() + " holds it");
            context.unlock();
            assertThat(resultOf(context::tryLock)).isTrue();
        }
    }

    @Test
    void shouldNameTheHolderWhenAnotherThreadUnlocksAContext() {
        try (InProcessJob job = join(1, ThreadLevel.SERIALIZED)) {
            final Context context = job.context(0);
            assertThatThrownBy(context::unlock)
                    .isInstanceOf(IllegalMonitorStateException.class)
                    .hasMessageContaining("context 0 of rank 0")
                    .hasMessageContaining("no thread holds it");
            context.lock();
            assertThatThrownBy(() -> onThread(context::unlock))
                    .rootCause()
                    .isInstanceOf(IllegalMonitorStateException.class)
                    .hasMessageContaining(Thread.currentThread().getName() + " holds it");
            context.unlock();
        }
    }

    /** Sends from locking threads to each other's context while progress threads advance both. */
    @Test
    @SuppressWarnings("ThreadPriorityCheck") // Yields, because the other threads need the core.
    void shouldDeliverMessagesOfSeveralThreadsUnderMultipleWithoutAnyOfThemAdvancing() {
        final int threads = 3;
        final int count = 3000;
        try (InProcessJob job = join(2, ThreadLevel.MULTIPLE)) {
            final AtomicLong received = new AtomicLong();
            for (int rank = 0; rank < 2; rank++) {
                final Context context = job.context(rank);
                context.handler(ID, (source, buffer, m, ml, p, pl) -> received.incrementAndGet());
            }
            final ProgressThread first = job.context(0).progress();
            final ProgressThread second = job.context(1).progress(YieldingIdleStrategy::new);
            final CompletableFuture<?>[] senders = new CompletableFuture<?>[threads];
            for (int thread = 0; thread < threads; thread++) {
                senders[thread] = CompletableFuture.runAsync(() -> {
                    final Context context = job.context(0);
                    for (int i = 0; i < count; i++) {
                        long result = Status.BACK_PRESSURED;
                        while (result < 0) {
                            context.lock();
                            try {
                                result = context.sendImmediate(1, ID, bytes, 0, 8);
                            } finally {
                                context.unlock();
                            }
                            if (result < 0) {
                                Thread.yield();
                            }
                        }
                    }
                });
            }
            until(() -> received.get() == (long) threads * count);
            CompletableFuture.allOf(senders).join();
            assertThat(first).hasToString("segno-progress-0-0");
            assertThatThrownBy(() -> job.context(0).progress())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("segno-progress-0-0");
            first.close();
            second.close();
            job.context(0).progress().close();
        }
        assertNoProgressThreads();
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldRunPostedWorkWithoutTheApplicationAdvancing(Threading threading) throws InterruptedException {
        try (InProcessJob job = InProcessJob.join(parent, 1, SmallNodes.config(threading, 1))) {
            final CountDownLatch ran = new CountDownLatch(100);
            job.context(0).progress();
            for (int i = 0; i < 100; i++) {
                job.context(0).post(() -> {
                    ran.countDown();
                    return 0;
                });
            }
            assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        }
        assertNoProgressThreads();
    }

    @Test
    void shouldReportTheEndOfTheAdvancingThreadToTheNextCaller() {
        try (InProcessJob job = join(1, ThreadLevel.SERIALIZED)) {
            final Context context = job.context(0);
            final ProgressThread progress = context.progress();
            context.post(() -> {
                throw new IllegalArgumentException("bad work");
            });
            until(() -> !progress.isRunning());

            assertThatThrownBy(context::advance)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("segno-progress-0-0")
                    .hasMessageContaining("context 0 of rank 0")
                    .hasMessageContaining("bad work")
                    .hasCauseInstanceOf(IllegalArgumentException.class);

            context.advance();
            context.progress().close();
        }
    }

    @Test
    void shouldEndTheThreadThatAdvancesWhenTheNodeIsClosedThoughItsContextIsLocked() {
        try (InProcessJob job = join(1, ThreadLevel.MULTIPLE)) {
            final ProgressThread progress = job.context(0).progress();
            job.context(0).lock();

            job.node(0).close();

            assertThat(progress.isRunning()).isFalse();
            assertThatThrownBy(() -> job.context(0).progress()).isInstanceOf(ClosedException.class);
        }
        assertNoProgressThreads();
    }

    private static void assertNoProgressThreads() {
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("segno-progress-"));
    }

    @SuppressWarnings("ThreadPriorityCheck") // Yields, because the other threads need the core.
    private static void until(BooleanSupplier condition) {
        final long deadlineNs = Deadline.in(30, TimeUnit.SECONDS);
        while (!condition.getAsBoolean()) {
            assertThat(Deadline.reached(deadlineNs)).as("time is up").isFalse();
            Thread.yield();
        }
    }

    private static void onThread(Runnable work) {
        resultOf(() -> {
            work.run();
            return true;
        });
    }

    /** Runs it on its own thread, and returns its result. */
    private static boolean resultOf(BooleanSupplier work) {
        final CompletableFuture<Boolean> result = new CompletableFuture<>();
        final Thread thread = new Thread(() -> {
            try {
                result.complete(work.getAsBoolean());
            } catch (Throwable thrown) {
                result.completeExceptionally(thrown);
            }
        });
        thread.start();
        try {
            return result.get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
