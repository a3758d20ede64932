package org.segno.work;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The check of a context's {@link ThreadLevel}, to be called from {@code assert} alone: where assertions are off it costs nothing.
 *
 * <p>Whoever calls from a wrong thread is found at once. Two threads at a time under SERIALIZED are found when one comes while the
 * other advances, or when both advance.
 */
public final class ThreadRule {
    private final ThreadLevel level;
    private final ContextLock lock;
    private Thread owner;
    private final AtomicReference<@Nullable Thread> inside = new AtomicReference<>();

    /**
     * Makes the rule of one context.
     *
     * @param level as it was declared
     * @param lock of the context
     * @param owner the thread that joined, and opened the node's own client with that
     */
    public ThreadRule(ThreadLevel level, ContextLock lock, Thread owner) {
        this.level = level;
        this.lock = lock;
        this.owner = owner;
    }

    /** From here on {@code opener} is the thread that a single or funneled context belongs to. Before it is used. */
    public void owner(Thread opener) {
        owner = opener;
    }

    /** True, or an error: the calling thread may inject. */
    public boolean mayInject() {
        final Thread caller = Thread.currentThread();
        requireLevel(caller);
        requireAlone(inside.get(), caller);
        return true;
    }

    /** True, or an error: the calling thread may advance, and does so until {@link #leaves}. */
    public boolean enters() {
        final Thread caller = Thread.currentThread();
        requireLevel(caller);
        final Thread other = inside.compareAndExchange(null, caller);
        requireAlone(other, caller);
        return true;
    }

    /** True: the calling thread advances no more. */
    public boolean leaves() {
        inside.compareAndSet(Thread.currentThread(), null);
        return true;
    }

    /** True, or an error: the calling thread may post work. */
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
                            + ", which opened its client, does so under ThreadLevel." + level
                            + (level == ThreadLevel.SINGLE ? ": declare" : ": post work to it, or declare")
                            + " SERIALIZED or MULTIPLE with NodeConfig.withThreadLevel");
                }
            }
            case MULTIPLE -> {
                if (!lock.isHeldByCurrentThread()) {
                    throw new AssertionError(caller.getName() + " uses " + lock.context() + " without its lock, which"
                            + " ThreadLevel.MULTIPLE demands: " + lock.holder() + "; call Context.lock first");
                }
            }
            case SERIALIZED -> {
                // Any thread: requireAlone looks for others.
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
