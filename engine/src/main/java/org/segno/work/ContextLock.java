package org.segno.work;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The lock of a context: looks a while before it parks, and names its owner where it is misused. */
public final class ContextLock extends ReentrantLock {
    private static final long serialVersionUID = 1L;

    /** Looks before the caller parks: a pass of another thread is over within some microseconds. */
    private static final int LOOKS = 200;

    private final String context;

    /**
     * Makes one.
     *
     * @param context in words, for what it says
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
     * Lets the next one in.
     *
     * @throws IllegalMonitorStateException if the caller does not hold it; names who does
     */
    @Override
    public void unlock() {
        if (!isHeldByCurrentThread()) {
            throw new IllegalMonitorStateException(Thread.currentThread().getName() + " unlocks " + context
                    + ", whose lock it does not hold: " + holder());
        }
        super.unlock();
    }

    /** The context, in words. */
    String context() {
        return context;
    }

    /** Who holds it, in words. */
    String holder() {
        final @Nullable Thread owner = getOwner();
        return owner == null ? "nobody does" : owner.getName() + " does";
    }
}
