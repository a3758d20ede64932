package org.segno.engine.reuse;

import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.segno.memory.Closing;

/** Closing that runs its steps under the monitor that the clients of a node share. Usable from any thread. */
public final class PendingClosing implements Closing {
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
    PendingClosing(Object monitor, Steps steps, QuietEngines engines, IntPredicate concerned) {
        this.monitor = monitor;
        this.what = steps.what();
        this.needed = steps.needed();
        this.disable = steps.disable();
        this.release = steps.release();
        this.engines = engines;
        this.concerned = concerned;
    }

    @Override
    public boolean isDone() {
        return awaited() == null;
    }

    @Override
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
        final String busy = engines.awaited(since, concerned);
        if (busy != null) {
            return busy;
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
