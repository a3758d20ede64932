package org.segno.context;

import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.IdleStrategy;
import org.segno.engine.job.Platform;
import org.segno.engine.work.ContextLock;
import org.segno.engine.work.Pass;
import org.segno.engine.work.RestRule;
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
    private final IdleStrategy idle;
    private final Thread thread;
    private volatile boolean closed;

    private ProgressThread(String name, ContextLock lock, WorkQueue work, Pass pass, IdleStrategy idle) {
        this.lock = lock;
        this.work = work;
        this.pass = pass;
        this.idle = idle;
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
     * @param idle strategy of the thread when there is no work
     */
    static ProgressThread start(String name, ContextLock lock, WorkQueue work, Pass pass, IdleStrategy idle) {
        final ProgressThread progress = new ProgressThread(name, lock, work, pass, idle);
        progress.thread.start();
        return progress;
    }

    private void run() {
        try {
            final RestRule rests = new RestRule(idle);
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
                        if (rests.isRestDue(done)) {
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
                idle.idle(Math.max(0, done));
            }
        } catch (Throwable thrown) {
            work.fail(() -> new IllegalStateException(
                    thread.getName() + ", which advanced " + lock.context() + ", has ended: " + thrown, thrown));
        } finally {
            closed = true;
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
