package org.segno.engine.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.segno.operation.Work;
import org.segno.status.Status;

@Timeout(60)
class WorkQueueTest {
    private final WorkQueue queue = new WorkQueue(() -> false);
    private final List<String> ran = new ArrayList<>();

    @Test
    void shouldHaveNothingPendingBeforeAPostAndAfterARun() {
        assertThat(queue.isPending()).isFalse();

        queue.post(ranOnce("a"));

        assertThat(queue.isPending()).isTrue();
        assertThat(queue.run()).isEqualTo(1);
        assertThat(queue.isPending()).isFalse();
        assertThat(queue.run()).isZero();
    }

    @Test
    void shouldRerunWorkThatReturnsAgainBeforeWorkPostedLater() {
        final int[] left = {2};
        queue.post(() -> {
            ran.add("a");
            return left[0]-- > 0 ? Status.AGAIN : 0;
        });
        queue.post(ranOnce("b"));

        // Work that returns AGAIN does not count as done.
        assertThat(queue.run()).isEqualTo(1);
        queue.post(ranOnce("c"));
        assertThat(queue.isPending()).isTrue();
        assertThat(queue.run()).isEqualTo(1);
        assertThat(queue.run()).isEqualTo(1);

        assertThat(ran).containsExactly("a", "b", "a", "c", "a");
        assertThat(queue.isPending()).isFalse();
    }

    @Test
    void shouldLeaveWorkPostedMeanwhileToTheNextRun() {
        queue.post(() -> {
            queue.post(ranOnce("inner"));
            return 0;
        });

        queue.run();
        assertThat(ran).isEmpty();
        assertThat(queue.isPending()).isTrue();
        queue.run();
        assertThat(ran).containsExactly("inner");
    }

    @Test
    void shouldRunWorkPostedBeforeThatOfATaskInTheSameRunAndThatOfTheTaskInTheNext() {
        queue.post(() -> {
            ran.add("outer");
            queue.post(ranOnce("inner"));
            queue.post(ranOnce("second inner"));
            return 0;
        });
        queue.post(ranOnce("earlier"));

        assertThat(queue.run()).isEqualTo(2);
        assertThat(ran).containsExactly("outer", "earlier");
        assertThat(queue.run()).isEqualTo(2);
        assertThat(ran).containsExactly("outer", "earlier", "inner", "second inner");
    }

    @Test
    void shouldRunATaskThatPostsItselfOnceInEachRun() {
        final int[] runs = {0};
        final Work[] itself = new Work[1];
        itself[0] = () -> {
            runs[0]++;
            return queue.post(itself[0]);
        };
        queue.post(itself[0]);
        for (int run = 1; run <= 5; run++) {
            assertThat(queue.run()).isEqualTo(1);
            assertThat(runs[0]).isEqualTo(run);
        }
    }

    @Test
    void shouldReturnBackPressureWhenFullAndTakeMoreAfterARun() {
        for (int i = 0; i < WorkQueue.CAPACITY; i++) {
            assertThat(queue.post(ranOnce("x"))).isZero();
        }
        assertThat(queue.post(ranOnce("too many"))).isEqualTo(Status.BACK_PRESSURED);

        assertThat(queue.run()).isEqualTo(WorkQueue.CAPACITY);

        assertThat(queue.post(ranOnce("y"))).isZero();
        assertThat(ran).hasSize(WorkQueue.CAPACITY).doesNotContain("too many");
    }

    /** Posts work that never ends: the queue must not grow without bound. */
    @Test
    void shouldHoldTwiceItsCapacityAtMost() {
        final long[] runs = {0};
        int taken = 0;
        for (int pass = 0; pass < 5; pass++) {
            while (queue.post(() -> {
                        runs[0]++;
                        return Status.AGAIN;
                    })
                    == 0) {
                taken++;
            }
            queue.run();
        }

        assertThat(taken).isEqualTo(2 * WorkQueue.CAPACITY);
        assertThat(runs[0]).isEqualTo(5L * WorkQueue.CAPACITY);
    }

    @Test
    void shouldThrowTheExceptionOfWorkOnceAndKeepTheRestInOrder() {
        queue.post(() -> again("first"));
        queue.post(() -> {
            ran.add("bad");
            throw new IllegalStateException("bad work");
        });
        queue.post(ranOnce("last"));

        assertThatThrownBy(queue::run).hasMessage("bad work");
        assertThat(queue.isPending()).isTrue();
        queue.run();
        queue.run();

        assertThat(ran).containsExactly("first", "bad", "first", "last", "first");
    }

    @Test
    void shouldKeepWorkThatHasNotRerunWhenAnEarlierOneThrows() {
        final boolean[] bad = {false};
        queue.post(() -> {
            if (bad[0]) {
                throw new IllegalStateException("bad at last");
            }
            return again("a");
        });
        queue.post(() -> again("b"));
        queue.run();
        bad[0] = true;

        assertThatThrownBy(queue::run).hasMessage("bad at last");
        queue.run();

        assertThat(ran).containsExactly("a", "b", "b");
    }

    @Test
    void shouldThrowAFailureOnceAndRunWaitingWorkAfterwards() {
        queue.post(ranOnce("a"));
        queue.fail(() -> new IllegalStateException("elsewhere"));

        assertThatThrownBy(queue::run).hasMessage("elsewhere");
        assertThat(queue.isPending()).isTrue();
        queue.run();

        assertThat(ran).containsExactly("a");
    }

    @Test
    @SuppressWarnings("ThreadPriorityCheck") // Yields, because the other threads need the core.
    void shouldRunEachPieceOnceWhenSeveralThreadsPost() throws InterruptedException {
        final int threads = 4;
        final int each = 20_000;
        final AtomicIntegerArray runs = new AtomicIntegerArray(threads * each);
        final AtomicLong refused = new AtomicLong();
        final int[] next = new int[threads];
        final CountDownLatch done = new CountDownLatch(threads);
        for (int thread = 0; thread < threads; thread++) {
            final int self = thread;
            new Thread(() -> {
                        for (int i = 0; i < each; i++) {
                            final int number = i;
                            final boolean[] before = {false};
                            final Work work = () -> {
                                if (number % 10 == 0 && !before[0]) {
                                    before[0] = true;
                                    return Status.AGAIN;
                                }
                                if (number % 10 != 0 && next[self] > number) {
                                    throw new AssertionError(number + " of thread " + self + " after " + next[self]);
                                }
                                next[self] = Math.max(next[self], number);
                                runs.incrementAndGet(self * each + number);
                                return 0;
                            };
                            while (queue.post(work) == Status.BACK_PRESSURED) {
                                refused.incrementAndGet();
                                Thread.yield();
                            }
                        }
                        done.countDown();
                    })
                    .start();
        }
        // The queue runs only while work is pending, as in a context: an overlooked piece would stay.
        while (done.getCount() > 0 || queue.isPending()) {
            if (!queue.isPending() || queue.run() == 0) {
                Thread.yield();
            }
        }

        for (int i = 0; i < runs.length(); i++) {
            assertThat(runs.get(i)).as("piece %d", i).isEqualTo(1);
        }
    }

    private Work ranOnce(String name) {
        return () -> {
            ran.add(name);
            return 0;
        };
    }

    private long again(String name) {
        ran.add(name);
        return Status.AGAIN;
    }
}
