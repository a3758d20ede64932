package org.segno.context;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.DirectExecution;
import org.segno.engine.fifo.Exclusion;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.work.Pass;
import org.segno.engine.work.ThreadRule;
import org.segno.engine.work.WorkQueue;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternBuffer;

/**
 * Passes of a context: posted work, under INVOKER the engine, then the lanes. Used by the thread that holds the
 * context, except for {@link #isFreeFor}.
 */
final class PassRunner implements Progress {
    /** Limit of records taken from each lane in one pass, unless a limit is given. */
    static final int RECORD_LIMIT = 256;

    /** Number of awaited rounds among which one needs a pass; a power of two. */
    private static final int DIRECT_RUNS = 16;

    private final String context;
    private final @Nullable Pass engine;
    private final @Nullable DirectExecution direct;
    private final ThreadRule threads;
    private final SinkSelector sinks;
    private final FifoSet fifos;
    private final Reception reception;
    private final WorkQueue work;
    private Supplier<String> unfinished = () -> "";
    private Supplier<String> openLoans = () -> "";
    private Supplier<List<Context>> contexts = List::of;
    private volatile @Nullable Thread user;

    /** True within a pass, for the thread that makes it. */
    private boolean inside;

    /** Number of awaited rounds that the engine may have executed at once. */
    private int runs;

    /** Reason for which there are no more passes, because the client of the context was closed. */
    private volatile @Nullable String ended;

    private @Nullable DeathWatch deaths;

