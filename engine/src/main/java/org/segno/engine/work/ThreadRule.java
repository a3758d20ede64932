package org.segno.engine.work;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.segno.operation.ThreadLevel;
import org.segno.status.Deadline;

/**
 * The check of a context's {@link ThreadLevel}. Called only from {@code assert}, so that it costs nothing if assertions
 * are disabled.
 *
 * <p>A call from a wrong thread is detected at once. Two concurrent threads under SERIALIZED are detected when one
 * calls while the other advances, or when both advance.
 */
public final class ThreadRule {
    private final ThreadLevel level;
    private final ContextLock lock;
    private Thread owner;
    private final AtomicReference<@Nullable Thread> inside = new AtomicReference<>();

    /**
     * Creates the rule of one context.
     *
     * @param level the declared level
     * @param lock lock of the context
     * @param owner the thread that joined, and with that opened the node's own client
     */
    public ThreadRule(ThreadLevel level, ContextLock lock, Thread owner) {
        this.level = level;
        this.lock = lock;
        this.owner = owner;
    }

    /** Returns the lock of the context. */
    public ContextLock lock() {
        return lock;
    }

    /** Makes {@code opener} the owner of a single or funneled context. Called before the context is used. */
    public void owner(Thread opener) {
        owner = opener;
    }

    /** Returns true if threads share the context by its lock, and the calling thread holds that. */
    public boolean isHeld() {
        return level == ThreadLevel.MULTIPLE && lock.isHeldByCurrentThread();
    }

    /**
     * Lets the calling thread hold a context that threads share by its lock.
     *
     * @return false at the deadline, and if the threads do not share it so
     */
    public boolean tryHold(long deadlineNs) {
        while (level == ThreadLevel.MULTIPLE && !lock.tryLock()) {
            if (Deadline.reached(deadlineNs)) {
                return false;
            }
            Thread.onSpinWait();
        }
        return level == ThreadLevel.MULTIPLE;
    }

    /**
     * Returns true if the calling thread may inject.
     *
     * @throws AssertionError if it may not
     */
    public boolean mayInject() {
        final Thread caller = Thread.currentThread();
        requireLevel(caller);
        requireAlone(inside.get(), caller);
        return true;
    }

    /**
     * Returns true if the calling thread may advance, which it does until {@link #leaves}.
     *
     * @throws AssertionError if it may not
     */
    public boolean enters() {
        final Thread caller = Thread.currentThread();
        requireLevel(caller);
        final Thread other = inside.compareAndExchange(null, caller);
        requireAlone(other, caller);
        return true;
    }

    /** Records that the calling thread no longer advances, and returns true. */
    public boolean leaves() {
        inside.compareAndSet(Thread.currentThread(), null);
        return true;
    }

    /**
     * Returns true if the calling thread may post work.
     *
     * @throws AssertionError if it may not
     */
    public boolean mayPost() {
        if (level == ThreadLevel.SINGLE) {
            requireLevel(Thread.currentThread());
        }
        return true;
    }

    private void requireLevel(Thread caller) {
        switch (level) {
            case SINGLE, FUNNELED -> {
                if (!caller.equals(owner)) {
                    throw new AssertionError(caller.getName() + " uses " + lock.context() + ", but only "
                            + owner.getName()
                            + ", which opened its client, may do so under ThreadLevel." + level
                            + (level == ThreadLevel.SINGLE ? ": declare" : ": post work to it, or declare")
                            + " SERIALIZED or MULTIPLE with NodeConfig.withThreadLevel");
                }
            }
            case MULTIPLE -> {
                if (!lock.isHeldByCurrentThread()) {
                    throw new AssertionError(caller.getName() + " uses " + lock.context() + " without its lock, which"
                            + " ThreadLevel.MULTIPLE requires: " + lock.holder() + "; call Context.lock first");
                }
            }
            case SERIALIZED -> {
                // Any thread may call: requireAlone detects concurrent ones.
            }
        }
    }

    private void requireAlone(@Nullable Thread other, Thread caller) {
        if (other != null && !other.equals(caller)) {
            throw new AssertionError(caller.getName() + " uses " + lock.context() + " while " + other.getName()
                    + " advances it: ThreadLevel." + level
                    + " lets one thread in at a time; keep the others out, or declare"
                    + " MULTIPLE with NodeConfig.withThreadLevel and lock the context");
        }
    }
}
