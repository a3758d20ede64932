package org.segno.context;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.segno.engine.doorbell.Doorbell;
import org.segno.engine.job.Platform;
import org.segno.engine.work.ContextLock;
import org.segno.engine.work.Pass;
import org.segno.engine.work.WorkQueue;

/**
 * A thread that advances one context whenever no other thread holds its lock, so that there is progress without the
 * application. An exception or error in a pass ends the thread, and the next caller that advances the context receives
 * it.
 */
public final class ProgressThread implements AutoCloseable {
    private static final long JOIN_LIMIT_NS = TimeUnit.SECONDS.toNanos(5);

    /** Number of turns left to threads that wait for the lock, because not all of them may advance. */
    private static final int PATIENCE = 1000;

    private final ContextLock lock;
    private final WorkQueue work;
    private final Pass pass;
    private final Pauses pauses;
    private final @Nullable Doorbell doorbell;
    private final Thread thread;
    private volatile boolean closed;

    /** True while it pauses because another thread holds the lock. The end of that is no event at the doorbell. */
    private volatile boolean isLockedOut;

    private ProgressThread(
            String name, ContextLock lock, WorkQueue work, Pass pass, Pauses pauses, @Nullable Doorbell doorbell) {
        this.lock = lock;
        this.work = work;
        this.pass = pass;
        this.pauses = pauses;
        this.doorbell = doorbell;
        this.thread = Platform.thread(name, this::run);
    }

    /**
     * Starts a thread.
     *
     * @param name name of the thread
     * @param lock lock of the context
     * @param work queue through which the next caller receives a failure
     * @param pass pass that advances the context, or lets its engine rest; returns a number below zero once the context
     *     is closed
     * @param pauses pauses of the thread when there is no work
     * @param doorbell doorbell of the context, or null
     */
    static ProgressThread start(
            String name, ContextLock lock, WorkQueue work, Pass pass, Pauses pauses, @Nullable Doorbell doorbell) {
        final ProgressThread progress = new ProgressThread(name, lock, work, pass, pauses, doorbell);
        progress.thread.start();
        return progress;
    }

    private void run() {
        try {
            int left = 0;
            while (!closed) {
                final boolean mine = (!lock.hasQueuedThreads() || ++left > PATIENCE) && lock.tryLock();
                int done = 0;
                if (mine) {
                    left = 0;
                    try {
                        done = pass.run();
                        if (done < 0) {
                            return;
                        }
                        if (pauses.isRestDue(done)) {
                            // Rest under the lock, because another thread may run the next pass.
                            pass.rest();
                        }
                    } finally {
                        lock.unlock();
                    }
                }
                if (done == 0) {
                    // With the interrupt flag set, every park would return at once.
                    Thread.interrupted();
                }
                if (mine) {
                    pauses.pause(Math.max(0, done));
                } else {
                    pauseLockedOut();
                }
            }
        } catch (Throwable thrown) {
            work.fail(() -> new IllegalStateException(
                    thread.getName() + ", which advanced " + lock.context() + ", has ended: " + thrown, thrown));
        } finally {
            closed = true;
            pauses.leave();
        }
    }

    /** Pauses while another thread holds the lock, which waits at the doorbell itself if it waits. */
    private void pauseLockedOut() {
        pauses.leave();
        isLockedOut = true;
        // Read again after the store above: the other thread unlocks first, and then reads that field.
        if (lock.isLocked()) {
            pauses.pause(0);
        }
        isLockedOut = false;
    }

    /** Wakes the thread after another one has unlocked the context. Any thread. */
    void wake() {
        if (isLockedOut) {
            LockSupport.unpark(thread);
        } else if (doorbell != null) {
            doorbell.ring();
        }
    }

    /** Returns true until it is closed or has ended by itself. */
    public boolean isRunning() {
        return !closed;
    }

    /**
     * Ends the thread after its current pass, and waits for the end, unless it is called within the pass. May be called
     * twice.
     */
    @Override
    public void close() {
        closed = true;
        wake();
        if (thread.equals(Thread.currentThread())) {
            return;
        }
        // Wait even if the caller is interrupted, because its next steps rely on the end of the pass.
        Platform.join(thread, JOIN_LIMIT_NS);
    }

    @Override
    public String toString() {
        return thread.getName();
    }
}
