package org.segno.reuse;

import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A window or a counter that is being closed. Its user is done with it, and what is sent there is refused; its id and its memory are
 * given out again when nobody can write there any more. Never blocks: {@link #isDone} looks. Any thread.
 *
 * <p>Waited for are, in this order: what this node's engine had been given before, injected or as queued rounds; of a window the
 * counters over it; then every engine that could write there, until it has been quiet or its process is gone. A rank whose
 * application runs its engine is quiet when that advances: one that computes for minutes without advancing keeps what is being closed
 * for as long, and nothing else.
 */
public final class Closing {
    private final Object monitor;
    private final String what;
    private final Supplier<@Nullable String> needed;
    private final Runnable disable;
    private final QuietEngines engines;
    private final IntPredicate concerned;
    private final Runnable giveBack;
    private long @Nullable [] counts;
    private volatile @Nullable String awaited = "a first look";

    /**
     * What closing a thing takes.
     *
     * @param what names it
     * @param needed what has to be over before it is disabled, in words, or null if nothing
     * @param disable has engines refuse what they begin from now on
     * @param giveBack lets it be given out again
     */
    record Steps(String what, Supplier<@Nullable String> needed, Runnable disable, Runnable giveBack) {}

    /** Looks, and changes what it does, under {@code monitor}. */
    Closing(Object monitor, Steps steps, QuietEngines engines, IntPredicate concerned) {
        this.monitor = monitor;
        this.what = steps.what();
        this.needed = steps.needed();
        this.disable = steps.disable();
        this.giveBack = steps.giveBack();
        this.engines = engines;
        this.concerned = concerned;
    }

    /** True once the id and the memory are free. Looks, and frees them if it can be done now. */
    public boolean isDone() {
        return awaited() == null;
    }

    /** What is waited for, in words, or null once it is done. */
    public @Nullable String awaited() {
        synchronized (monitor) {
            if (awaited != null) {
                awaited = look();
            }
            return awaited;
        }
    }

    private @Nullable String look() {
        long[] since = counts;
        if (since == null) {
            final String missing = needed.get();
            if (missing != null) {
                return missing;
            }
            disable.run();
            since = engines.counts();
            counts = since;
        }
        final int rank = engines.awaited(since, concerned);
        if (rank != QuietEngines.NOBODY) {
            return "the engine of rank " + rank + " to be quiet";
        }
        giveBack.run();
        return null;
    }

    @Override
    public String toString() {
        final String missing = awaited;
        return what + (missing == null ? ", which is closed" : ", which is being closed and waits for " + missing);
    }
}
