package org.segno.engine.work;

import java.util.Objects;
import java.util.function.Supplier;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;
import org.segno.operation.Work;
import org.segno.status.Status;

/**
 * Queue of the work posted to a context by any thread, which the thread that advances runs. It is bounded: work that
 * returns AGAIN keeps its place, so that the queue never holds more than twice its capacity.
 */
public final class WorkQueue {
    /** Maximum number of posted tasks that have not run yet. The same number may be repeating. */
    public static final int CAPACITY = 1024;

    private final ManyToOneConcurrentArrayQueue<Work> posted = new ManyToOneConcurrentArrayQueue<>(CAPACITY);
    private final @Nullable Work[] again = new Work[CAPACITY];
    private int againCount;
    private volatile @Nullable Supplier<RuntimeException> failure;

    /** Posts work. Returns 0, or {@link Status#BACK_PRESSURED} if the queue is full. Called by any thread. */
    public long post(Work work) {
        return posted.offer(work) ? 0 : Status.BACK_PRESSURED;
    }

    /** Makes the next {@link #run} throw this exception, once. Called by any thread. */
    public synchronized void fail(Supplier<RuntimeException> reason) {
        failure = reason;
    }

    /**
     * Returns true if {@link #run} may have work. It reads the place of the next posted task, which stays in the cache
     * until then. Called by the thread that advances.
     */
    public boolean isPending() {
        return againCount > 0 || posted.peek() != null || failure != null;
    }

    /**
     * Runs all posted work, and once more the work that returned AGAIN the last time, in the order of posting. Called
     * by the thread that advances.
     *
     * @return the number of tasks that made progress, which returned zero or more
     */
    public int run() {
        throwFailure();
        final int repeated = againCount;
        // Work that a task posts to its own context runs in a later pass.
        final int fresh = Math.min(posted.size(), CAPACITY - againCount);
        if (repeated != 0) {
            // Otherwise not stored: threads that post read this line.
            againCount = 0;
        }
        int ran = runAgain(repeated);
        for (int i = 0; i < fresh; i++) {
            final Work work = posted.poll();
            if (work == null) {
                // Its producer is about to publish it.
                break;
            }
            ran += run(work);
        }
        return ran;
    }

    /** Runs the first {@code count} tasks again. If one throws, the remaining ones keep their places. */
    private int runAgain(int count) {
        int next = 0;
        int ran = 0;
        try {
            while (next < count) {
                final Work work = again[next];
                again[next++] = null;
                if (work != null) {
                    ran += run(work);
                }
            }
        } finally {
            while (next < count) {
                final Work left = again[next];
                again[next++] = null;
                again[againCount++] = left;
            }
        }
        return ran;
    }

    private int run(Work work) {
        final long status = work.run();
        if (status == Status.AGAIN) {
            again[againCount++] = work;
        }
        return Status.isProgress(status) ? 1 : 0;
    }

    private void throwFailure() {
        if (failure != null) {
            throw taken().get();
        }
    }

    private synchronized Supplier<RuntimeException> taken() {
        final Supplier<RuntimeException> reason = Objects.requireNonNull(failure);
        failure = null;
        return reason;
    }
}
