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
 * What threads do with a context: one at a time advances it, any posts work to it, and those that share it lock it. Which threads may
 * call is declared with {@code NodeConfig.withThreadLevel} and checked where Java's assertions are on.
 */
public abstract sealed class ThreadingPoint extends OneSided permits Context {
    /** Records taken from each lane in one pass unless a limit is given. */
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

    /** Gives the context, unused as it is, to a client, whose first context is {@code first}; the caller is the thread that opens it. */
    final void belongTo(String client, int number, int first) {
        homes.of(client);
        threads.owner(Thread.currentThread());
        final int context = Endpoint.context(endpoint);
        endpoint = Endpoint.of(Endpoint.task(endpoint), number, context - first, context);
    }

    /** Where messages to this context go: an {@link Endpoint}, good at every rank. */
    public final long endpoint() {
        return endpoint;
    }

    /**
     * One pass: posted work, under INVOKER the engine's, then every lane up to 256 records. Never blocks.
     *
     * @return pieces of work that did something, descriptors carried out and records handled; zero if there was nothing to do
     * @throws IllegalStateException in a handler or in posted work, or if the thread of {@link #progress} has ended by itself
     * @throws org.segno.status.ClosedException once the node is closed
     */
    public final int advance() {
        return advance(RECORD_LIMIT);
    }

    /** As {@link #advance()}, with at most {@code limit} records from each lane. */
    public final int advance(int limit) {
        requireOpen();
        return pass(limit);
    }

    /** What a wait does between two looks: also after the close, which it tells of itself, with what it misses. */
    final int pass() {
        return pass(RECORD_LIMIT);
    }

