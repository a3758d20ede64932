package org.segno.context;

import org.jspecify.annotations.Nullable;
import org.segno.engine.work.Pass;
import org.segno.engine.work.ThreadRule;
import org.segno.engine.work.WorkQueue;

/**
 * Passes of a context: posted work, under INVOKER the engine, then the lanes. Used by the thread that holds the
 * context, except for {@link #isFreeFor}.
 */
final class PassRunner implements Progress {
    /** Limit of records taken from each lane in one pass, unless a limit is given. */
    static final int RECORD_LIMIT = 256;

    private final String context;
    private final @Nullable Pass engine;
    private final ThreadRule threads;
    private final SinkSelector sinks;
    private final FifoSet fifos;
    private final Reception reception;
    private final WorkQueue work = new WorkQueue();
    private volatile @Nullable Thread user;
    private @Nullable DeathWatch deaths;

    /**
     * Creates the passes of a context.
     *
     * @param context its name, for messages
     * @param engine pass of the engine that the application's threads run, or null
     */
    PassRunner(
            String context,
            @Nullable Pass engine,
            ThreadRule threads,
            SinkSelector sinks,
            FifoSet fifos,
            Reception reception) {
        this.context = context;
        this.engine = engine;
        this.threads = threads;
        this.sinks = sinks;
        this.fifos = fifos;
        this.reception = reception;
    }

    @Override
    public int pass() {
        return pass(RECORD_LIMIT);
    }

    int pass(int limit) {
        assert threads.enters();
        if (sinks.isInWork() || sinks.isInHandler()) {
            throw new IllegalStateException(
                    "a handler or posted work cannot advance its context, because it runs within advance");
        }
        usedBy(Thread.currentThread());
        try {
            // Descriptors that posted work injects would become part of the recording.
            int done = work.isPending() && !sinks.isRecording() ? runWork() : 0;
            if (deaths != null && deaths.isPending() && !sinks.isRecording()) {
                done += reportDeath(deaths);
            }
            if (engine != null) {
                done += engine.run();
            }
            sinks.enterHandlers();
            return done + reception.poll(limit);
        } finally {
            sinks.leaveHandlers();
            assert threads.leaves();
        }
    }

    private int runWork() {
        // The flag does not lie here: this object may share a line with the queue, which posting threads read.
        sinks.enterWork();
        try {
            return work.run();
        } finally {
            sinks.leaveWork();
        }
    }

    private int reportDeath(DeathWatch watch) {
        sinks.enterWork();
        try {
            return watch.poll();
        } finally {
            sinks.leaveWork();
        }
    }

    /** Sets the watch that reports deaths to the application, which replaces an earlier one. */
    void deaths(DeathWatch watch) {
        deaths = watch;
    }

    @Override
    public void rest() {
        if (engine != null) {
            engine.rest();
        }
    }

    /** Returns true if the application's threads run the engine. */
    boolean isInvoked() {
        return engine != null;
    }

    @Override
    public boolean isDrained() {
        return fifos.isDrained();
    }

    @Override
    public @Nullable String closedReason() {
        return sinks.closedReason();
    }

    @Override
    public @Nullable String quarantined() {
        return fifos.quarantined();
    }

    @Override
    public String pending() {
        return fifos.pending();
    }

    /** Returns the queue of posted work, to which any thread may post. */
    WorkQueue work() {
        return work;
    }

    /** Records the thread that advances, and thereby holds, the context. */
    private void usedBy(Thread thread) {
        if (user != thread) {
            user = thread;
        }
    }

    /** Returns true unless another living thread was the last to advance this context. Any thread. */
    boolean isFreeFor(Thread thread) {
        final Thread last = user;
        return last == null || last.equals(thread) || !last.isAlive();
    }

    /** Returns the pass of a progress thread, which ends with the context. */
    Pass untilClosed() {
        return new Pass() {
            @Override
            public int run() {
                return closedReason() == null ? pass() : -1;
            }

            @Override
            public void rest() {
                PassRunner.this.rest();
            }
        };
    }

    @Override
    public String toString() {
        return context;
    }
}
