package org.segno.engine.work;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.BooleanSupplier;
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

    /**
     * State of the thread that runs work, in an object of its own: {@link #run} changes it in each pass, and threads
     * that post read the fields of the queue.
     */
    private static final class Turn {
        private int againCount;

        /** Number of posted tasks that may still run in this pass. */
        private int left;
    }

    private final ManyToOneConcurrentArrayQueue<Work> posted = new ManyToOneConcurrentArrayQueue<>(CAPACITY);
    private final @Nullable Work[] again = new Work[CAPACITY];
    private final Turn turn = new Turn();

    /** Last thread that ran work. A data race: a thread finds itself here only if it has stored itself. */
    private @Nullable Thread runner;

    private volatile @Nullable Supplier<RuntimeException> failure;
    private volatile boolean isUsed;
    private final BooleanSupplier isHalted;

    /** Creates the queue; while {@code isHalted} returns true, which a task may cause, no other task begins. */
    public WorkQueue(BooleanSupplier isHalted) {
        this.isHalted = isHalted;
    }

    /** Posts work. Returns 0, or {@link Status#BACK_PRESSURED} if the queue is full. Called by any thread. */
    public long post(Work work) {
        if (!isUsed) {
            isUsed = true;
        }
        if (Thread.currentThread() == runner && turn.left > 0) {
            // Work that a task posts to its own context runs in a later pass, after all that is posted now.
            turn.left = Math.min(turn.left, posted.size());
        }
        return posted.offer(work) ? 0 : Status.BACK_PRESSURED;
    }

    /** Returns true once work was posted. Called by any thread. */
    public boolean isUsed() {
        return isUsed;
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
        return turn.againCount > 0 || posted.peek() != null || failure != null;
    }

    /**
     * Runs all posted work, and once more the work that returned AGAIN the last time, in the order of posting, unless
     * tasks are halted. Called by the thread that advances.
     *
     * @return the number of tasks that made progress, which returned zero or more
     */
    public int run() {
        throwFailure();
        if (runner != Thread.currentThread()) {
            runner = Thread.currentThread();
        }
        final int repeated = turn.againCount;
        turn.againCount = 0;
        // Not the number of posted tasks: reading it would take a line from the threads that post, in every pass.
        turn.left = CAPACITY - repeated;
        int ran = runAgain(repeated);
        while (turn.left > 0 && !isHalted.getAsBoolean()) {
            final Work work = posted.poll();
            if (work == null) {
                // No more work, or its producer is about to publish it.
                break;
            }
            turn.left--;
            ran += run(work);
        }
        turn.left = 0;
        return ran;
    }

    /** Runs the first {@code count} tasks again. If one throws, the remaining ones keep their places. */
    private int runAgain(int count) {
        int next = 0;
        int ran = 0;
        try {
            while (next < count && !isHalted.getAsBoolean()) {
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
                again[turn.againCount++] = left;
            }
        }
        return ran;
    }

    private int run(Work work) {
        final long status = work.run();
        if (status == Status.AGAIN) {
            again[turn.againCount++] = work;
        }
        return Status.isProgress(status) ? 1 : 0;
    }

    /**
     * Removes all tasks that have not run or would run again, and returns their number. Called when no thread runs
     * tasks any more.
     */
    public int discard() {
        int discarded = turn.againCount;
        Arrays.fill(again, 0, turn.againCount, null);
        turn.againCount = 0;
        while (posted.poll() != null) {
            discarded++;
        }
        return discarded;
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
