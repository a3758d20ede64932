package org.segno.engine.work;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The lock of a context. It spins for a while before it parks, and names its owner in messages about its misuse. */
public final class ContextLock extends ReentrantLock {
    private static final long serialVersionUID = 1L;

    /** Number of attempts before the caller parks. A pass of another thread is over within some microseconds. */
    private static final int LOOKS = 200;

    private final String context;

    /**
     * Creates a lock.
     *
     * @param context name of the context for messages
     */
    public ContextLock(String context) {
        this.context = context;
    }

    @Override
    public void lock() {
        for (int look = 0; look < LOOKS; look++) {
            if (tryLock()) {
                return;
            }
            Thread.onSpinWait();
        }
        super.lock();
    }

    /**
     * Releases the lock.
     *
     * @throws IllegalMonitorStateException if the caller does not hold it; the message names the holder
     */
    @Override
    public void unlock() {
        if (!isHeldByCurrentThread()) {
            throw new IllegalMonitorStateException(Thread.currentThread().getName() + " unlocks " + context
                    + " but does not hold its lock: " + holder());
        }
        super.unlock();
    }

    /** Returns the name of the context. */
    public String context() {
        return context;
    }

    /** Describes the holder. */
    String holder() {
        final @Nullable Thread owner = getOwner();
        return owner == null ? "no thread holds it" : owner.getName() + " holds it";
    }
}
