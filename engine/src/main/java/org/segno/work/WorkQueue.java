package org.segno.work;

import java.util.Objects;
import java.util.function.Supplier;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;
import org.segno.status.Status;

/**
 * Work posted to a context: by any thread, run by the one that advances. Bounded: what answers AGAIN keeps its place, so that no more
 * than twice the capacity is ever held.
 */
public final class WorkQueue {
    /** Posted and not taken yet; as many more may be running again and again. */
    public static final int CAPACITY = 1024;

    private final ManyToOneConcurrentArrayQueue<Work> posted = new ManyToOneConcurrentArrayQueue<>(CAPACITY);
    private final @Nullable Work[] again = new Work[CAPACITY];
    private int againCount;
    private volatile @Nullable Supplier<RuntimeException> failure;

    /** Any thread. Answers 0, or {@link Status#BACK_PRESSURED} if as many wait as there is room for. */
    public long post(Work work) {
        return posted.offer(work) ? 0 : Status.BACK_PRESSURED;
    }

    /** Any thread: has the next {@link #run} throw this, once. */
    public synchronized void fail(Supplier<RuntimeException> reason) {
        failure = reason;
    }

    /**
     * The thread that advances: true if {@link #run} may have something to do. Looks at the place where what is posted next will stand,
     * which stays in the cache until it does.
     */
    public boolean isPending() {
        return againCount > 0 || posted.peek() != null || failure != null;
    }

    /**
     * The thread that advances: runs all that has been posted, and once more what answered AGAIN the last time, in the order of posting.
     *
     * @return pieces that have done something: those that answered zero or more
     */
    public int run() {
        throwFailure();
        final int repeated = againCount;
        // What posts more to its own context has that run in a later pass.
        final int fresh = Math.min(posted.size(), CAPACITY - againCount);
        againCount = 0;
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

    /** Runs the first {@code count} again; what is left over when one throws keeps its place. */
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
        final long answer = work.run();
        if (answer == Status.AGAIN) {
            again[againCount++] = work;
        }
        return Status.isProgress(answer) ? 1 : 0;
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
