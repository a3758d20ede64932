package org.segno.reuse;

import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Closing of a window or a counter. The application no longer uses it, and messages to it are refused. Its id and its
 * memory are reused once nothing can write there any more. It never blocks: {@link #isDone} checks the progress. Usable
 * from any thread.
 *
 * <p>It waits for the following, in this order: earlier work of this node's engine, both injected descriptors and
 * queued rounds; for a window, the counters over it; then every engine that could write there, until that engine has
 * been quiet or its process is gone. If a rank's application runs its engine, the rank is quiet when the application
 * advances. If it computes for minutes without advancing, the closing takes as long, and nothing else is affected.
 */
public final class Closing {
    private final Object monitor;
    private final String what;
    private final Supplier<@Nullable String> needed;
    private final Runnable disable;
    private final QuietEngines engines;
    private final IntPredicate concerned;
    private final Runnable release;
    private long @Nullable [] counts;
    private volatile @Nullable String awaited = "its first check";

    /**
     * Steps of a closing.
     *
     * @param what name of the object
     * @param needed description of the pending work before the object can be disabled, or null if there is none
     * @param disable makes engines refuse operations that they begin from now on
     * @param release releases the object for reuse
     */
    record Steps(String what, Supplier<@Nullable String> needed, Runnable disable, Runnable release) {}

    /** Creates a closing that runs its steps under {@code monitor}. */
    Closing(Object monitor, Steps steps, QuietEngines engines, IntPredicate concerned) {
        this.monitor = monitor;
        this.what = steps.what();
        this.needed = steps.needed();
        this.disable = steps.disable();
        this.release = steps.release();
        this.engines = engines;
        this.concerned = concerned;
    }

    /** Returns true once the id and the memory are free. Checks the progress, and frees them if possible. */
    public boolean isDone() {
        return awaited() == null;
    }

    /** Describes the pending work, or returns null once the closing is done. Checks the progress first. */
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
        release.run();
        return null;
    }

    @Override
    public String toString() {
        final String missing = awaited;
        return what + (missing == null ? ", which is closed" : ", which is being closed and waits for " + missing);
    }
}
