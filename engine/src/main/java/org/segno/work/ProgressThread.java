package org.segno.work;

import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.IdleStrategy;
import org.segno.job.Platform;

/**
 * A thread that advances one context by itself, whenever nobody else holds its lock: progress without the application. What is thrown
 * there ends it, and is thrown again by whoever advances the context next.
 */
public final class ProgressThread implements AutoCloseable {
    private static final long JOIN_LIMIT_NS = TimeUnit.SECONDS.toNanos(5);

    /** Turns that are left to threads that wait for the lock: they may not all advance. */
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
     * Starts one.
     *
     * @param name of the thread
     * @param lock of the context
     * @param work where the next caller looks
     * @param pass advances the context, or lets its engine rest; returns a number below zero once the context is closed
     * @param idle how the thread waits when there is nothing to do
     */
    public static ProgressThread start(String name, ContextLock lock, WorkQueue work, Pass pass, IdleStrategy idle) {
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
                            // Under the lock: the next pass may be another thread's.
                            pass.rest();
                        }
                    } finally {
                        lock.unlock();
                    }
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

    /** True until it is closed, or has ended by itself. */
    public boolean isRunning() {
        return !closed;
    }

    /** Ends the thread, which finishes its pass; waits for that, unless it is called within the pass. May be called twice. */
    @Override
    public void close() {
        closed = true;
        if (thread.equals(Thread.currentThread())) {
            return;
        }
        // Also for an interrupted caller: what comes next counts on the end of the pass.
        Platform.join(thread, JOIN_LIMIT_NS);
    }

    @Override
    public String toString() {
        return thread.getName();
    }
}
