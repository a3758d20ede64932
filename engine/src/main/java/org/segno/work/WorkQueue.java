package org.segno.work;

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
    private @Nullable Supplier<RuntimeException> failure;

    /**
     * True if there may be something to do: all that a pass without work looks at. Set after every posting, cleared before what was
     * posted is taken, so that nothing is overlooked. Written seldom: it stays in the cache of the thread that advances.
     */
    private volatile boolean pending;

    /** Any thread. Answers 0, or {@link Status#BACK_PRESSURED} if as many wait as there is room for. */
    public long post(Work work) {
        if (!posted.offer(work)) {
            return Status.BACK_PRESSURED;
        }
        pending = true;
        return 0;
    }

    /** Any thread: has the next {@link #run} throw this, once. */
    public synchronized void fail(Supplier<RuntimeException> reason) {
        failure = reason;
        pending = true;
    }

    /** True if {@link #run} may have something to do. */
    public boolean isPending() {
        return pending;
    }

    /**
     * The thread that advances: runs all that has been posted, and once more what answered AGAIN the last time, in the order of posting.
     *
     * @return pieces that have done something: those that answered zero or more
     */
    public int run() {
        pending = false;
        throwFailure();
        int ran = 0;
        try {
            final int repeated = againCount;
            final int fresh = Math.min(posted.size(), CAPACITY - againCount);
            againCount = 0;
            ran = runAgain(repeated);
            for (int i = 0; i < fresh; i++) {
                final Work work = posted.poll();
                if (work == null) {
                    // Its producer is about to publish it, and says so afterwards.
                    break;
                }
                ran += run(work);
            }
        } finally {
            if (againCount > 0 || !posted.isEmpty()) {
                pending = true;
            }
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

    private synchronized void throwFailure() {
        final Supplier<RuntimeException> reason = failure;
        failure = null;
        if (reason != null) {
            if (againCount > 0 || !posted.isEmpty()) {
                pending = true;
            }
            throw reason.get();
        }
    }
}