    /** True if the round that was begun last stands at a WAIT, and nothing has waited since. */
    private boolean standsAtWait;

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
        this.direct = engine == null ? null : engine.direct();
        this.threads = threads;
        this.sinks = sinks;
        this.work = new WorkQueue(sinks::isRecording);
        this.fifos = fifos;
        this.reception = reception;
        sinks.onRefusal(this::left);
    }

    @Override
    public int pass() {
        return pass(RECORD_LIMIT);
    }

    int pass(int limit) {
        requireNotEnded();
        assert threads.enters();
        requireOutsidePass();
        try {
            usedBy(Thread.currentThread());
            inside = true;
            int done = work.isPending() || deaths != null ? runPending() : 0;
            if (engine != null) {
                done += engine.run();
            }
            sinks.enterHandlers();
            return done + reception.poll(limit);
        } finally {
            inside = false;
            sinks.leaveHandlers();
            assert threads.leaves();
        }
    }

    /**
     * Starts the next round of a pattern, for a caller that awaits it. It needs no pass if the engine executes it at
     * once. Every {@link #DIRECT_RUNS}th round does, because a pass reads the lanes, too.
     *
     * @return as {@link PatternBuffer#replay}
     */
    long begin(PatternBuffer patterns, Pattern pattern) {
        final DirectExecution execution = direct;
        standsAtWait = false;
        if (execution == null || hasPending() || ++runs % DIRECT_RUNS == 0) {
            return patterns.replay(pattern, pattern.generation() + 1);
        }
        requireNotEnded();
        assert threads.enters();
        try {
            usedBy(Thread.currentThread());
            inside = true;
            final long round = patterns.run(pattern, execution);
            standsAtWait = round > 0 && execution.isHeld();
            return round;
        } finally {
            inside = false;
            assert threads.leaves();
        }
    }

    /**
     * Sets whether waits pause before their first pass if the round that they are for stands at a WAIT. Not for a node
     * with links: a round that it has begun sends its packets in that pass.
     */
    void shareCore(boolean isShared) {
        if (isShared && direct != null) {
            direct.shareCore();
        }
    }

    @Override
    public boolean isPauseDue() {
        final boolean isDue = standsAtWait;
        standsAtWait = false;
        return isDue;
    }

    @Override
    public void requireOutsidePass() {
        try {
            sinks.requireOutsidePass();
        } catch (final IllegalStateException within) {
            // The pass in progress is one of this thread, which leaves at its end. Within a batch there is none.
            assert inside || threads.leaves();
            throw within;
        }
    }

    /**
     * Ends passes: a pass in progress is the last one. {@link #isLeft} tests whether it is over. Any thread.
     */
    void end(String reason) {
        ended = reason;
    }

    /**
     * Checks that the client of the context is open; no pass begins afterwards.
     *
     * @throws org.segno.status.ClosedException with the reason of its end
     */
    void requireNotEnded() {
        final String reason = ended;
        if (reason != null) {
            left();
            throw SinkSelector.closed(reason);
        }
    }

    /**
     * Records that the calling thread uses the context no more. Called on each refusal of a closed context, so that the
     * closing of its client need not wait for the end of the thread.
     */
    private void left() {
        if (!inside && Thread.currentThread().equals(user)) {
            user = null;
        }
    }

    /**
     * Returns true once no pass is in progress and none can follow. After {@link #end}, by the thread that closes the
     * client, which makes no pass now. Afterwards the caller may do what only one thread may do.
     */
    boolean isLeft() {
        if (!isFreeFor(Thread.currentThread())) {
            return false;
        }
        forgetUser();
        return true;
    }

    /** Returns the rule of the threads that use the context. */
    ThreadRule threads() {
        return threads;
    }

    /** Forgets the thread that used the context last, because none is within a pass and none can follow. */
    void forgetUser() {
        user = null;
    }

    /** Describes the thread that used the context last. For messages. */
    String user() {
        final Thread last = user;
        return last == null ? "no thread" : last.getName();
    }

    /** Returns true if the calling thread is within a pass of this context. */
    boolean isInPass() {
        return Thread.currentThread().equals(user) && inside;
    }

    /** Runs posted work once. Called by the thread that holds the context, or after {@link #isLeft}. */
    void runPosted() {
        if (work.isPending() && !sinks.isRecording()) {
            runWork();
        }
    }

    /** Makes one pass of the engine, if the application's threads run it, and lets it rest. After {@link #isLeft}. */
    void runEngineAndRest() {
        if (engine != null) {
            engine.run();
            engine.rest();
        }
    }

    private boolean hasPending() {
        return work.isPending() || (deaths != null && deaths.isPending());
    }

    /** Runs posted work and reports deaths. Descriptors that they inject would become part of a recording. */
    private int runPending() {
        if (sinks.isRecording()) {
            return 0;
        }
        int done = work.isPending() ? runWork() : 0;
        if (deaths != null && deaths.isPending() && !sinks.isRecording()) {
            done += reportDeath(deaths);
        }
        return done;
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

    @Override
    public boolean isBlocked() {
        return work.isPending() || (engine != null && engine.isBlocked());
    }

    /** Registers the description of what a close of the node abandons in this context. */
    void onClosing(Supplier<String> description) {
        unfinished = description;
    }

    /** Describes what a close of the node abandons in this context; empty for nothing. */
    String unfinished() {
        return unfinished.get();
    }

    /** Sets the supplier of all contexts of the node, this one included. */
    void among(Supplier<List<Context>> all) {
        contexts = all;
    }

    /** Registers the description of open loans, which continues that of pending descriptors. */
    void onPending(Supplier<String> description) {
        openLoans = description;
    }

    /** Runs one pass of the engine, and no handler, if the application's threads run the engine. */
    void runEngine() {
        if (engine != null) {
            engine.run();
        }
    }

    /**
     * Returns the producer of the lane into a context of a rank, if this thread runs the engine that writes it.
     * Otherwise returns null.
     */
    @Nullable
    ReceptionFifoProducer lane(int rank, int context) {
        return engine == null ? null : engine.lane(rank, context);
    }

    /** Returns what excludes other threads from the engine while this one writes to a lane. */
    Exclusion exclusion() {
        return engine == null ? Exclusion.NONE : engine.exclusion();
    }

    /** Returns the direct execution of descriptors, or null if only passes execute them. */
    @Nullable
    DirectExecution direct() {
        return direct;
    }

    /** Wakes the waiter of a context of a rank if it is parked. */
    void arrived(int rank, int context) {
        if (engine != null) {
            engine.arrived(rank, context);
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
    public boolean isHeldBy(IntPredicate lost) {
        return fifos.isHeldBy(lost);
    }

    @Override
    public boolean hasOthers() {
        return contexts.get().size() > 1;
    }

    @Override
    public boolean areOthersAtWork() {
        final List<Context> all = contexts.get();
        for (int i = 0; i < all.size(); i++) {
            final PassRunner other = all.get(i).passes();
            if (other != this && other.fifos.isAtWork()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public @Nullable String closedReason() {
        return sinks.closedReason();
    }

    @Override
    public @Nullable String endedReason() {
        final String reason = ended;
        if (reason != null) {
            left();
        }
        return reason;
    }

    @Override
    public @Nullable String quarantined() {
        return fifos.quarantined();
    }

    @Override
    public String pending() {
        return fifos.pending() + openLoans.get();
    }

    /** Returns the queue of posted work, to which any thread may post. */
    WorkQueue work() {
        return work;
    }

    /** Records the thread that advances, and thereby holds, the context. */
    private void usedBy(Thread thread) {
        if (user != thread) {
            user = thread;
            // Again, after the store: either this thread sees the end, or the closing of the client sees this thread.
            requireNotEnded();
        }
    }

    /**
     * Returns true unless another living thread was the last to advance this context, and the calling thread does not
     * hold its lock. Any thread.
     */
    boolean isFreeFor(Thread thread) {
        final Thread last = user;
        return last == null || last.equals(thread) || !last.isAlive() || threads.isHeld();
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

            @Override
            public boolean isBlocked() {
                return PassRunner.this.isBlocked();
            }
        };
    }

    @Override
    public String toString() {
        return context;
    }
}
