package org.segno.work;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.agrona.concurrent.IdleStrategy;
import org.segno.job.Platform;

/**
 * A thread that advances one context by itself, whenever nobody else holds its lock: progress without the application. What is thrown
 * there ends it, and is thrown again by whoever advances the context next.
 */
public final class ProgressThread implements AutoCloseable {
    private static final long JOIN_LIMIT_MS = TimeUnit.SECONDS.toMillis(5);

    /** Turns that are left to threads that wait for the lock: they may not all advance. */
    private static final int PATIENCE = 1000;

    private final ContextLock lock;
    private final WorkQueue work;
    private final IntSupplier pass;
    private final IdleStrategy idle;
    private final Thread thread;
    private volatile boolean closed;

    private ProgressThread(String name, ContextLock lock, WorkQueue work, IntSupplier pass, IdleStrategy idle) {
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
     * @param pass advances the context; below zero once that is closed
     * @param idle how the thread waits when there is nothing to do
     */
    public static ProgressThread start(
            String name, ContextLock lock, WorkQueue work, IntSupplier pass, IdleStrategy idle) {
        final ProgressThread progress = new ProgressThread(name, lock, work, pass, idle);
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
                        done = pass.getAsInt();
                        if (done < 0) {
                            return;
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
        try {
            thread.join(JOIN_LIMIT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return thread.getName();
    }
}