    private int pass(int limit) {
        assert threads.enters();
        if (inHandler || inWork) {
            throw new IllegalStateException(
                    "a handler, or posted work, cannot advance its context: it runs within advance");
        }
        usedBy(Thread.currentThread());
        try {
            // What it injected would become a part of what is recorded.
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

    /** Hands what has come to the handlers. */
    abstract int poll(int limit);

    /** True where the application's threads run the engine. */
    final boolean isInvoked() {
        return engine != null;
    }

    /** Lets the engine count as quiet until the next pass: the caller may park. */
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
     * True once what an injection through the context itself, outside {@code record}, has answered {@code position} to is carried out or
     * was refused, and all before it.
     */
    public final boolean isCarriedOut(long position) {
        return fifo.metadata().headAcquire() > position;
    }

    /** Settings and answers of the context's injection FIFO: how full it is, how many descriptors were carried out. */
    public final FifoMetadata fifo() {
        return fifo.metadata();
    }

    /**
     * Any thread: has {@code piece} run by the thread that advances, within its next {@code advance} or wait, and again in later ones
     * while it answers {@link Status#AGAIN}, which counts as nothing done. Each is run exactly once else, those of one thread in its order. What has not run when the
     * node is closed is not run any more.
     *
     * @return 0, or {@link Status#BACK_PRESSURED} while {@value WorkQueue#CAPACITY} wait
     * @throws org.segno.status.ClosedException once the node is closed
     */
    public final long post(Work piece) {
        Objects.requireNonNull(piece, "piece");
        requireOpen();
        assert threads.mayPost();
        return work.post(piece);
    }

    /**
     * Waits until no other thread holds the context, and holds it. For those that share one: hold it for every call but {@link #post},
     * and over calls that belong together. A wait of the library holds it from beginning to end: where others need the context
     * meanwhile, advance and look instead, and unlock in between.
     */
    public final void lock() {
        lock.lock();
    }

    /** Holds the context if no other thread does. */
    public final boolean tryLock() {
        return lock.tryLock();
    }

    /**
     * Lets the next one in, once called as often as the context was locked.
     *
     * @throws IllegalMonitorStateException if the caller does not hold it; names who does
     */
    public final void unlock() {
        lock.unlock();
    }

    /** As the other {@code progress}, waiting as the node does: parked, where threads outnumber cores. */
    public final ProgressThread progress() {
        return progress(idle);
    }

    /**
     * Starts a thread, {@code segno-progress-RANK-CONTEXT}, that advances this context whenever nobody holds it, so that posted work,
     * handlers and, under INVOKER, the engine run without the application. Whoever uses the context beside it locks it. It ends when it
     * is closed, or with the node; what is thrown there ends it too, and the next {@code advance} or wait of this context throws it.
     *
     * @param idle makes the strategy with which it waits when there is nothing to do
     * @throws IllegalStateException if there is one already, or the thread level keeps other threads out
     */
    public final synchronized ProgressThread progress(Supplier<IdleStrategy> idle) {
        requireOpen();
        final ProgressThread running = progress;
        if (running != null && running.isRunning()) {
            throw new IllegalStateException(running + " advances this context already: close it first");
        }
        if (level.compareTo(ThreadLevel.SERIALIZED) < 0) {
            throw new IllegalStateException("ThreadLevel." + level + " keeps other threads out of the context, "
                    + threadName + " too: declare SERIALIZED or MULTIPLE with NodeConfig.withThreadLevel");
        }
        final ProgressThread started = ProgressThread.start(threadName, lock, work, new ProgressPass(), idle.get());
        progress = started;
        return started;
    }

    /** The pass of the thread that {@link #progress} starts. */
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

    /** The thread that advances, and holds the context with that. */
    private void usedBy(Thread thread) {
        if (user != thread) {
            user = thread;
        }
    }

    /** Any thread: true unless another thread, which still lives, was the last to advance this context. */
    final boolean isFreeFor(Thread thread) {
        final Thread last = user;
        return last == null || last.equals(thread) || !last.isAlive();
    }

    /** Any thread: ends the thread that advances by itself, if there is one. */
    final void endProgress() {
        final ProgressThread running = progress;
        if (running != null) {
            running.close();
        }
    }

    /** The rank of this context's node. */
    public final int rank() {
        return node().rank();
    }

    /** Ranks of the job. */
    public final int ranks() {
        return peers.length;
    }

    /** True inside {@code record} and {@code prepare}. */
    public final boolean isRecording() {
        return patterns.recorder() != null;
    }

    /**
     * Checks that this client has {@code other} too.
     *
     * @throws IllegalArgumentException if it has not; names both
     */
    public final void requireSameClient(ThreadingPoint other) {
        if (!node().equals(other.node()) || Endpoint.client(endpoint) != Endpoint.client(other.endpoint)) {
            throw new IllegalArgumentException(
                    whose() + ", " + other.whose() + ": name contexts of one client, as Client.context hands them out");
        }
    }

    /** Its number, rank and client, in words. */
    final String whose() {
        return "context " + Endpoint.context(endpoint) + " of rank " + rank() + " belongs to " + homes.client();
    }

    /** True while handlers run. */
    public final boolean isInHandler() {
        return inHandler;
    }

    final void requireNotRecording(String what) {
        if (isRecording()) {
            throw new IllegalStateException(what + " cannot be replayed: keep it outside record");
        }
    }

    /** What has become of a rank since it joined: null while it takes part, or why nothing is to be expected of it any more. */
    public final @Nullable SegnoException failure(int rank) {
        requireRank(rank);
        if (states.isDead(rank)) {
            return new PeerFailedException(rank, "rank " + rank + " has died");
        }
        return states.hasLeft(rank) ? new ClosedException("rank " + rank + " has left the job") : null;
    }

    /** How often a rank has died or left, or the hub was lost: nobody's {@link #failure} has changed while this has not. */
    public final long peerChanges() {
        return states.changesAcquire();
    }

    @Override
    public final String toString() {
        return "context " + Endpoint.context(endpoint) + " of rank " + Endpoint.task(endpoint);
    }
}
