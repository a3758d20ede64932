package org.segno.context;

import java.util.Objects;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.fifo.FifoMetadata;
import org.segno.fifo.InjectionFifoProducer;
import org.segno.geometry.Endpoint;
import org.segno.memory.PeerStates;
import org.segno.pattern.PatternBuffer;
import org.segno.status.ClosedException;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;
import org.segno.work.ContextLock;
import org.segno.work.Pass;
import org.segno.work.ProgressThread;
import org.segno.work.ThreadLevel;
import org.segno.work.ThreadRule;
import org.segno.work.Work;
import org.segno.work.WorkQueue;

/**
 * Threading rules of a context: one thread at a time advances it, any thread posts work to it, and threads that share
 * it lock it. {@code NodeConfig.withThreadLevel} declares which threads may call. The rule is checked where Java's
 * assertions are enabled.
 */
public abstract sealed class ThreadingPoint extends OneSided permits Context {
    /** Limit of records taken from each lane in one pass, unless a limit is given. */
    private static final int RECORD_LIMIT = 256;

    private final @Nullable Pass engine;
    private final WorkQueue work = new WorkQueue();
    private final Supplier<IdleStrategy> idle;
    private final ThreadLevel level;
    private final ContextLock lock;
    private final String threadName;
    private long endpoint;
    private volatile @Nullable ProgressThread progress;
    private volatile @Nullable Thread user;
    private final PeerStates states;
    private boolean inWork;

    ThreadingPoint(NodeShare share, InjectionFifoProducer fifo, PatternBuffer patterns, ContextLock lock, int index) {
        super(
                share,
                fifo,
                patterns,
                new ThreadRule(share.threadLevel(), lock, Thread.currentThread()),
                new Homes(share.peers()));
        this.engine = share.engine(index);
        this.idle = share.idle();
        this.states = share.states();
        this.level = share.threadLevel();
        this.lock = lock;
        this.endpoint = Endpoint.of(share.node().rank(), 0, index, index);
        this.threadName = "segno-progress-" + share.node().rank() + "-" + index;
    }

    /**
     * Assigns the unused context to a client with the first context {@code first}. The caller is the thread that opens
     * the client.
     */
    final void belongTo(String client, int number, int first) {
        homes.of(client);
        threads.owner(Thread.currentThread());
        final int context = Endpoint.context(endpoint);
        endpoint = Endpoint.of(Endpoint.task(endpoint), number, context - first, context);
    }

    /** Returns the {@link Endpoint} for messages to this context, valid at every rank. */
    public final long endpoint() {
        return endpoint;
    }

    /**
     * Makes one pass: runs posted work, under INVOKER the engine, and then polls every lane for up to 256 records.
     * Never blocks.
     *
     * @return pieces of work that did something, descriptors carried out and records handled; zero if there was nothing
     *     to do
     * @throws IllegalStateException in a handler or in posted work, or if the thread of {@link #progress} was ended by
     *     an exception
     * @throws org.segno.status.ClosedException once the node is closed
     */
    public final int advance() {
        return advance(RECORD_LIMIT);
    }

    /** Makes one pass as {@link #advance()}, with at most {@code limit} records from each lane. */
    public final int advance(int limit) {
        requireOpen();
        return pass(limit);
    }

    /**
     * Makes the pass of a wait between two checks. It also runs after the close, because a wait reports the close
     * itself, together with its condition.
     */
    final int pass() {
        return pass(RECORD_LIMIT);
    }

    private int pass(int limit) {
        assert threads.enters();
        if (inHandler || inWork) {
            throw new IllegalStateException(
                    "a handler or posted work cannot advance its context, because it runs within advance");
        }
        usedBy(Thread.currentThread());
        try {
            // Descriptors that posted work injects would become part of the recording.
            int done = work.isPending() && !isRecording() ? runWork() : 0;
            if (engine != null) {
                done += engine.run();
            }
            inHandler = true;
            return done + poll(limit);
        } finally {
            inHandler = false;
            assert threads.leaves();
        }
    }

    /** Passes received records to the handlers. */
    abstract int poll(int limit);

    /** Returns true if the application's threads run the engine. */
    final boolean isInvoked() {
        return engine != null;
    }

    /** Marks the engine as quiet until the next pass, because the caller may park. */
    final void rest() {
        if (engine != null) {
            engine.rest();
        }
    }

    private int runWork() {
        inWork = true;
        try {
            return work.run();
        } finally {
            inWork = false;
        }
    }

    /**
     * Returns true once the descriptor at {@code position}, and all before it, are carried out or were refused. The
     * position must have been returned by an injection through the context itself, outside {@code record}.
     */
    public final boolean isCarriedOut(long position) {
        return fifo.metadata().headAcquire() > position;
    }

    /**
     * Returns the settings and state of the context's injection FIFO, such as its fill and the number of descriptors
     * carried out.
     */
    public final FifoMetadata fifo() {
        return fifo.metadata();
    }

    /**
     * Posts {@code piece} to the thread that advances, which runs it within its next {@code advance} or wait. While the
     * piece returns {@link Status#AGAIN}, which counts as no work done, it is run again in later ones. Otherwise each
     * piece runs exactly once, and the pieces of one thread run in order. Pieces that have not run when the node is
     * closed are discarded. Any thread.
     *
     * @return 0, or {@link Status#BACK_PRESSURED} while {@value WorkQueue#CAPACITY} are pending
     * @throws org.segno.status.ClosedException once the node is closed
     */
    public final long post(Work piece) {
        Objects.requireNonNull(piece, "piece");
        requireOpen();
        assert threads.mayPost();
        return work.post(piece);
    }

    /**
     * Waits until no other thread holds the context, then holds it. Threads that share a context must hold it for every
     * call except {@link #post}, and across calls that belong together. A wait of the library holds the context from
     * beginning to end. If other threads need it meanwhile, advance and poll instead, and unlock in between.
     */
    public final void lock() {
        lock.lock();
    }

    /** Holds the context if no other thread does, and returns whether the caller holds it now. */
    public final boolean tryLock() {
        return lock.tryLock();
    }

    /**
     * Releases the context once called as often as it was locked.
     *
     * @throws IllegalMonitorStateException if the caller does not hold it; the message names the holder
     */
    public final void unlock() {
        lock.unlock();
    }

    /**
     * Starts a progress thread, as the other {@code progress} does, with the node's idle strategy. It parks where
     * threads outnumber cores.
     */
    public final ProgressThread progress() {
        return progress(idle);
    }

    /**
     * Starts a thread, {@code segno-progress-RANK-CONTEXT}, that advances this context while no other thread holds it.
     * Posted work, handlers and, under INVOKER, the engine then run without the application. Other threads must lock
     * the context to use it. The thread ends when it is closed, or with the node. An exception also ends it; the next
     * {@code advance} or wait of this context throws that exception.
     *
     * @param idle creates the strategy with which it waits when there is nothing to do
     * @throws IllegalStateException if there is one already, or the thread level excludes other threads
     */
    public final synchronized ProgressThread progress(Supplier<IdleStrategy> idle) {
        requireOpen();
        final ProgressThread running = progress;
        if (running != null && running.isRunning()) {
            throw new IllegalStateException(running + " already advances this context: close it first");
        }
        if (level.compareTo(ThreadLevel.SERIALIZED) < 0) {
            throw new IllegalStateException("ThreadLevel." + level + " excludes other threads from the context, "
                    + threadName + " included: declare SERIALIZED or MULTIPLE with NodeConfig.withThreadLevel");
        }
        final ProgressThread started = ProgressThread.start(threadName, lock, work, new ProgressPass(), idle.get());
        progress = started;
        return started;
    }

    /** Pass of the thread that {@link #progress} starts. */
    private final class ProgressPass implements Pass {
        @Override
        public int run() {
            return closedReason() == null ? pass() : -1;
        }

        @Override
        public void rest() {
            ThreadingPoint.this.rest();
        }
    }

    /** Records the thread that advances, and thereby holds, the context. */
    private void usedBy(Thread thread) {
        if (user != thread) {
            user = thread;
        }
    }

    /** Returns true unless another living thread was the last to advance this context. Any thread. */
    final boolean isFreeFor(Thread thread) {
        final Thread last = user;
        return last == null || last.equals(thread) || !last.isAlive();
    }

    /** Ends the progress thread, if there is one. Any thread. */
    final void endProgress() {
        final ProgressThread running = progress;
        if (running != null) {
            running.close();
        }
    }

    /** Returns the rank of this context's node. */
    public final int rank() {
        return node().rank();
    }

    /** Returns the number of ranks in the job. */
    public final int ranks() {
        return peers.length;
    }

    /** Returns true inside {@code record} and {@code prepare}. */
    public final boolean isRecording() {
        return patterns.recorder() != null;
    }

    /**
     * Checks that {@code other} belongs to the same client.
     *
     * @throws IllegalArgumentException if it does not; the message names both
     */
    public final void requireSameClient(ThreadingPoint other) {
        if (!node().equals(other.node()) || Endpoint.client(endpoint) != Endpoint.client(other.endpoint)) {
            throw new IllegalArgumentException(
                    whose() + ", " + other.whose() + ": use contexts of one client, as returned by Client.context");
        }
    }

    /** Describes the context's number, rank and client, for messages. */
    final String whose() {
        return "context " + Endpoint.context(endpoint) + " of rank " + rank() + " belongs to " + homes.client();
    }

    /** Returns true while handlers run. */
    public final boolean isInHandler() {
        return inHandler;
    }

    final void requireNotRecording(String what) {
        if (isRecording()) {
            throw new IllegalStateException(what + " cannot be replayed: keep it outside record");
        }
    }

    /**
     * Returns the state of a rank since it joined: null while it takes part, or the reason why it will send nothing
     * more.
     */
    public final @Nullable SegnoException failure(int rank) {
        requireRank(rank);
        if (states.isDead(rank)) {
            return new PeerFailedException(rank, "rank " + rank + " has died");
        }
        return states.hasLeft(rank) ? new ClosedException("rank " + rank + " has left the job") : null;
    }

    /**
     * Returns the number of changes of peers so far: deaths, departures, and the loss of the hub. While it is
     * unchanged, so is the {@link #failure} of every rank.
     */
    public final long peerChanges() {
        return states.changesAcquire();
    }

    @Override
    public final String toString() {
        return "context " + Endpoint.context(endpoint) + " of rank " + Endpoint.task(endpoint);
    }
}
